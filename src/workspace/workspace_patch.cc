#include <algorithm>

#include "base/hash.h"
#include "workspace/patch/patch_errors.h"
#include "workspace/patch/patch_plan.h"
#include "workspace/path_errors.h"
#include "workspace/workspace.h"
#include "workspace/workspace_internal.h"

namespace berth {
namespace {

constexpr std::string_view kChanging = "changing several files at once";

/// Reads the files of a patch without following links, where the backend can do that.
class BackendFiles final : public PatchFiles {
 public:
  explicit BackendFiles(FileReads& reads) : reads_(reads) {}

  Result<std::optional<PatchedSource>> look(const Call& call, const Path& path) override {
    auto page = reads_.read(call, path, ReadRange{});
    if (!page && page.error().code == ErrorCode::not_found) return absent(call, path);
    if (!page) return std::move(page).error();
    if (page->truncated || !page->revision) {
      return make_error(ErrorCode::too_large, "the file is larger than one read may be");
    }
    return std::optional(PatchedSource{std::move(page->content), *std::move(page->revision), page->git_mode});
  }

 private:
  /// Nothing, or a link that leads nowhere.
  Result<std::optional<PatchedSource>> absent(const Call& call, const Path& path) {
    const auto facts = reads_.stat(call, path, FollowLeaf::no);
    if (facts) return make_error(ErrorCode::path_escape, "a link stands there");
    if (facts.error().code == ErrorCode::not_found) return std::optional<PatchedSource>();
    return facts.error();
  }

  FileReads& reads_;
};

/// A move without any change, onto a free name: the file itself is moved, with all that it has.
bool is_pure_move(const FileChange& target, const FileChange& origin) {
  return !target.before && !origin.after && target.after == origin.before->content &&
         (!target.git_mode || target.git_mode == origin.before->git_mode);
}

const FileChange& origin_of(const PatchPlan& plan, const FileChange& target) {
  return *std::ranges::find(plan.changes, *target.moved_from, &FileChange::path);
}

std::vector<FileOperation> operations_of(const PatchPlan& plan) {
  std::vector<FileOperation> operations;
  for (const auto& change : plan.changes) {
    if (change.moved_from) {
      const FileChange& origin = origin_of(plan, change);
      if (is_pure_move(change, origin)) {
        operations.emplace_back(
            MoveOperation{origin.path, change.path, {.expected_revision = origin.before->revision}});
        continue;
      }
    }
    if (change.moved_to) {
      const auto target = std::ranges::find(plan.changes, *change.moved_to, &FileChange::path);
      if (is_pure_move(*target, change)) continue;
    }
    if (change.after) {
      WriteSpec spec{.when = WriteSpec::When::absent, .git_mode = change.git_mode};
      if (change.before) {
        spec.when = WriteSpec::When::revision_matches;
        spec.expected_revision = change.before->revision;
      }
      operations.emplace_back(WriteOperation{change.path, *change.after, std::move(spec)});
    } else {
      operations.emplace_back(RemoveOperation{
          change.path, {.what = RemoveSpec::What::file_if_revision, .expected_revision = change.before->revision}});
    }
  }
  return operations;
}

Path path_of(const FileOperation& operation) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.from; })
          return one.from;
        else
          return one.path;
      },
      operation);
}

/// The error of a transaction that was not applied; nothing of one that was.
std::optional<Error> failure_of(const TransactionOutcome& outcome, std::span<const FileOperation> operations) {
  using State = OperationOutcome::State;
  if (outcome.state == TransactionOutcome::State::applied) return std::nullopt;
  if (outcome.state == TransactionOutcome::State::ambiguous) {
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      if (outcome.operations[i].state == State::unknown)
        paths.push_back(decode_utf8(path_of(operations[i]).text()).text);
    }
    return make_error(ErrorCode::ambiguous, "the patch failed midway, and not everything could be undone")
        .with("paths", std::move(paths));
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (!outcome.operations[i].error) continue;
    Error error = *outcome.operations[i].error;
    const auto* move = std::get_if<MoveOperation>(&operations[i]);
    if (move != nullptr) {
      name_path(error, move->from.text(), move->to.text());
    } else {
      name_path(error, path_of(operations[i]).text());
    }
    return error;
  }
  return make_error(ErrorCode::conflict, "the patch was not applied");
}

