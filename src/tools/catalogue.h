#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "policy/rules/rule_set.h"
#include "tools/harness_options.h"
#include "tools/tool.h"
#include "workspace/workspace.h"

namespace berth::tools {

/// Whose tool names, arguments and line layouts to speak. Chosen at start, so that agents and parsers carry over.
enum class Profile {
  plain,       ///< ours
  console,     ///< those of pydantic-ai-backends' console tools
  harness,     ///< those of the pydantic-ai harness
  filesystem,  ///< those of the reference MCP filesystem server
};

/// `nullopt` for a name that is no profile.
std::optional<Profile> profile_named(std::string_view name);
std::string_view profile_name(Profile profile);

struct CatalogueOptions {
  /// How `console` edits: by text, or by line numbers with hashes.
  enum class EditFormat { str_replace, hashline };

  Profile profile = Profile::plain;
  EditFormat edit_format = EditFormat::str_replace;
  HarnessOptions harness;
  /// Offer only these, by name; empty: all, of `harness` those that it offers without being asked.
  std::vector<std::string> only;
  /// What calls will be permitted by; null: no rules.
  std::shared_ptr<const RuleSet> rules;
};

/// The tools that one workspace is offered, in one stable order. A tool whose needs the workspace does not meet is
/// absent: a read-only one has nothing that writes or executes. So is one of which rules deny every use; what they ask
/// about is there. Immutable; safe from many threads.
class Catalogue {
 public:
  /// `invalid_argument` when `only` names what does not exist.
  static Result<std::unique_ptr<Catalogue>> make(const CatalogueOptions& options, const Capabilities& capabilities);

  std::span<const std::unique_ptr<Tool>> tools() const noexcept { return tools_; }
  /// Null when there is none of that name.
  const Tool* find(std::string_view name) const noexcept;

 private:
  explicit Catalogue(std::vector<std::unique_ptr<Tool>> tools) : tools_(std::move(tools)) {}

  std::vector<std::unique_ptr<Tool>> tools_;
};

}  // namespace berth::tools
