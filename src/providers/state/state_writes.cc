#include <algorithm>
#include <iterator>
#include <optional>

#include "contract/transaction_checks.h"
#include "providers/state/document_format.h"
#include "providers/state/state_files.h"

namespace berth::state {
namespace {

using Change = DocumentSession::Change;
using Missing = DocumentSession::Missing;

/// What must hold of a file before it is changed (C-WRITE-6).
struct Expected {
  std::optional<Revision> revision;
  std::optional<GitMode> git_mode;
  std::optional<ChangeToken> token;

  bool any() const noexcept { return revision || git_mode || token; }
};

std::string text_of(GitMode mode) { return mode == GitMode::executable ? "100755" : "100644"; }

Result<void> compare(const StoredFile& file, const Expected& expected) {
  if (expected.revision && file.revision != *expected.revision) {
    return make_error(ErrorCode::revision_mismatch, "the file does not have the expected revision")
        .with("expected_revision", expected.revision->text)
        .with("actual_revision", file.revision.text);
  }
  if (expected.git_mode && file.git_mode != *expected.git_mode) {
    return make_error(ErrorCode::mode_mismatch, "the file does not have the expected mode")
        .with("expected_git_mode", text_of(*expected.git_mode))
        .with("actual_git_mode", text_of(file.git_mode));
  }
  if (expected.token && file.token() != *expected.token) {
    Error error = make_error(ErrorCode::revision_mismatch, "the file was touched since its token was taken")
                      .with("expected_token", expected.token->text())
                      .with("actual_token", file.token().text());
    if (!expected.revision) return error;
    return std::move(error)
        .with("expected_revision", expected.revision->text)
        .with("actual_revision", file.revision.text);
  }
  return {};
}

Error already_exists() { return make_error(ErrorCode::already_exists, "something stands there already"); }

Result<void> check_name(const Path& path) {
  if (is_storable_name(path.text())) return {};
  auto error = make_error(ErrorCode::invalid_argument, "a document cannot hold a name that is not UTF-8");
  error.hint = "choose a name in UTF-8";
  return error;
}

class Write {
 public:
  Write(DocumentSession& session, const Path& path, BytesView content, const WriteSpec& spec)
      : session_(session), path_(path), content_(content), spec_(spec) {
    if (spec.when == WriteSpec::When::revision_matches) expected_.revision = spec.expected_revision;
    expected_.git_mode = spec.expected_git_mode;
    expected_.token = spec.expected_token;
  }

  /// What needs no document.
  Result<void> check() const {
    if (is_absent() && expected_.any()) {
      return make_error(ErrorCode::invalid_argument, "a file that must be absent can have no expected mode or token");
    }
    return check_name(path_);
  }

  /// Whether the change may make the document itself.
  Missing missing() const noexcept { return expected_.any() ? Missing::is_gone : Missing::is_made; }

  Result<Change> apply(Document& document) {
    if (is_absent() && document.exists(path_.text())) return already_exists();
    auto found = require_file(document, path_);
    const bool may_be_made = !expected_.any() && !found && found.error().code == ErrorCode::not_found;
    if (!found && !may_be_made) return std::move(found).error();
    const StoredFile* const old = found ? *found : nullptr;
    if (old != nullptr) BERTH_CHECK(compare(*old, expected_));

    auto file = std::make_shared<StoredFile>();
    file->content = content_;
    file->modified_at = session_.stamp(old != nullptr ? old->modified_at : "");
    file->created_at = old != nullptr ? old->created_at : file->modified_at;
    file->git_mode = spec_.git_mode.value_or(old != nullptr ? old->git_mode : GitMode::regular);
    if (old != nullptr) file->extra = old->extra;
    file->revision = revision_of(content_);

    outcome_ = WriteOutcome{};
    outcome_.revision = file->revision;
    if (expected_.revision) outcome_.previous_revision = old->revision;
    outcome_.created = old == nullptr;
    outcome_.bytes = static_cast<std::int64_t>(content_.size());
    outcome_.token = file->token();
    document.put_file(path_.text(), std::move(file));
    return Change::made;
  }

  const WriteOutcome& outcome() const noexcept { return outcome_; }

