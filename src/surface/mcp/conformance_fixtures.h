#pragma once

#include "surface/mcp/service.h"

namespace berth::mcp {

/// The tools, prompts and resources that the protocol's conformance runner calls by name. For tests alone: a hidden
/// option of the program adds them.
class ConformanceFixtures final : public Extras {
 public:
  void list_tools(Json& tools) const override;
  void list_prompts(Json& prompts) const override;
  void list_resources(Json& resources) const override;
  void list_templates(Json& templates) const override;

  std::optional<Answer> call_tool(Work& work, std::string_view name, const Json& arguments) const override;
  std::optional<Answer> get_prompt(Work& work, std::string_view name, const Json& arguments) const override;
  std::optional<Answer> read_resource(Work& work, std::string_view uri) const override;
  bool has_resource(std::string_view uri) const override;
  std::optional<Answer> complete(const Json& reference, const Json& argument) const override;
};

}  // namespace berth::mcp
