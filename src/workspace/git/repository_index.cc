#include "workspace/git/repository_index.h"

#include <charconv>
#include <chrono>
#include <utility>

namespace berth::git {
namespace {

// 256 MiB hold an index of two million files.
constexpr std::int64_t kIndexBytes = std::int64_t{256} * 1024 * 1024;
constexpr std::string_view kBelowRoot = ".git/index";

// $1 the index. Seconds first.
constexpr std::string_view kFind = R"sh(exec stat -c '%Y %i %s %y %z' -- "$1")sh";
constexpr std::string_view kRead = R"sh(exec cat -- "$1")sh";

bool is_below_root(const GitContext& context) {
  return context.place.prefix.empty() &&
         context.place.git_dir == (context.place.top == "/" ? "" : context.place.top) + "/.git";
}

std::optional<Bytes> output_of(const GitContext& context, std::string_view script) {
  auto output =
      run_script(context.call, context.workspace, script, {context.place.git_dir + "/index"}, {}, kIndexBytes);
  if (!output || output->cut || output->exit_code != 0) return std::nullopt;
  return std::move(output->out);
}

}  // namespace

std::optional<IndexState> find_index(const GitContext& context) {
  if (is_below_root(context)) {
    const auto found = context.workspace.stat(context.call, kBelowRoot);
    if (!found || found->kind != FileKind::file) return std::nullopt;
    const auto seconds = std::chrono::floor<std::chrono::seconds>(found->modified_at);
    return IndexState{.time = seconds.time_since_epoch().count(), .identity = found->token.text()};
  }
  const auto line = output_of(context, kFind);
  if (!line) return std::nullopt;
  IndexState state{.identity = *line};
  const auto [end, failure] = std::from_chars(line->data(), line->data() + line->size(), state.time);
  if (failure != std::errc() || end == line->data() + line->size() || *end != ' ') return std::nullopt;
  return state;
}

std::optional<Bytes> read_index(const GitContext& context) {
  if (!is_below_root(context)) return output_of(context, kRead);
  auto page = context.workspace.read(context.call, kBelowRoot,
                                     {.offset = 0, .max_bytes = kIndexBytes, .want_revision = WantRevision::no});
  if (!page || page->truncated) return std::nullopt;
  return std::move(page->content);
}

}  // namespace berth::git