 private:
  bool is_absent() const noexcept { return spec_.when == WriteSpec::When::absent; }

  DocumentSession& session_;
  const Path& path_;
  const BytesView content_;
  const WriteSpec& spec_;
  Expected expected_;
  WriteOutcome outcome_;
};

Result<Change> remove_from(Document& document, const Path& path, const RemoveSpec& spec, RemoveOutcome& outcome) {
  using What = RemoveSpec::What;
  if (path.is_root()) return make_error(ErrorCode::invalid_argument, "the root of the workspace cannot be removed");
  Expected expected{.revision = {}, .git_mode = spec.expected_git_mode, .token = spec.expected_token};
  if (spec.what == What::file_if_revision) expected.revision = spec.expected_revision;
  if (spec.what == What::tree && expected.any()) {
    return make_error(ErrorCode::invalid_argument, "a tree can have no expected mode or token");
  }
  outcome = {};
  if (spec.what == What::tree && document.is_directory(path.text())) {
    outcome.removed = document.erase_tree(path.text());
    return Change::made;
  }
  auto file = require_file(document, path);
  if (!file && file.error().code == ErrorCode::not_found && spec.what == What::file_if_present) return Change::none;
  if (!file) return std::move(file).error();
  BERTH_CHECK(compare(**file, expected));
  document.erase_file(path.text());
  outcome.removed = 1;
  return Change::made;
}

Result<Change> move_in(Document& document, const Path& from, const Path& to, const MoveSpec& spec) {
  const Expected expected{spec.expected_revision, spec.expected_git_mode, spec.expected_token};
  BERTH_TRY(const StoredFile* const file, require_file(document, from));
  BERTH_CHECK(compare(*file, expected));
  if (from == to) return make_error(ErrorCode::invalid_argument, "a file cannot be moved onto itself");
  if (document.exists(to.text())) return already_exists().with("destination", "true");
  if (document.has_file_above(to.text())) return nothing_at(document, to);
  const auto moved = document.files().at(from.text());
  document.erase_file(from.text());
  document.put_file(to.text(), moved);
  return Change::made;
}

Result<Change> make_directory_in(Document& document, const Path& path, MakeDirectoryOutcome& outcome) {
  outcome = {};
  if (document.is_directory(path.text())) return Change::none;
  if (document.exists(path.text())) return already_exists();
  if (document.has_file_above(path.text())) return nothing_at(document, path);
  document.put_directory(path.text());
  outcome.created = true;
  return Change::made;
}

/// One operation of a transaction, done in a document.
struct Doing {
  DocumentSession& session;
  Document& document;
  OperationOutcome& outcome;

