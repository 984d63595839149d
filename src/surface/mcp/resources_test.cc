#include "surface/mcp/resources.h"

#include <gtest/gtest.h>

#include "surface/mcp/fake_tools_fixture.h"
#include "surface/mcp/protocol/resource_uri.h"

namespace berth::mcp {
namespace {

Json result_of(const Json& frame) { return frame.value("result", Json()); }
int error_of(const Json& frame) { return frame.contains("error") ? frame["error"]["code"].get<int>() : 0; }

TEST(Resources, files_are_listed_by_their_uri) {
  ServiceFixture fixture;
  fixture.modern(1, "resources/list");
  const auto result = result_of(fixture.frames->wait(1)[0]);
  EXPECT_EQ(result["resources"][0],
            Json({{"uri", "workspace:///a.txt"}, {"name", "a.txt"}, {"mimeType", "text/plain"}}));
  EXPECT_EQ(result["ttlMs"], 0);
  fixture.modern(2, "resources/list", {{"cursor", "nonsense"}});
  EXPECT_EQ(error_of(fixture.frames->wait(2)[1]), rpc::kInvalidParams);
}

TEST(Resources, text_is_read_as_text_and_the_rest_as_a_blob) {
  ServiceFixture fixture;
  fixture.legacy(1, "resources/read", {{"uri", "workspace:///a.txt"}});
  EXPECT_EQ(result_of(fixture.frames->wait(1)[0])["contents"][0],
            Json({{"uri", "workspace:///a.txt"}, {"mimeType", "text/plain"}, {"text", "alpha"}}));
  fixture.legacy(2, "resources/read", {{"uri", "workspace:///dir/b.bin"}});
  EXPECT_EQ(result_of(fixture.frames->wait(2)[1])["contents"][0],
            Json({{"uri", "workspace:///dir/b.bin"}, {"mimeType", "application/octet-stream"}, {"blob", "AAE="}}));
}

TEST(Resources, what_is_missing_has_the_code_of_its_era_and_names_the_uri) {
  ServiceFixture fixture;
  std::size_t answers = 0;
  for (const auto* uri : {"workspace:///missing", "workspace:///dir", "file:///etc/passwd", "nonsense"}) {
    fixture.legacy(1, "resources/read", {{"uri", uri}});
    const auto legacy = fixture.frames->wait(++answers).back();
    EXPECT_EQ(error_of(legacy), rpc::kResourceNotFound) << uri;
    EXPECT_EQ(legacy["error"]["data"]["uri"], uri);
    fixture.client->wait_until_idle(Deadline::never());
    fixture.modern(2, "resources/read", {{"uri", uri}});
    const auto modern = fixture.frames->wait(++answers).back();
    EXPECT_EQ(error_of(modern), rpc::kInvalidParams) << uri;
    EXPECT_EQ(modern["error"]["data"]["uri"], uri);
    fixture.client->wait_until_idle(Deadline::never());
  }
}

TEST(Resources, a_path_that_leads_outside_is_refused) {
  ServiceFixture fixture;
  fixture.legacy(1, "resources/read", {{"uri", "workspace:///../etc/passwd"}});
  EXPECT_EQ(error_of(fixture.frames->wait(1)[0]), rpc::kInvalidParams);
  fixture.legacy(2, "resources/subscribe", {{"uri", "workspace:///%2e%2e/x"}});
  EXPECT_EQ(error_of(fixture.frames->wait(2)[1]), rpc::kInvalidParams);
}

TEST(Resources, a_file_over_the_bound_is_refused) {
  auto options = ServiceFixture::quick_options();
  options.max_resource_bytes = 3;
  ServiceFixture fixture(options);
  fixture.legacy(1, "resources/read", {{"uri", "workspace:///a.txt"}});
  const auto frame = fixture.frames->wait(1)[0];
  EXPECT_EQ(error_of(frame), rpc::kInvalidParams);
  EXPECT_EQ(frame["error"]["data"]["code"], "too_large");
}

TEST(Resources, paths_are_completed) {
  ServiceFixture fixture;
  const Json reference = {{"type", "ref/resource"}, {"uri", kFileTemplate}};
  fixture.legacy(1, "completion/complete", {{"ref", reference}, {"argument", {{"name", "path"}, {"value", "d"}}}});
  EXPECT_EQ(result_of(fixture.frames->wait(1)[0])["completion"],
            Json({{"values", {"dir/"}}, {"total", 1}, {"hasMore", false}}));
  fixture.legacy(2, "completion/complete", {{"ref", reference}, {"argument", {{"name", "path"}, {"value", "dir/"}}}});
  EXPECT_EQ(result_of(fixture.frames->wait(2)[1])["completion"]["values"], Json::array({"dir/b.bin"}));
}

}  // namespace
}  // namespace berth::mcp
