#include "path/sensitive_globs.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "path/wildcard.h"

namespace berth {
namespace {

constexpr WildcardRules kRules{.slash = WildcardRules::Slash::crosses, .letter_case = WildcardRules::Case::folded};

std::string fold(std::string_view text) {
  std::string folded(text);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return folded;
}

/// Globs of one list, sorted by how they can be matched.
struct GlobList {
  std::unordered_set<std::string> names;
  std::vector<std::string> prefixes;
  std::vector<std::string> suffixes;
  std::vector<Wildcard> components;
  std::vector<Wildcard> paths;

  bool empty() const noexcept {
    return names.empty() && prefixes.empty() && suffixes.empty() && components.empty() && paths.empty();
  }

  Result<void> add(std::string_view as_written) {
    std::string_view glob = as_written;
    while (glob.starts_with("./")) glob.remove_prefix(2);
    while (glob.size() > 1 && glob.ends_with('/')) glob.remove_suffix(1);
    const bool has_slash = glob.find('/') != std::string_view::npos;
    if (glob.starts_with('/')) glob.remove_prefix(1);
    auto compiled = Wildcard::try_compile(glob, kRules);
    if (glob.empty() || !compiled) {
      return make_error(ErrorCode::invalid_argument,
                        glob.empty() ? "a glob of the policy is empty" : "a glob of the policy holds a reversed range")
          .with("glob", std::string(as_written));
    }
    if (has_slash) {
      paths.push_back(std::move(*compiled));
      return {};
    }
    const auto wild = glob.find_first_of("*?[");
    if (wild == std::string_view::npos) {
      names.insert(fold(glob));
    } else if (glob[wild] == '*' && wild == glob.size() - 1) {
      prefixes.push_back(fold(glob.substr(0, wild)));
    } else if (wild == 0 && glob[0] == '*' && glob.find_first_of("*?[", 1) == std::string_view::npos) {
      suffixes.push_back(fold(glob.substr(1)));
    } else {
      components.push_back(std::move(*compiled));
    }
    return {};
  }

  bool matches_component(const std::string& folded) const {
    return names.contains(folded) ||
           std::ranges::any_of(prefixes, [&](const auto& prefix) { return folded.starts_with(prefix); }) ||
           std::ranges::any_of(suffixes, [&](const auto& suffix) { return folded.ends_with(suffix); }) ||
           std::ranges::any_of(components, [&](const auto& glob) { return glob.matches(folded); });
  }

  /// The lengths of all parents of the path, and of the path itself, that a glob with a slash matches; sorted.
  std::vector<std::size_t> matching_prefixes(std::string_view path) const {
    std::vector<std::size_t> lengths;
    for (const auto& glob : paths) {
      glob.find_prefixes(path, [&](std::size_t length) { lengths.push_back(length); });
    }
    std::ranges::sort(lengths);
    return lengths;
  }
};

}  // namespace

struct SensitiveGlobs::Program {
  GlobList deny;
  GlobList allow;
};

SensitiveGlobs::SensitiveGlobs(std::unique_ptr<const Program> program) : program_(std::move(program)) {}
SensitiveGlobs::~SensitiveGlobs() = default;
SensitiveGlobs::SensitiveGlobs(SensitiveGlobs&&) noexcept = default;
SensitiveGlobs& SensitiveGlobs::operator=(SensitiveGlobs&&) noexcept = default;

Result<SensitiveGlobs> SensitiveGlobs::compile(std::span<const std::string> deny, std::span<const std::string> allow) {
  auto program = std::make_unique<Program>();
  for (const auto& glob : deny) BERTH_CHECK(program->deny.add(glob));
  for (const auto& glob : allow) BERTH_CHECK(program->allow.add(glob));
  return SensitiveGlobs(std::move(program));
}

bool SensitiveGlobs::empty() const noexcept { return program_->deny.empty(); }

bool SensitiveGlobs::matches(std::string_view path) const {
  if (path.empty() || path == "." || empty()) return false;
  const auto denied_lengths = program_->deny.matching_prefixes(path);
  // Most paths are denied nowhere, so the allow globs are looked at only then.
  std::optional<std::vector<std::size_t>> allowed_lengths;
  std::string component;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    component = fold(path.substr(begin, end - begin));
    begin = end + 1;
    const bool denied = std::ranges::binary_search(denied_lengths, end) || program_->deny.matches_component(component);
    if (!denied) continue;
    if (!allowed_lengths) {
      allowed_lengths = program_->allow.matching_prefixes(path);
      if (std::ranges::binary_search(*allowed_lengths, path.size())) return false;
    }
    if (!std::ranges::binary_search(*allowed_lengths, end) && !program_->allow.matches_component(component))
      return true;
  }
  return false;
}

}  // namespace berth
