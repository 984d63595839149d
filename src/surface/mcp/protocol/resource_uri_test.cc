#include "surface/mcp/protocol/resource_uri.h"

#include <string>

#include <gtest/gtest.h>

#include "surface/mcp/protocol/cursor.h"

namespace berth::mcp {
namespace {

TEST(ResourceUri, every_name_has_a_uri_and_comes_back_from_it) {
  std::string every;
  for (int byte = 1; byte < 256; ++byte) every += static_cast<char>(byte);
  EXPECT_EQ(path_of_uri(uri_of_path(every)), every);
  EXPECT_EQ(uri_of_path("src/a b#c.cc"), "workspace:///src/a%20b%23c.cc");
}

TEST(ResourceUri, other_uris_name_no_file) {
  for (const auto* uri : {"", "file:///a", "workspace://host/a", "workspace:///", "workspace:///a%2",
                          "workspace:///%zz", "workspace:///a?b", "workspace:///a#b"}) {
    EXPECT_FALSE(path_of_uri(uri)) << uri;
  }
}

TEST(ResourceUri, media_types_follow_the_ending) {
  EXPECT_EQ(media_type_of("a/b.PY"), "text/x-python");
  EXPECT_EQ(media_type_of("b.yaml"), "application/yaml");
  EXPECT_EQ(media_type_of("b.c"), "text/x-c");
  EXPECT_EQ(media_type_of("b.webp"), "image/webp");
  EXPECT_EQ(media_type_of("py/none"), "");
}

TEST(Cursor, a_cursor_is_good_for_the_list_that_gave_it_out) {
  const auto cursor = encode_cursor("tools", "12");
  EXPECT_EQ(decode_cursor("tools", cursor), "12");
  EXPECT_FALSE(decode_cursor("prompts", cursor));
  EXPECT_FALSE(decode_cursor("tools", "12"));
  EXPECT_FALSE(decode_cursor("tools", ""));
}

}  // namespace
}  // namespace berth::mcp
