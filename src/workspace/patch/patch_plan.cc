#include "workspace/patch/patch_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "workspace/edit/edit.h"
#include "workspace/patch/hunks.h"
#include "workspace/patch/patch_errors.h"

namespace berth {
namespace {

using Kind = PatchOperation::Kind;

/// A new file, told by a hunk without old lines as plain diffs tell it.
const UnifiedHunk* only_adds(const PatchOperation& operation) {
  const auto* hunks = std::get_if<std::vector<UnifiedHunk>>(&operation.change);
  if (operation.kind != Kind::update || hunks == nullptr || hunks->size() != 1) return nullptr;
  const UnifiedHunk& hunk = hunks->front();
  const bool adds = hunk.old_line == 0 && std::ranges::all_of(hunk.lines, [](const HunkLine& line) {
                      return line.kind == HunkLine::Kind::added;
                    });
  return adds ? &hunk : nullptr;
}

Result<Bytes> changed(const PatchedSource& source, const ContentChange& change) {
  struct Visitor {
    const Bytes& content;

    Result<Bytes> operator()(std::monostate) const { return content; }
    Result<Bytes> operator()(const std::vector<Edit>& edits) const {
      BERTH_TRY(auto edited, apply_edits(content, edits));
      return std::move(edited.content);
    }
    Result<Bytes> operator()(const std::vector<UnifiedHunk>& hunks) const {
      return apply_unified_hunks(content, hunks);
    }
    Result<Bytes> operator()(const std::vector<BlockHunk>& hunks) const { return apply_block_hunks(content, hunks); }
  };
  return std::visit(Visitor{source.content}, change);
}

/// What a failed look means for a file that is to be changed.
Error unusable(Error error) {
  switch (error.code) {
    case ErrorCode::is_a_directory: return patch_rejected(PatchReason::not_a_file, "a directory stands there");
    case ErrorCode::not_regular:
      return patch_rejected(PatchReason::not_a_file, "what stands there is not a regular file");
    case ErrorCode::path_escape: return patch_rejected(PatchReason::beyond_link, "a link stands in the path");
    case ErrorCode::not_a_directory:
      return patch_rejected(PatchReason::missing_file, "a file stands where a directory would be");
    case ErrorCode::too_large: return patch_rejected(PatchReason::too_large, "the file is larger than one read may be");
    default: return error;
  }
}

/// What it means for a file that is to be made.
Error not_free(Error error) {
  switch (error.code) {
    case ErrorCode::is_a_directory: return patch_rejected(PatchReason::in_the_way, "a directory stands there");
    case ErrorCode::not_regular:
    case ErrorCode::too_large: return patch_rejected(PatchReason::file_exists, "something stands there already");
    case ErrorCode::path_escape: return patch_rejected(PatchReason::beyond_link, "a link stands in the path");
    case ErrorCode::not_a_directory:
      return patch_rejected(PatchReason::in_the_way, "a file stands where a directory is needed");
    default: return error;
  }
}

class Planner {
 public:
  Planner(const Call& call, const Patch& patch, PatchFiles& files) : call_(call), patch_(patch), files_(files) {
    for (const auto& operation : patch.operations) {
      if (operation.kind == Kind::remove || operation.kind == Kind::move) gone_.insert(operation.path);
      if (operation.kind != Kind::remove) made_.insert(operation.target());
    }
  }

  Result<PatchPlan> run() {
    BERTH_CHECK(check_operations(patch_));
    BERTH_CHECK(read_names());
    std::vector<std::string> rejections;
    std::optional<Error> first;
    for (const auto& operation : patch_.operations) {
      BERTH_CHECK(call_.check());
      auto planned = plan(operation);
      if (planned) continue;
      Error error = std::move(planned).error().at(operation.path.text());
      rejections.push_back(decode_utf8(error.path).text + ": " + error.message);
      if (!first) first = std::move(error);
    }
    if (first) {
      if (rejections.size() > 1) return std::move(*first).with("rejections", std::move(rejections));
      return *std::move(first);
    }
    PatchPlan plan;
    for (auto& [path, change] : changes_) plan.changes.push_back(std::move(change));
    return plan;
  }

 private:
  enum class NewFile { no, yes };

  /// How the names without a prefix are meant: as written when a file of that name is to be changed and the other
  /// reading names none. That holds for the whole patch.
  Result<void> read_names() {
    for (const auto& operation : patch_.operations) {
      if (!operation.without_first || operation.kind == Kind::create) continue;
      BERTH_TRY(const bool as_written, is_there(operation.path));
      BERTH_TRY(const bool stripped, is_there(*operation.without_first));
      if (stripped || made_.contains(*operation.without_first)) {
        unclear_.insert(operation.path);
      } else if (as_written) {
        names_are_as_written_ = true;
      }
    }
    return {};
  }

