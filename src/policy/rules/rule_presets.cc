#include <algorithm>

#include "policy/rules/rule_spec.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 22> kSecrets{"**/.env",
                                                    "**/.env.*",
                                                    "**/*.pem",
                                                    "**/*.key",
                                                    "**/*.crt",
                                                    "**/credentials*",
                                                    "**/secrets*",
                                                    "**/*secret*",
                                                    "**/*password*",
                                                    "**/.aws/**",
                                                    "**/.ssh/**",
                                                    "**/.gnupg/**",
                                                    "**/id_rsa",
                                                    "**/id_ecdsa",
                                                    "**/id_ed25519",
                                                    "**/.netrc",
                                                    "**/.npmrc",
                                                    "**/.pypirc",
                                                    "**/.pgpass",
                                                    "**/.kube/**",
                                                    "**/.git-credentials",
                                                    "**/.docker/config.json"};

constexpr std::array<std::string_view, 8> kSystem{"/etc/**",  "/var/**",  "/usr/**", "/bin/**",
                                                  "/sbin/**", "/boot/**", "/sys/**", "/proc/**"};

// Whole commands: `**` is any text, `[*]` a star.
constexpr std::array<std::string_view, 13> kDangerous{
    "rm -rf /",      "rm -rf /[*]",    "rm -fr /",         "rm -fr /[*]", "rm -rf --no-preserve-root /**",
    ":(){ :|:& };:", ":(){:|:&};:",    "dd **of=/dev/**",  "mkfs**",      "**> /dev/sd**",
    "**>/dev/sd**",  "chmod -R 777 /", "chmod -R 777 /[*]"};

constexpr std::array<RuleGroup, 3> kGroups{{
    {.name = "secrets", .description = "this looks like a secret", .patterns = kSecrets},
    {.name = "system", .description = "this belongs to the system", .patterns = kSystem},
    {.name = "dangerous",
     .description = "this command destroys a machine",
     .patterns = kDangerous,
     .of_commands = true},
}};

constexpr std::array<std::string_view, 4> kPresetNames{"default", "permissive", "readonly", "strict"};

Rule denies(std::string_view group) {
  return {.pattern = {}, .group = std::string(group), .action = RuleAction::deny, .description = {}};
}

RuleSpec set(RuleAction fallback, RuleAction reads, RuleAction changes, RuleAction finds) {
  RuleSpec spec{.fallback = fallback, .operations = {}};
  spec.of(Operation::read) = {reads, {denies("secrets")}};
  spec.of(Operation::write) = {changes, {denies("secrets")}};
  spec.of(Operation::edit) = {changes, {denies("secrets")}};
  spec.of(Operation::execute) = {changes, {denies("dangerous")}};
  for (const auto operation : {Operation::glob, Operation::grep, Operation::ls}) spec.of(operation) = {finds, {}};
  return spec;
}

RuleSpec permissive() {
  auto spec = set(RuleAction::allow, RuleAction::allow, RuleAction::allow, RuleAction::allow);
  for (const auto operation : {Operation::write, Operation::edit}) spec.of(operation).rules.push_back(denies("system"));
  return spec;
}

RuleSpec readonly() {
  auto spec = set(RuleAction::deny, RuleAction::allow, RuleAction::deny, RuleAction::allow);
  for (const auto operation : {Operation::write, Operation::edit, Operation::execute}) spec.of(operation).rules.clear();
  return spec;
}

}  // namespace

std::span<const RuleGroup> rule_groups() noexcept { return kGroups; }

const RuleGroup* rule_group(std::string_view name) noexcept {
  const auto* found = std::ranges::find(kGroups, name, &RuleGroup::name);
  return found == kGroups.end() ? nullptr : found;
}

std::span<const std::string_view> rule_preset_names() noexcept { return kPresetNames; }

std::optional<RuleSpec> rule_preset(std::string_view name) {
  if (name == "default") return set(RuleAction::ask, RuleAction::allow, RuleAction::ask, RuleAction::allow);
  if (name == "permissive") return permissive();
  if (name == "readonly") return readonly();
  if (name == "strict") return set(RuleAction::ask, RuleAction::ask, RuleAction::ask, RuleAction::ask);
  return std::nullopt;
}

}  // namespace berth
