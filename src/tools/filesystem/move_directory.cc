#include "tools/filesystem/move_directory.h"

#include <optional>
#include <utility>
#include <vector>

#include "tools/staleness.h"
#include "tools/tree_walk.h"

namespace berth::tools::filesystem {
namespace {

/// What a directory holds, relative to it.
struct Contents {
  std::vector<std::string> files;
  std::vector<std::string> directories;
};

Result<Contents> contents_of(const Call& call, Workspace& workspace, const Path& directory) {
  Contents contents;
  std::optional<Error> refused;
  const auto visit = [&](const WalkedEntry& walked) {
    if (walked.entry.stat.kind == FileKind::directory) {
      contents.directories.push_back(walked.relative);
      return WalkStep::enter;
    }
    if (walked.entry.stat.kind != FileKind::file) {
      refused = make_error(ErrorCode::not_regular, "the directory holds a link or a special file, which is not moved")
                    .at(walked.path.text());
      return WalkStep::stop;
    }
    contents.files.push_back(walked.relative);
    return WalkStep::pass;
  };
  BERTH_TRY(const auto end, walk_tree(call, workspace, directory, {}, visit));
  if (refused) return std::move(*refused);
  if (!end.unreadable.empty()) {
    return make_error(end.unreadable.front().code, "a directory in it cannot be listed")
        .at(end.unreadable.front().path.text());
  }
  if (!end.complete || static_cast<std::int64_t>(contents.files.size()) > limits::kPatchFiles) {
    auto error = make_error(ErrorCode::too_large, "the directory holds more files than are moved at once")
                     .at(directory.text())
                     .with("max_files", limits::kPatchFiles);
    error.hint = "move the directories in it one by one, or run `mv`";
    return error;
  }
  return contents;
}

Result<void> check_outcome(const TransactionOutcome& outcome, const std::vector<FileOperation>& moves,
                           const std::vector<Expected>& expected) {
  if (outcome.state == TransactionOutcome::State::applied) return {};
  for (std::size_t i = 0; i < outcome.operations.size(); ++i) {
    if (!outcome.operations[i].error) continue;
    return explain_stale(*outcome.operations[i].error, expected[i]).at(std::get<MoveOperation>(moves[i]).from.text());
  }
  return make_error(ErrorCode::ambiguous, "how much of the directory was moved is not known");
}

}  // namespace

Result<MovedDirectory> move_directory(const Call& call, ToolSession& session, const Path& from, const Path& to) {
  auto& workspace = session.workspace();
  if (to.is_within(from)) {
    return make_error(ErrorCode::invalid_argument, "a directory cannot be moved into itself").at(to.text());
  }
  BERTH_CHECK(workspace.require_absent(call, to.text()));
  BERTH_TRY(const auto contents, contents_of(call, workspace, from));
  std::vector<FileOperation> moves;
  std::vector<Expected> expected;
  for (const auto& relative : contents.files) {
    MoveOperation move;
    BERTH_TRY(move.from, workspace.resolve(from.text() + "/" + relative));
    BERTH_TRY(move.to, workspace.resolve(to.text() + "/" + relative));
    BERTH_TRY(auto known, expected_of(call, session, move.from.text(), std::nullopt));
    BERTH_TRY(move.spec.expected_revision, revision_to_compare(call, session, move.from.text(), known));
    expected.push_back(std::move(known));
    moves.emplace_back(std::move(move));
  }
  std::vector<Intent> ends;
  for (const auto& operation : moves) {
    const auto& move = std::get<MoveOperation>(operation);
    for (const auto* end : {&move.from, &move.to}) {
      ends.push_back({.operation = Operation::write, .path = end->text(), .leaf = Leaf::itself});
    }
  }
  if (ends.empty()) {
    for (const auto* end : {&from, &to}) {
      ends.push_back({.operation = Operation::write, .path = end->text(), .leaf = Leaf::itself});
    }
  }
  BERTH_CHECK(session.permit(call, ends));
  if (!moves.empty()) {
    BERTH_TRY(const auto outcome, workspace.transaction(call, moves));
    BERTH_CHECK(check_outcome(outcome, moves, expected));
  }
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const auto& move = std::get<MoveOperation>(moves[i]);
    session.reads().forget(expected[i].real_path);
    if (expected[i].source == Expected::Source::nothing) continue;
    if (const auto key = ledger_key(call, session, move.to.text())) {
      session.reads().saw(*key, move.spec.expected_revision);
    }
  }
  BERTH_CHECK(workspace.make_directory(call, to.text()));
  for (const auto& relative : contents.directories) {
    BERTH_CHECK(workspace.make_directory(call, to.text() + "/" + relative));
  }
  const auto directories = static_cast<std::int64_t>(contents.directories.size()) + 1;
  BERTH_CHECK(workspace.prune_empty_directories(call, from.text(), directories));
  return MovedDirectory{static_cast<std::int64_t>(contents.files.size()), directories};
}

}  // namespace berth::tools::filesystem
