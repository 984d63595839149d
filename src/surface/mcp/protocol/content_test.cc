#include "surface/mcp/protocol/content.h"

#include <gtest/gtest.h>

namespace berth::mcp {
namespace {

using tools::Media;

tools::ToolResult result_with(std::string text, std::vector<Media> media) {
  return {.text = std::move(text), .structured = {}, .media = std::move(media)};
}

TEST(Content, images_and_sounds_are_told_as_such_and_other_files_as_resources) {
  const auto answer = call_result(result_with("text", {{Media::Kind::image, "image/png", "i"},
                                                       {Media::Kind::audio, "audio/mpeg", "a"},
                                                       {Media::Kind::document, "application/pdf", "d"}}));
  EXPECT_EQ(answer["content"], Json::parse(R"([{"type": "text", "text": "text"},
                            {"type": "image", "data": "aQ==", "mimeType": "image/png"},
                            {"type": "audio", "data": "YQ==", "mimeType": "audio/mpeg"},
                            {"type": "resource", "resource":
                              {"uri": "attachment:3", "mimeType": "application/pdf", "blob": "ZA=="}}])"));
}

TEST(Content, a_file_alone_comes_without_an_empty_text) {
  EXPECT_EQ(call_result(result_with("", {{Media::Kind::image, "image/png", "i"}}))["content"].size(), 1U);
  EXPECT_EQ(call_result(result_with("", {}))["content"], Json::parse(R"([{"type": "text", "text": ""}])"));
}

}  // namespace
}  // namespace berth::mcp