  Result<Change> operator()(const WriteOperation& operation) const {
    Write write(session, operation.path, operation.content, operation.spec);
    BERTH_CHECK(write.check());
    BERTH_TRY(const Change change, write.apply(document));
    outcome.previous_revision = write.outcome().previous_revision;
    outcome.revision = write.outcome().revision;
    outcome.changed = true;
    outcome.created = write.outcome().created;
    return change;
  }
  Result<Change> operator()(const RemoveOperation& operation) const {
    RemoveOutcome removed;
    BERTH_TRY(const Change change, remove_from(document, operation.path, operation.spec, removed));
    if (operation.spec.what == RemoveSpec::What::file_if_revision) {
      outcome.previous_revision = operation.spec.expected_revision;
    }
    outcome.changed = removed.removed > 0;
    return change;
  }
  Result<Change> operator()(const MoveOperation& operation) const {
    BERTH_CHECK(check_name(operation.to));
    BERTH_TRY(const Change change, move_in(document, operation.from, operation.to, operation.spec));
    outcome.previous_revision = outcome.revision = operation.spec.expected_revision;
    outcome.changed = true;
    return change;
  }
  Result<Change> operator()(const MakeDirectoryOperation& operation) const {
    BERTH_CHECK(check_name(operation.path));
    MakeDirectoryOutcome made;
    BERTH_TRY(const Change change, make_directory_in(document, operation.path, made));
    outcome.changed = outcome.created = made.created;
    return change;
  }
};

}  // namespace

Result<WriteOutcome> StateWrites::write(const Call& call, const Path& path, BytesView content, const WriteSpec& spec) {
  Write write(session_, path, content, spec);
  BERTH_CHECK(write.check());
  BERTH_CHECK(session_.update(call, write.missing(), [&write](Document& document) { return write.apply(document); }));
  return write.outcome();
}

Result<RemoveOutcome> StateWrites::remove(const Call& call, const Path& path, const RemoveSpec& spec) {
  if (path.is_root()) return make_error(ErrorCode::invalid_argument, "the root of the workspace cannot be removed");
  RemoveOutcome outcome;
  BERTH_CHECK(session_.update(call, Missing::is_gone,
                              [&](Document& document) { return remove_from(document, path, spec, outcome); }));
  return outcome;
}

Result<MoveOutcome> StateWrites::move(const Call& call, const Path& from, const Path& to, const MoveSpec& spec) {
  BERTH_CHECK(check_name(to));
  BERTH_CHECK(
      session_.update(call, Missing::is_gone, [&](Document& document) { return move_in(document, from, to, spec); }));
  return MoveOutcome{MoveOutcome::Fidelity::atomic_rename, spec.expected_revision};
}

Result<MakeDirectoryOutcome> StateWrites::make_directory(const Call& call, const Path& path) {
  BERTH_CHECK(check_name(path));
  MakeDirectoryOutcome outcome;
  BERTH_CHECK(session_.update(call, Missing::is_made,
                              [&](Document& document) { return make_directory_in(document, path, outcome); }));
  return outcome;
}

Result<TransactionOutcome> StateTransactions::apply(const Call& call, std::span<const FileOperation> operations) {
  BERTH_CHECK(check_transaction(operations));
  BERTH_CHECK(check_transaction_paths(operations));
  TransactionOutcome outcome;
  std::optional<std::size_t> failed;
  const auto change = [&](Document& document) -> Result<Change> {
    outcome = TransactionOutcome{};
    outcome.operations.resize(operations.size());
    Change all = Change::none;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      failed = i;
      BERTH_TRY(const Change one, std::visit(Doing{session_, document, outcome.operations[i]}, operations[i]));
      outcome.operations[i].state = OperationOutcome::State::applied;
      if (one == Change::made) all = one;
    }
    failed.reset();
    return all;
  };
  const bool makes = std::ranges::any_of(operations, [](const FileOperation& operation) {
    return std::holds_alternative<WriteOperation>(operation) ||
           std::holds_alternative<MakeDirectoryOperation>(operation);
  });
  auto updated = session_.update(call, makes ? Missing::is_made : Missing::is_gone, change);
  if (updated) return outcome;
  if (failed) return precondition_failed(operations.size(), *failed, std::move(updated).error());
  return std::move(updated).error();
}

Result<PruneOutcome> StateWrites::prune_empty_directories(const Call& call, const Path& path,
                                                          std::int64_t max_directories) {
  if (path.is_root()) {
    return make_error(ErrorCode::invalid_argument, "the root of the workspace cannot be removed");
  }
  PruneOutcome outcome;
  const auto change = [&](Document& document) -> Result<Change> {
    outcome = {};
    if (document.find_file(path.text()) != nullptr) return make_error(ErrorCode::not_a_directory, "this is a file");
    if (!document.is_directory(path.text())) {
      if (document.has_file_above(path.text())) return nothing_at(document, path);
      return Change::none;
    }
    const std::string prefix = below(path.text());
    const auto [first_file, last_file] = range_below(document.files(), prefix);
    if (first_file != last_file) return make_error(ErrorCode::not_empty, "the tree holds files");
    const auto [first, last] = range_below(document.directories(), prefix);
    const std::int64_t count = 1 + std::distance(first, last);
    if (count > max_directories) {
      return make_error(ErrorCode::too_large, "the tree holds more directories than may be removed")
          .with("directories", count)
          .with("max_directories", max_directories);
    }
    document.erase_tree(path.text());
    outcome.removed = count;
    return Change::made;
  };
  BERTH_CHECK(session_.update(call, Missing::is_gone, change));
  return outcome;
}

}  // namespace berth::state