  /// Whether a file may be meant: something that is not a directory stands there.
  Result<bool> is_there(const Path& path) {
    BERTH_CHECK(call_.check());
    const auto there = files_.look(call_, path);
    if (there) return there->has_value();
    const auto code = there.error().code;
    if (code == ErrorCode::timed_out || code == ErrorCode::cancelled) return there.error();
    return code != ErrorCode::is_a_directory && code != ErrorCode::not_a_directory && code != ErrorCode::not_found;
  }

  Result<void> require_clear_name(const PatchOperation& operation, NewFile is_new) const {
    if (!operation.without_first) return {};
    if (!unclear_.contains(operation.path) && (is_new == NewFile::no || names_are_as_written_)) return {};
    auto error =
        patch_rejected(PatchReason::no_prefix, "the name has no prefix as a/ or b/, and may mean `" +
                                                   decode_utf8(operation.without_first->text()).text + "` as well");
    const auto name = decode_utf8(operation.path.text()).text;
    error.hint = "write the names as a/" + name + " and b/" + name;
    return error;
  }

  Result<void> plan(const PatchOperation& operation) {
    BERTH_CHECK(require_clear_name(operation, operation.kind == Kind::create ? NewFile::yes : NewFile::no));
    if (operation.kind == Kind::create) return create(operation, operation.content);
    auto source = files_.look(call_, operation.path);
    if (!source) return unusable(std::move(source).error());
    if (!*source) {
      if (const UnifiedHunk* hunk = only_adds(operation)) {
        BERTH_CHECK(require_clear_name(operation, NewFile::yes));
        Bytes content;
        for (const auto& line : hunk->lines) content += line.text;
        return create(operation, std::move(content));
      }
      return patch_rejected(PatchReason::missing_file, "there is no such file");
    }
    if (operation.expected_revision && *operation.expected_revision != (*source)->revision) {
      return make_error(ErrorCode::revision_mismatch, "the file was changed since that revision")
          .with("expected_revision", operation.expected_revision->text)
          .with("actual_revision", (*source)->revision.text);
    }
    BERTH_TRY(Bytes content, changed(**source, operation.change));
    switch (operation.kind) {
      case Kind::create: break;
      case Kind::remove: {
        // A diff takes every line away; the other forms delete what is there.
        if (!std::holds_alternative<std::monostate>(operation.change) && !content.empty()) {
          return patch_rejected(PatchReason::file_remains, "the file holds more than the patch takes away");
        }
        change_at(operation.path).before = std::move(**source);
        break;
      }
      case Kind::update: {
        FileChange& change = change_at(operation.path);
        change.before = std::move(**source);
        change.after = std::move(content);
        change.git_mode = operation.git_mode;
        break;
      }
      case Kind::move:
      case Kind::copy: return move_or_copy(operation, std::move(**source), std::move(content));
    }
    return {};
  }

  Result<void> move_or_copy(const PatchOperation& operation, PatchedSource source, Bytes content) {
    BERTH_TRY(FileChange * target, free_target(operation.to));
    const auto mode = source.git_mode;
    target->after = std::move(content);
    target->git_mode = operation.git_mode ? operation.git_mode : mode;
    if (operation.kind == Kind::copy) {
      target->copied_from = operation.path;
      return {};
    }
    target->moved_from = operation.path;
    FileChange& origin = change_at(operation.path);
    origin.before = std::move(source);
    origin.moved_to = operation.to;
    return {};
  }

  Result<void> create(const PatchOperation& operation, Bytes content) {
    BERTH_TRY(FileChange * target, free_target(operation.path));
    target->after = std::move(content);
    target->git_mode = operation.git_mode;
    return {};
  }

  /// The change of a path where nothing stands, or from where the patch takes it away.
  Result<FileChange*> free_target(const Path& path) {
    if (!gone_.contains(path)) {
      const auto there = files_.look(call_, path);
      if (!there) return std::move(not_free(there.error())).at(path.text());
      if (*there) return patch_rejected(PatchReason::file_exists, "a file stands there already").at(path.text());
    }
    return &change_at(path);
  }

  FileChange& change_at(const Path& path) {
    FileChange& change = changes_[path];
    change.path = path;
    return change;
  }

  const Call& call_;
  const Patch& patch_;
  PatchFiles& files_;
  std::set<Path> gone_;
  std::set<Path> made_;
  std::set<Path> unclear_;  ///< names that may be meant with or without their first directory
  bool names_are_as_written_ = false;
  std::map<Path, FileChange> changes_;
};

}  // namespace

Result<PatchPlan> plan_patch(const Call& call, const Patch& patch, PatchFiles& files) {
  return Planner(call, patch, files).run();
}

}  // namespace berth
