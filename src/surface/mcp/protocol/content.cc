#include "surface/mcp/protocol/content.h"

#include <utility>

#include "base/base64.h"

namespace berth::mcp {
namespace {

Json media_content(const tools::Media& media, std::size_t number) {
  if (media.kind != tools::Media::Kind::document) {
    return {{"type", media.kind == tools::Media::Kind::image ? "image" : "audio"},
            {"data", encode_base64(media.content)},
            {"mimeType", media.media_type}};
  }
  return {{"type", "resource"},
          {"resource",
           {{"uri", "attachment:" + std::to_string(number)},
            {"mimeType", media.media_type},
            {"blob", encode_base64(media.content)}}}};
}

}  // namespace

Json tool_entry(const tools::ToolInfo& info) {
  Json entry = {{"name", info.name}};
  if (!info.title.empty()) entry["title"] = info.title;
  entry["description"] = info.description;
  entry["inputSchema"] = info.input_schema;
  if (info.output_schema.is_object()) entry["outputSchema"] = info.output_schema;
  entry["annotations"] = {{"readOnlyHint", info.annotations.read_only},
                          {"destructiveHint", info.annotations.destructive},
                          {"idempotentHint", info.annotations.idempotent},
                          {"openWorldHint", info.annotations.open_world}};
  return entry;
}

Json text_content(std::string text) {
  Json content = {{"type", "text"}};
  content["text"] = std::move(text);
  return content;
}

Json call_result(tools::ToolResult result) {
  Json content = Json::array();
  if (!result.text.empty() || result.media.empty()) content.push_back(text_content(std::move(result.text)));
  for (const auto& media : result.media) content.push_back(media_content(media, content.size()));
  Json answer;
  answer["content"] = std::move(content);
  if (result.outcome == tools::ToolResult::Outcome::success) {
    if (result.structured.is_object()) answer["structuredContent"] = std::move(result.structured);
    return answer;
  }
  answer["isError"] = true;
  if (result.structured.is_object() && result.structured.contains("error")) {
    answer["_meta"]["berth/error"] = std::move(result.structured["error"]);
  }
  return answer;
}

Json failed_call(std::string text) {
  Json answer;
  answer["content"] = Json::array({text_content(std::move(text))});
  answer["isError"] = true;
  return answer;
}

}  // namespace berth::mcp
