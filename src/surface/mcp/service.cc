#include "surface/mcp/service.h"

#include <algorithm>
#include <utility>

#include "surface/mcp/protocol/content.h"

namespace berth::mcp {

Service::Service(Workspace& workspace, std::vector<const tools::Tool*> offered, ServiceOptions options,
                 const Extras* extras)
    : workspace_(workspace),
      tools_(std::move(offered)),
      options_(std::move(options)),
      extras_(extras),
      offers_resources_(workspace.capabilities().read_files && workspace.capabilities().search_files),
      server_info_({{"name", "berth"}, {"title", "Berth"}, {"version", options_.version}}),
      waiting_questions_(options_.max_waiting_questions),
      states_(options_.max_request_states, options_.answer_within),
      watch_(workspace, options_.watch),
      workers_(options_.workers) {
  for (const auto* tool : tools_) tool_entries_.push_back(tool_entry(tool->info()));
  if (extras_ != nullptr) extras_->list_tools(tool_entries_);
  const bool changing = extras_ != nullptr;
  capabilities_ = Json::object();
  capabilities_["tools"] = {{"listChanged", changing}};
  if (offers_resources_ || extras_ != nullptr) {
    capabilities_["resources"] = {{"subscribe", true}, {"listChanged", false}};
  }
  capabilities_["prompts"] = {{"listChanged", changing}};
  capabilities_["completions"] = Json::object();
  capabilities_["logging"] = Json::object();
}

const tools::Tool* Service::find_tool(std::string_view name) const noexcept {
  const auto found =
      std::find_if(tools_.begin(), tools_.end(), [name](const auto* tool) { return tool->info().name == name; });
  return found == tools_.end() ? nullptr : *found;
}

}  // namespace berth::mcp
