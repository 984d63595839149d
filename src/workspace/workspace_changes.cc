#include "workspace/argument_checks.h"
#include "workspace/path_errors.h"
#include "workspace/workspace.h"
#include "workspace/workspace_internal.h"

namespace berth {
namespace {

constexpr std::string_view kWriting = "changing files";

WriteSpec spec_of(WriteSpec::When when, Revision expected, const WriteOptions& options) {
  return {.when = when,
          .expected_revision = std::move(expected),
          .expected_git_mode = options.expected_git_mode,
          .expected_token = options.expected_token,
          .git_mode = options.git_mode};
}

Result<void> check_revision(const Revision& expected) {
  if (!expected.text.empty()) return {};
  return make_error(ErrorCode::invalid_argument, "the expected revision is empty");
}

/// A mode to set makes sense only where content is written.
Result<void> check_sets_no_mode(const WriteOptions& options) {
  if (!options.git_mode) return {};
  return make_error(ErrorCode::invalid_argument, "this call sets no mode");
}

/// Conditions on a file that must not exist can never hold.
Result<void> check_expects_nothing(const WriteOptions& options) {
  if (!options.expected_git_mode && !options.expected_token) return {};
  return make_error(ErrorCode::invalid_argument, "a file that must not exist has no mode or token to expect");
}

Error at(Error error, std::string_view as_written) {
  name_path(error, as_written);
  return error;
}

}  // namespace

Result<WriteOutcome> Workspace::put(const Call& call, PathArg path, BytesView content, const WriteSpec& spec) {
  BERTH_TRY(auto* writes, offered_to_change(backend_->writes(), info(), kWriting));
  BERTH_TRY(const Path target, resolve(path));
  if (auto checked = check_names_a_file(target); !checked) return at(std::move(checked).error(), path.text);
  BERTH_CHECK(ensure(call));
  auto outcome = writes->write(call, target, content, spec);
  if (!outcome) name_path(outcome.error(), path.text);
  return outcome;
}

Result<RemoveOutcome> Workspace::take_away(const Call& call, PathArg path, const RemoveSpec& spec) {
  BERTH_TRY(auto* writes, offered_to_change(backend_->writes(), info(), kWriting));
  BERTH_TRY(const Path target, resolve(path));
  if (target.is_root()) {
    return make_error(ErrorCode::invalid_argument, "the path names the workspace itself, which cannot be removed")
        .at(path.text);
  }
  BERTH_CHECK(ensure(call));
  auto outcome = writes->remove(call, target, spec);
  if (!outcome) name_path(outcome.error(), path.text);
  return outcome;
}

Result<WriteOutcome> Workspace::write(const Call& call, PathArg path, BytesView content, const WriteOptions& options) {
  return put(call, path, content, spec_of(WriteSpec::When::always, {}, options));
}

Result<WriteOutcome> Workspace::create(const Call& call, PathArg path, BytesView content, const WriteOptions& options) {
  BERTH_CHECK(check_expects_nothing(options));
  return put(call, path, content, spec_of(WriteSpec::When::absent, {}, options));
}

Result<WriteOutcome> Workspace::replace(const Call& call, PathArg path, BytesView content,
                                        const Revision& expected_revision, const WriteOptions& options) {
  BERTH_CHECK(check_revision(expected_revision));
  return put(call, path, content, spec_of(WriteSpec::When::revision_matches, expected_revision, options));
}

Result<RemoveOutcome> Workspace::delete_file(const Call& call, PathArg path) {
  return take_away(call, path, RemoveSpec{.what = RemoveSpec::What::file_if_present});
}

Result<RemoveOutcome> Workspace::delete_if(const Call& call, PathArg path, const Revision& expected_revision,
                                           const WriteOptions& options) {
  BERTH_CHECK(check_revision(expected_revision));
  BERTH_CHECK(check_sets_no_mode(options));
  return take_away(call, path,
                   RemoveSpec{.what = RemoveSpec::What::file_if_revision,
                              .expected_revision = expected_revision,
                              .expected_git_mode = options.expected_git_mode,
                              .expected_token = options.expected_token});
}

Result<RemoveOutcome> Workspace::remove(const Call& call, PathArg path) {
  return take_away(call, path, RemoveSpec{.what = RemoveSpec::What::tree});
}

Result<MoveOutcome> Workspace::move_if(const Call& call, PathArg from, PathArg to, const Revision& expected_revision,
                                       const WriteOptions& options) {
  BERTH_TRY(auto* writes, offered_to_change(backend_->writes(), info(), kWriting));
  BERTH_TRY(const Path source, resolve(from));
  BERTH_TRY(const Path destination, resolve(to));
  if (auto checked = check_names_a_file(source); !checked) return at(std::move(checked).error(), from.text);
  if (auto checked = check_names_a_file(destination); !checked) return at(std::move(checked).error(), to.text);
  BERTH_CHECK(check_revision(expected_revision));
  BERTH_CHECK(check_sets_no_mode(options));
  if (source == destination) {
    return make_error(ErrorCode::invalid_argument, "source and destination are one path").at(from.text);
  }
  BERTH_CHECK(ensure(call));
  auto outcome = writes->move(call, source, destination,
                              MoveSpec{.expected_revision = expected_revision,
                                       .expected_git_mode = options.expected_git_mode,
                                       .expected_token = options.expected_token});
  if (!outcome) name_path(outcome.error(), from.text, to.text);
  return outcome;
}

Result<MakeDirectoryOutcome> Workspace::make_directory(const Call& call, PathArg path) {
  BERTH_TRY(auto* writes, offered_to_change(backend_->writes(), info(), kWriting));
  BERTH_TRY(const Path target, resolve(path));
  BERTH_CHECK(ensure(call));
  if (target.is_root()) return MakeDirectoryOutcome{.created = false};
  auto outcome = writes->make_directory(call, target);
  if (!outcome) name_path(outcome.error(), path.text);
  return outcome;
}

Result<PruneOutcome> Workspace::prune_empty_directories(const Call& call, PathArg path, std::int64_t max_directories) {
  BERTH_TRY(auto* writes, offered_to_change(backend_->writes(), info(), kWriting));
  BERTH_TRY(const Path target, resolve(path));
  if (target.is_root()) {
    return make_error(ErrorCode::invalid_argument, "the path names the workspace itself, which cannot be removed")
        .at(path.text);
  }
  if (max_directories <= 0) {
    return make_error(ErrorCode::invalid_argument, "max_directories must be greater than 0").at(path.text);
  }
  BERTH_CHECK(ensure(call));
  auto outcome = writes->prune_empty_directories(call, target, max_directories);
  if (!outcome) name_path(outcome.error(), path.text);
  return outcome;
}

Result<EditOutcome> Workspace::edit(const Call& call, PathArg path, std::span<const Edit> edits,
                                    const EditOptions& options) {
  BERTH_TRY(auto* reads, offered(backend_->reads(), "reading files"));
  BERTH_TRY(auto* writes, offered_to_change(backend_->writes(), info(), kWriting));
  BERTH_TRY(const Path target, resolve(path));
  if (auto checked = check_names_a_file(target); !checked) return at(std::move(checked).error(), path.text);
  if (options.expected_revision) BERTH_CHECK(check_revision(*options.expected_revision));
  BERTH_CHECK(ensure(call));

  auto page = reads->read(call, target, ReadRange{});
  if (!page) return at(std::move(page).error(), path.text);
  if (page->truncated || !page->revision) {
    // Only a policy bounds a read that asked for everything.
    return make_error(ErrorCode::too_large, "the file is larger than one read may be, and an edit needs all of it")
        .with("limit", "max_read_bytes")
        .with("total_bytes", page->total_bytes)
        .at(path.text);
  }
  if (options.expected_revision && *options.expected_revision != *page->revision) {
    return make_error(ErrorCode::revision_mismatch, "the file was changed since that revision")
        .with("expected_revision", options.expected_revision->text)
        .with("actual_revision", page->revision->text)
        .at(path.text);
  }

  auto edited = apply_edits(page->content, edits, call);
  if (!edited) return at(std::move(edited).error(), path.text);
  // Before the write: once it has happened, nothing may make the answer late.
  auto diff = unified_diff(target.text(), page->content, edited->content, options.max_diff_bytes);
  BERTH_CHECK(call.check());
  auto written =
      writes->write(call, target, edited->content,
                    WriteSpec{.when = WriteSpec::When::revision_matches, .expected_revision = *page->revision});
  if (!written) return at(std::move(written).error(), path.text);
  return EditOutcome{.counts = std::move(edited->counts),
                     .previous_revision = std::move(*page->revision),
                     .revision = std::move(written->revision),
                     .diff = std::move(diff)};
}

}  // namespace berth
