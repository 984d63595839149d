#include "tools/catalogue.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tools/console/console_tools.h"
#include "tools/filesystem/filesystem_tools.h"
#include "tools/harness/harness_tools.h"
#include "tools/plain_tools.h"

namespace berth::tools {
namespace {

constexpr std::array<std::pair<Profile, std::string_view>, 4> kProfiles = {{{Profile::plain, "plain"},
                                                                            {Profile::console, "console"},
                                                                            {Profile::harness, "harness"},
                                                                            {Profile::filesystem, "filesystem"}}};

std::vector<std::unique_ptr<Tool>> tools_of(const CatalogueOptions& options) {
  switch (options.profile) {
    case Profile::plain: return plain_tools();
    case Profile::console: return console_tools(options);
    case Profile::harness: return harness_tools(options);
    case Profile::filesystem: return filesystem_tools();
  }
  return {};
}

bool meets(const ToolNeeds& needs, const Capabilities& has) {
  return (!needs.reads || has.read_files) && (!needs.writes || has.write_files) &&
         (!needs.commands || has.run_commands) && (!needs.search || has.search_files) && (!needs.jobs || has.jobs) &&
         (!needs.transactions || has.transactions);
}

// Whatever runs commands needs them besides what else it does: git is a command too.
bool is_permitted(const ToolInfo& info, const RuleSet& rules) {
  const bool runs = info.needs.commands || info.needs.jobs;
  if (runs && !rules.offers(Operation::execute)) return false;
  // One that names no use asks for no leave either, and has no place where leave is needed.
  return std::ranges::any_of(info.uses, [&](Operation use) { return rules.offers(use); });
}

}  // namespace

std::optional<Profile> profile_named(std::string_view name) {
  for (const auto& [profile, known] : kProfiles) {
    if (known == name) return profile;
  }
  return std::nullopt;
}

std::string_view profile_name(Profile profile) {
  for (const auto& [known, name] : kProfiles) {
    if (known == profile) return name;
  }
  return "";
}

Result<std::unique_ptr<Catalogue>> Catalogue::make(const CatalogueOptions& options, const Capabilities& capabilities) {
  auto tools = tools_of(options);
  for (const auto& wanted : options.only) {
    if (std::none_of(tools.begin(), tools.end(), [&](const auto& tool) { return tool->info().name == wanted; })) {
      return make_error(ErrorCode::invalid_argument,
                        fmt::format("the profile `{}` has no tool `{}`", profile_name(options.profile), wanted));
    }
  }
  std::erase_if(tools, [&](const auto& tool) {
    const auto& info = tool->info();
    const bool wanted =
        options.only.empty() || std::find(options.only.begin(), options.only.end(), info.name) != options.only.end();
    return !wanted || !meets(info.needs, capabilities) || (options.rules && !is_permitted(info, *options.rules));
  });
  return std::unique_ptr<Catalogue>(new Catalogue(std::move(tools)));
}

const Tool* Catalogue::find(std::string_view name) const noexcept {
  for (const auto& tool : tools_) {
    if (tool->info().name == name) return tool.get();
  }
  return nullptr;
}

}  // namespace berth::tools
