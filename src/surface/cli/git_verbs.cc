#include <algorithm>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "surface/cli/diff_text.h"
#include "surface/cli/json_internal.h"
#include "surface/cli/verbs.h"
#include "workspace/git/git_repository.h"

namespace berth::cli {
namespace {

Result<std::unique_ptr<git::GitRepository>> open_repository(Session& session) {
  BERTH_TRY(Workspace * workspace, session.workspace_for(Operation::grep, "."));
  return git::GitRepository::open(session.call(), *workspace);
}

Json baseline_json(const git::Baseline& baseline) {
  return baseline.kind == git::Baseline::Kind::commit ? Json(baseline.commit) : Json(nullptr);
}

Json to_json(const git::FileChange& file) {
  Json object = {{"change", git::change_name(file.change)}};
  put_bytes(object, "path", file.path.text());
  if (file.from) put_bytes(object, "from", file.from->text());
  if (file.old_mode != 0) object["old_mode"] = fmt::format("{:06o}", file.old_mode);
  if (file.new_mode != 0) object["new_mode"] = fmt::format("{:06o}", file.new_mode);
  if (file.added_lines) object["added_lines"] = *file.added_lines;
  if (file.removed_lines) object["removed_lines"] = *file.removed_lines;
  return object;
}

void print_stat(Console& console, const std::vector<git::FileChange>& files) {
  std::int64_t added = 0;
  std::int64_t removed = 0;
  for (const auto& file : files) {
    if (file.added_lines) {
      console.out(Tone::added, fmt::format("{:>7}", fmt::format("+{}", *file.added_lines)));
      console.out(Tone::removed, fmt::format("{:>7}", fmt::format("-{}", *file.removed_lines)));
      added += *file.added_lines;
      removed += *file.removed_lines;
    } else {
      console.out(Tone::dim, fmt::format("{:>14}", "binary"));
    }
    console.out("  ");
    if (file.from) {
      console.out_name(Tone::path, file.from->text());
      console.out(" -> ");
    }
    console.out_name(Tone::path, file.path.text());
    if (file.change != git::Change::modified) {
      console.out(Tone::dim, fmt::format("  ({})", git::change_name(file.change)));
    }
    console.out("\n");
  }
  console.out(fmt::format("{} {} changed, {} {} added, {} removed\n", files.size(),
                          files.size() == 1 ? "file" : "files", added, added == 1 ? "line" : "lines", removed));
}

// What the text does not show must not go unsaid.
void note_gaps(Console& console, const git::Diff& diff, bool text_was_cut) {
  for (const auto& gap : diff.not_shown) {
    console.note(
        fmt::format("berth: not shown: {} ({})", escape_for_terminal(gap.path.text()), git::why_name(gap.why)));
  }
  if (diff.left_out > 0) console.note(fmt::format("berth: {} more changed files were not compared", diff.left_out));
  if (text_was_cut) console.note("berth: the diff is longer than is shown here; see --max-bytes");
}

struct DiffArguments {
  bool stat = false;
  git::DiffOptions options;
};

Result<int> show_diff(Session& session, const DiffArguments& arguments) {
  BERTH_TRY(const auto repository, open_repository(session));
  BERTH_TRY(const auto diff, repository->diff(session.call(), arguments.options));
  if (session.json) {
    Json object = {{"baseline", baseline_json(repository->baseline())}, {"files", Json::array()}};
    for (const auto& file : diff.files) object["files"].push_back(to_json(file));
    if (!arguments.stat) put_bytes(object, "text", diff.text);
    object["truncated"] = diff.truncated;
    object["left_out"] = diff.left_out;
    object["not_shown"] = Json::array();
    for (const auto& gap : diff.not_shown) {
      Json one = path_object(gap.path.text());
      one["why"] = git::why_name(gap.why);
      object["not_shown"].push_back(std::move(one));
    }
    print_json(session, object);
    return 0;
  }
  if (arguments.stat) {
    print_stat(session.console, diff.files);
  } else {
    print_diff(session.console, diff.text);
  }
  note_gaps(session.console, diff, diff.truncated && diff.left_out == 0 && !arguments.stat);
  return 0;
}

Tone tone_of(git::Change change) {
  switch (change) {
    case git::Change::added: return Tone::added;
    case git::Change::deleted: return Tone::removed;
    default: return Tone::match;
  }
}

Result<int> show_status(Session& session) {
  BERTH_TRY(const auto repository, open_repository(session));
  BERTH_TRY(const auto entries, repository->status_paths(session.call()));
  if (session.json) {
    Json object = {{"baseline", baseline_json(repository->baseline())}, {"files", Json::array()}};
    for (const auto& entry : entries) {
      Json one = {{"change", git::change_name(entry.change)}};
      put_bytes(one, "path", entry.path.text());
      one["untracked"] = entry.untracked;
      object["files"].push_back(std::move(one));
    }
    print_json(session, object);
    return 0;
  }
  for (const auto& entry : entries) {
    session.console.out(tone_of(entry.change), fmt::format("{:<12}  ", git::change_name(entry.change)));
    session.console.out_name(Tone::path, entry.path.text());
    if (entry.untracked) session.console.out(Tone::dim, "  (untracked)");
    session.console.out("\n");
  }
  return 0;
}

}  // namespace

void add_git_verbs(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<DiffArguments>();
  auto* diff = app.add_subcommand("diff", "Show what differs from the commit that HEAD names");
  diff->add_flag("--stat", arguments->stat, "Count lines instead of showing them");
  diff->add_option("--max-bytes", arguments->options.max_bytes, "Cut the text after this many bytes (1 MiB)")
      ->type_name("N");
  diff->footer(
      "Untracked files that are not ignored count, whatever is staged does not matter, and nothing that the\n"
      "repository configures is run: no hook, filter, pager or external diff. Needs git and a workspace that runs\n"
      "commands.\n"
      "  berth diff --stat\n"
      "  berth --json diff");
  diff->callback(
      [&session, arguments] { session.action = [&session, arguments] { return show_diff(session, *arguments); }; });

  auto* status = app.add_subcommand("status", "List the files that differ from the commit that HEAD names");
  status->footer("As `berth diff` sees them; a renamed file is a deleted and an added one.");
  status->callback([&session] { session.action = [&session] { return show_status(session); }; });
}

}  // namespace berth::cli