PatchOutcome outcome_of(const PatchPlan& plan, std::size_t max_diff_bytes) {
  using What = PatchedFile::What;
  PatchOutcome outcome;
  for (const auto& change : plan.changes) {
    if (change.moved_to && !change.after) continue;
    PatchedFile file{.path = change.path, .git_mode = change.git_mode};
    BytesView before;
    if (change.before) {
      file.previous_revision = change.before->revision;
      before = change.before->content;
    }
    file.what = !change.after ? What::deleted : change.before ? What::modified : What::created;
    if (change.moved_from) {
      const FileChange& origin = origin_of(plan, change);
      file.what = What::moved;
      file.from = change.moved_from;
      file.previous_revision = origin.before->revision;
      before = origin.before->content;
    } else if (change.copied_from) {
      file.what = What::copied;
      file.from = change.copied_from;
    }
    if (change.after) file.revision = Revision{"sha256:" + to_hex(sha256(*change.after))};
    file.diff =
        unified_diff(change.path.text(), before, change.after ? BytesView(*change.after) : BytesView(), max_diff_bytes);
    max_diff_bytes -= file.diff.text.size();
    outcome.files.push_back(std::move(file));
  }
  return outcome;
}

}  // namespace

Result<TransactionOutcome> Workspace::transaction(const Call& call, std::span<const FileOperation> operations) {
  BERTH_TRY(auto* transactions, offered_to_change(backend_->transactions(), info(), kChanging));
  BERTH_CHECK(ensure(call));
  BERTH_TRY(auto outcome, transactions->apply(call, operations));
  for (std::size_t i = 0; i < operations.size(); ++i) {
    auto& error = outcome.operations[i].error;
    if (!error) continue;
    if (const auto* move = std::get_if<MoveOperation>(&operations[i])) {
      name_path(*error, move->from.text(), move->to.text());
    } else {
      name_path(*error, path_of(operations[i]).text());
    }
  }
  return outcome;
}

Result<PatchOutcome> Workspace::apply_patch(const Call& call, BytesView text, const PatchOptions& options) {
  BERTH_TRY(const Patch patch, parse_patch(text, form_of(text)));
  return apply_patch(call, patch, options);
}

Result<PatchOutcome> Workspace::apply_patch(const Call& call, const Patch& patch, const PatchOptions& options) {
  const LinkFreeFaces link_free = backend_->link_free();
  auto* const direct_reads = backend_->reads();
  BERTH_TRY(auto* reads, offered(link_free.reads != nullptr ? link_free.reads : direct_reads, "reading files"));
  FileTransactions* transactions =
      link_free.transactions != nullptr ? link_free.transactions : backend_->transactions();
  if (options.mode == PatchOptions::Mode::apply) {
    BERTH_CHECK(offered_to_change(transactions, info(), kChanging));
  }
  BERTH_CHECK(ensure(call));

  BackendFiles files(*reads);
  BERTH_TRY(const PatchPlan plan, plan_patch(call, patch, files));
  for (const auto& [path, revision] : options.expected_revisions) {
    const auto change = std::ranges::find(plan.changes, path, &FileChange::path);
    if (change == plan.changes.end()) {
      return make_error(ErrorCode::invalid_argument, "a revision is expected of a file that the patch does not change")
          .at(path.text());
    }
    if (change->before && change->before->revision == revision) continue;
    return make_error(ErrorCode::revision_mismatch, "the file was changed since that revision")
        .with("expected_revision", revision.text)
        .with("actual_revision", change->before ? change->before->revision.text : "")
        .at(path.text());
  }
  PatchOutcome outcome = outcome_of(plan, options.max_diff_bytes);
  if (options.mode == PatchOptions::Mode::check) return outcome;
  const auto operations = operations_of(plan);
  BERTH_CHECK(call.check());
  BERTH_TRY(const auto done, transactions->apply(call, operations));
  if (auto failure = failure_of(done, operations)) return *std::move(failure);
  outcome.applied = true;
  return outcome;
}

}  // namespace berth
