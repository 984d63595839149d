#include "workspace/git/comparison.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "workspace/git/diff_records.h"
#include "workspace/git/import_stream.h"
#include "workspace/git/record_fields.h"
#include "workspace/git/tree_records.h"
#include "workspace/git/work_tree.h"

namespace berth::git {
namespace {

constexpr std::uint32_t kSubmodule = 0160000;
constexpr std::int64_t kTreeBytes = std::int64_t{256} * 1024 * 1024;
/// What a scratch repository holds need not outlive a crash.
constexpr const char* kNoSync = "core.fsync=none";
constexpr std::array kConversions = {"text", "crlf", "eol", "ident", "working-tree-encoding"};

/// A file whose new side is content.
struct NewFile {
  Path path;
  std::uint32_t mode = 0;
  Bytes content;
};

struct Sides {
  ImportStream before;
  ImportStream after;
  std::vector<NewFile> files;
  std::vector<NotShown> not_shown;
  std::int64_t names = 0;  ///< bytes of all paths
};

/// Whether a conversion could alter the content, whatever the attributes say.
bool may_be_converted(BytesView content) {
  return content.find("$Id") != BytesView::npos || std::any_of(content.begin(), content.end(), [](char byte) {
           return byte == '\r' || byte == '\0' || static_cast<unsigned char>(byte) >= 0x80;
         });
}

/// The paths among the files for which attributes ask for a conversion.
Result<std::set<Bytes>> converted_paths(const GitContext& context, const std::vector<NewFile>& files) {
  Bytes asked;
  for (const auto& file : files) {
    if (may_be_converted(file.content)) asked += file.path.text() + '\0';
  }
  std::set<Bytes> converted;
  if (asked.empty()) return converted;
  GitRun run{.words = {"check-attr", "-z", "--stdin"}, .input = std::move(asked)};
  run.words.insert(run.words.end(), kConversions.begin(), kConversions.end());
  BERTH_TRY(const GitOutput output, context.scratch.run(context.call, std::move(run)));
  if (output.cut || output.exit_code != 0) return make_error(ErrorCode::io, "git cannot read the attributes of files");
  // path NUL attribute NUL value NUL
  std::array<BytesView, 3> fields;
  std::size_t field = 0;
  BytesView rest = output.out;
  while (const auto value = take_field(rest, '\0')) {
    fields[field] = *value;
    if (++field < fields.size()) continue;
    field = 0;
    if (fields[2] != "unspecified" && fields[2] != "unset") converted.insert(Bytes(fields[0]));
  }
  return converted;
}

Bytes full_name(const GitContext& context, const Path& path) { return context.place.prefix + path.text(); }

/// Look at one path and put it on both sides, or say why it is on none.
Result<void> add_candidate(const GitContext& context, const Candidate& candidate, const DiffOptions& options,
                           WorkTree& tree, std::int64_t& budget, Sides& sides) {
  const auto skip = [&](NotShown::Why why) {
    sides.not_shown.push_back({.path = candidate.path, .why = why});
    return Result<void>{};
  };
  if (candidate.nested_repository && candidate.baseline.mode == 0) return skip(NotShown::Why::nested_repository);
  BERTH_TRY(Found found, tree.read(context.call, candidate.path, std::min(options.max_file_bytes, budget)));
  if (found.kind == Found::Kind::hidden) return skip(*found.why);
  if (found.kind == Found::Kind::file && found.why) return skip(*found.why);
  if (found.why) sides.not_shown.push_back({.path = candidate.path, .why = *found.why});

  const Bytes name = full_name(context, candidate.path);
  sides.names += static_cast<std::int64_t>(name.size());
  std::optional<std::string> commit;
  if (found.kind == Found::Kind::directory) {
    BERTH_TRY(commit, submodule_commit(context, candidate.path));
    // A directory of a submodule that was never fetched is as it should be.
    if (!commit && candidate.baseline.mode == kSubmodule) return {};
  }
  if (candidate.baseline.mode != 0) sides.before.put(name, candidate.baseline);
  switch (found.kind) {
    case Found::Kind::file:
      budget -= static_cast<std::int64_t>(found.content.size());
      sides.files.push_back({.path = candidate.path, .mode = found.mode, .content = std::move(found.content)});
      break;
    case Found::Kind::link: sides.after.put(name, found.mode, found.content); break;
    case Found::Kind::directory:
      if (commit) sides.after.put(name, {.mode = kSubmodule, .object = *commit});
      break;
    case Found::Kind::nothing:
    case Found::Kind::hidden: break;
  }
  return {};
}

Result<void> put_files(const GitContext& context, Sides& sides) {
  BERTH_TRY(const auto converted, converted_paths(context, sides.files));
  for (auto& file : sides.files) {
    const Bytes name = full_name(context, file.path);
    if (converted.contains(file.path.text())) {
      BERTH_TRY(std::string object, write_object(context, file.path, file.content, WriteTo::scratch));
      sides.after.put(name, {.mode = file.mode, .object = std::move(object)});
    } else {
      sides.after.put(name, file.mode, file.content);
    }
    file.content = Bytes();
  }
  return {};
}

Result<FileChange> change_of(const DiffRecord& record) {
  FileChange change{.old_mode = record.old_mode,
                    .new_mode = record.new_mode,
                    .added_lines = record.added,
                    .removed_lines = record.removed};
  BERTH_TRY(change.path, path_from_git(record.path));
  if (!record.from.empty()) {
    BERTH_TRY(change.from, path_from_git(record.from));
  }
  switch (record.status) {
    case 'A': change.change = Change::added; break;
    case 'D': change.change = Change::deleted; break;
    case 'R': change.change = Change::renamed; break;
    case 'T': change.change = Change::type_changed; break;
    default: change.change = Change::modified; break;
  }
  return change;
}

/// Tell which candidates differ by the names of their objects alone: what the baseline held need not be there to be
/// read, as in a partial clone.
Result<std::vector<FileChange>> changed_paths(const GitContext& context, std::span<const Candidate> candidates,
                                              const std::vector<NotShown>& not_shown, Bytes after) {
  BERTH_TRY(const GitOutput imported, context.scratch.run(context.call, {.words = {"fast-import", "--quiet", "--force"},
                                                                         .input = std::move(after),
                                                                         .settings = {kNoSync}}));
  if (imported.cut || imported.exit_code != 0) return make_error(ErrorCode::io, "git cannot write objects");
  BERTH_TRY(const GitOutput listed,
            context.scratch.run(context.call, {.words = {"ls-tree", "-r", "-z", "--full-tree", "refs/heads/after"},
                                               .max_output = kTreeBytes}));
  if (listed.cut || listed.exit_code != 0) return make_error(ErrorCode::io, "git cannot list a tree");
  BERTH_TRY(const auto entries, parse_tree(listed.out));

  std::vector<FileChange> files;
  for (const auto& candidate : candidates) {
    if (std::any_of(not_shown.begin(), not_shown.end(),
                    [&](const NotShown& other) { return other.path == candidate.path; })) {
      continue;
    }
    const auto found = entries.find(full_name(context, candidate.path));
    const GitEntry now = found == entries.end() ? GitEntry{} : found->second;
    if (now == candidate.baseline) continue;
    // A submodule that is not fetched is on no side.
    if (candidate.baseline.mode == kSubmodule && now.mode == 0 && candidate.unstaged != 'D') continue;
    constexpr std::uint32_t kType = 0170000;
    files.push_back({.change = candidate.baseline.mode == 0                              ? Change::added
                               : now.mode == 0                                           ? Change::deleted
                               : (now.mode & kType) != (candidate.baseline.mode & kType) ? Change::type_changed
                                                                                         : Change::modified,
                     .path = candidate.path,
                     .from = {},
                     .old_mode = candidate.baseline.mode,
                     .new_mode = now.mode});
  }
  return files;
}

/// Git reads attributes from the index where those of the work tree are gone. Nothing else of an index plays a part
/// when trees are compared. Gone from below the root, they are among what differs.
bool may_need_index(const GitContext& context, std::span<const Candidate> candidates) {
  if (!context.place.prefix.empty() || !context.not_checked_out.empty()) return true;
  return std::any_of(candidates.begin(), candidates.end(),
                     [](const Candidate& candidate) { return candidate.path.name() == ".gitattributes"; });
}

/// Cut to a bound at the end of a line.
bool cut(Bytes& text, std::int64_t max_bytes) {
  if (static_cast<std::int64_t>(text.size()) <= max_bytes) return false;
  const auto newline = max_bytes == 0 ? Bytes::npos : text.rfind('\n', static_cast<std::size_t>(max_bytes) - 1);
  text.resize(newline == Bytes::npos ? 0 : newline + 1);
  return true;
}

}  // namespace

Result<std::string> write_object(const GitContext& context, const Path& path, const Bytes& content, WriteTo where) {
  // The path is relative to the directory git runs in, the workspace's root.
  GitRun run{.words = {"hash-object", "-w", "--stdin", "--path=" + path.text()}, .input = content};
  BERTH_TRY(const GitOutput output, where == WriteTo::scratch
                                        ? context.scratch.run(context.call, std::move(run))
                                        : context.scratch.run_for_repository(context.call, std::move(run)));
  if (output.cut || output.exit_code != 0) return make_error(ErrorCode::io, "git cannot write an object");
  return std::string(without_newline(output.out));
}

Result<std::optional<std::string>> submodule_commit(const GitContext& context, const Path& path) {
  const Bytes directory = (context.place.top == "/" ? "" : context.place.top) + "/" + full_name(context, path);
  BERTH_TRY(const GitOutput output,
            run_git(context.call, context.workspace, {.git_dir = directory + "/.git", .work_tree = directory},
                    {.words = {"rev-parse", "--verify", "--quiet", "HEAD"}}));
  if (output.cut || output.exit_code != 0) return std::optional<std::string>{};
  const auto commit = without_newline(output.out);
  const std::size_t digits = context.place.object_format == "sha256" ? 64 : 40;
  if (commit.size() != digits || commit.find_first_not_of("0123456789abcdef") != BytesView::npos) {
    return std::optional<std::string>{};
  }
  return std::optional<std::string>{std::string(commit)};
}

Result<Diff> compare(const GitContext& context, std::span<const Candidate> candidates, const DiffOptions& options,
                     Detail detail) {
  Diff diff;
  const bool needs_index = may_need_index(context, candidates);
  if (static_cast<std::int64_t>(candidates.size()) > options.max_files) {
    diff.left_out = static_cast<std::int64_t>(candidates.size()) - options.max_files;
    diff.truncated = true;
    candidates = candidates.first(static_cast<std::size_t>(options.max_files));
  }
  if (candidates.empty()) return diff;

  Sides sides;
  sides.before.begin("before");
  sides.after.begin("after");
  WorkTree tree(context.workspace);
  auto budget = options.max_content_bytes;
  for (const auto& candidate : candidates) {
    BERTH_CHECK(context.call.check());
    BERTH_CHECK(add_candidate(context, candidate, options, tree, budget, sides));
  }
  BERTH_CHECK(put_files(context, sides));
  diff.not_shown = std::move(sides.not_shown);

  if (detail == Detail::paths) {
    BERTH_TRY(diff.files, changed_paths(context, candidates, diff.not_shown, sides.after.take()));
    return diff;
  }

  // Past this size content is binary to git: it is never held in memory to be compared.
  const std::vector<Bytes> settings = {"core.bigFileThreshold=" + std::to_string(options.max_file_bytes + 1), kNoSync};
  BERTH_TRY(const GitOutput imported,
            context.scratch.run(context.call, {.words = {"fast-import", "--quiet", "--force"},
                                               .input = sides.before.take() + sides.after.take(),
                                               .settings = settings}));
  if (imported.cut || imported.exit_code != 0) {
    auto error = make_error(ErrorCode::io, "git cannot read what the baseline holds of the changed files");
    error.hint = "objects are missing or damaged; `git fsck` names them, `git fetch` completes a partial clone";
    return error;
  }

  // Records come first and are counted generously, so that a cut never hits them.
  const auto records = 4 * sides.names + 400 * static_cast<std::int64_t>(candidates.size()) + 65536;
  GitRun run{.words = {"diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--no-color",
                       "--ignore-submodules=dirty", "--numstat", "-p", "-M", "-l1000", "--unified=3", "--src-prefix=a/",
                       "--dst-prefix=b/", "--submodule=short", "--diff-algorithm=myers"},
             .max_output = records + options.max_bytes + 1,
             .settings = settings};
  if (!context.place.prefix.empty()) run.words.push_back("--relative=" + context.place.prefix);
  run.words.insert(run.words.end(), {"refs/heads/before", "refs/heads/after"});
  BERTH_TRY(GitOutput compared, needs_index ? context.scratch.run(context.call, std::move(run))
                                            : context.scratch.run_without_index(context.call, std::move(run)));
  if (!compared.cut && compared.exit_code != 0) return make_error(ErrorCode::io, "git cannot compare two trees");
  BERTH_TRY(DiffOutput output, parse_diff(std::move(compared.out)));
  for (const auto& record : output.records) {
    BERTH_TRY(FileChange change, change_of(record));
    diff.files.push_back(std::move(change));
  }
  std::sort(diff.files.begin(), diff.files.end(),
            [](const FileChange& left, const FileChange& right) { return left.path < right.path; });
  diff.text = std::move(output.patch);
  if (cut(diff.text, options.max_bytes) || compared.cut) diff.truncated = true;
  return diff;
}

}  // namespace berth::git
