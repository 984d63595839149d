#include "workspace/patch/patch_names.h"

#include <algorithm>

#include "workspace/patch/patch_errors.h"

namespace berth {
namespace {

constexpr BytesView kNull = "/dev/null";

bool is_octal(char c) noexcept { return c >= '0' && c <= '7'; }

std::optional<char> plain_escape(char c) noexcept {
  switch (c) {
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    case '\\':
    case '"': return c;
    default: return std::nullopt;
  }
}

/// `.git`, however it is written, and the short name that some file systems give it.
bool is_git_directory(std::string_view name) {
  std::string folded(name);
  std::ranges::transform(folded, folded.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return folded == ".git" || folded == "git~1";
}

}  // namespace

std::optional<Unquoted> try_unquote(BytesView quoted) {
  Unquoted result;
  for (std::size_t i = 1; i < quoted.size(); ++i) {
    const char c = quoted[i];
    if (c == '"') {
      result.length = i + 1;
      return result;
    }
    if (c != '\\') {
      result.name.push_back(c);
      continue;
    }
    if (++i == quoted.size()) return std::nullopt;
    if (const auto plain = plain_escape(quoted[i])) {
      result.name.push_back(*plain);
      continue;
    }
    // Three octal digits, as git writes them; the first one keeps the value within a byte.
    if (i + 2 >= quoted.size() || quoted[i] > '3' || !is_octal(quoted[i]) || !is_octal(quoted[i + 1]) ||
        !is_octal(quoted[i + 2])) {
      return std::nullopt;
    }
    result.name.push_back(
        static_cast<char>((quoted[i] - '0') * 64 + (quoted[i + 1] - '0') * 8 + (quoted[i + 2] - '0')));
    i += 2;
  }
  return std::nullopt;
}

std::optional<HeaderName> try_header_name(BytesView rest) {
  if (rest.starts_with('"')) {
    auto unquoted = try_unquote(rest);
    if (!unquoted) return std::nullopt;
    const BytesView after = rest.substr(unquoted->length);
    if (!after.empty() && after.front() != '\t' && after.front() != ' ') return std::nullopt;
    return HeaderName{std::move(unquoted->name), false};
  }
  if (rest.starts_with(kNull) &&
      (rest.size() == kNull.size() || rest[kNull.size()] == '\t' || rest[kNull.size()] == ' ')) {
    return HeaderName{Bytes(kNull), true};
  }
  // A name with a TAB in it is quoted; with two of them nobody knows where an unquoted one ends.
  const auto tab = rest.find('\t');
  if (tab != BytesView::npos && rest.find('\t', tab + 1) != BytesView::npos) return std::nullopt;
  return HeaderName{Bytes(rest.substr(0, tab)), false};
}

PrefixedName split_prefix(BytesView text) {
  const auto slash = text.find('/');
  if (slash == BytesView::npos) return {{}, Bytes(text)};
  BytesView name = text.substr(slash);
  // As git does: several slashes count as one.
  while (name.starts_with('/')) name.remove_prefix(1);
  return {Bytes(text.substr(0, slash)), Bytes(name)};
}

bool is_diff_prefix(BytesView component) noexcept {
  return component.size() == 1 && BytesView("abciow12").find(component.front()) != BytesView::npos;
}

Result<Path> patch_path(BytesView name) {
  if (name.starts_with('/')) return patch_rejected(PatchReason::escapes, "the path is absolute").at(name);
  auto parsed = parse_path(name, {}, {.dot_dot = PathRules::DotDot::collapse});
  if (!parsed) {
    const auto reason = parsed.error().code == ErrorCode::path_escape ? PatchReason::escapes : PatchReason::bad_name;
    return patch_rejected(reason, parsed.error().message).at(name);
  }
  // Nobody writes `..` into a patch but to get somewhere.
  if (!parse_path(name, {}, {.dot_dot = PathRules::DotDot::refuse})) {
    return patch_rejected(PatchReason::escapes, "the path holds `..`").at(name);
  }
  if (parsed->is_root()) return patch_rejected(PatchReason::bad_name, "the path names no file").at(name);
  if (std::ranges::any_of(parsed->components(), is_git_directory)) {
    return patch_rejected(PatchReason::git_directory, "a patch does not change what git keeps for itself").at(name);
  }
  return parsed;
}

}  // namespace berth
