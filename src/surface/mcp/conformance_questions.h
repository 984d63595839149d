#pragma once

#include <optional>
#include <string_view>

#include "surface/mcp/conversation.h"

/// The fixtures of the conformance runner that ask their client something. See `ConformanceFixtures`.
namespace berth::mcp {

void list_asking_tools(Json& tools);
void list_asking_prompts(Json& prompts);

// Nothing when the name is not one of these.
std::optional<Answer> call_asking_tool(Work& work, std::string_view name, const Json& arguments);
std::optional<Answer> get_asking_prompt(Work& work, std::string_view name);

}  // namespace berth::mcp
