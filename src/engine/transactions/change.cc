#include "engine/transactions/change.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "engine/files/file_stat.h"
#include "engine/files/open_file.h"
#include "engine/files/rename.h"
#include "engine/files/revision_cache.h"
#include "engine/files/sync_directory.h"
#include "os/temp_name.h"

namespace berth::engine {
namespace {

using Kind = JournalStep::Kind;

constexpr mode_t kNewFileMode = 0666;
constexpr mode_t kPrivateMode = 0600;

Error already_exists() { return make_error(ErrorCode::already_exists, "something stands there already"); }

Error destination_exists() {
  return make_error(ErrorCode::already_exists, "something stands at the destination already")
      .with("destination", "true");
}

Result<std::optional<struct stat>> look_at(int directory, const std::string& name) {
  struct stat st;
  if (fstatat(directory, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0) return std::optional(st);
  if (errno == ENOENT) return std::optional<struct stat>();
  return errno_error(errno, "look at the file");
}

/// The real path of a leaf whose parents may be missing.
Result<Path> real_leaf(const Call& call, const os::Root& root, const Path& path, LeafLinks links) {
  if (links == LeafLinks::follow) return root.real_path(call, path);
  BERTH_TRY(const Path parent, root.real_path(call, path.parent()));
  return parent.child(path.name());
}

}  // namespace

const Path* Change::needs_parents() const noexcept {
  if (!makes_parents_) return nullptr;
  return is_move() ? &to_ : &path_;
}

Result<void> Change::look(const Call& call) {
  if (const auto* operation = std::get_if<WriteOperation>(&operation_)) return look_at_write(call, *operation);
  if (const auto* operation = std::get_if<RemoveOperation>(&operation_)) return look_at_remove(call, *operation);
  if (const auto* operation = std::get_if<MoveOperation>(&operation_)) return look_at_move(call, *operation);
  return look_at_directory(call, std::get<MakeDirectoryOperation>(operation_));
}

Result<void> Change::compare(const Call& call) {
  BERTH_TRY(compared_, ComparedFile::compare(call, engine_.revisions, leaf_->directory.get(), leaf_->name, wanted_));
  return {};
}

Result<void> Change::look_at_write(const Call& call, const WriteOperation& operation) {
  const WriteSpec& spec = operation.spec;
  const bool absent = spec.when == WriteSpec::When::absent;
  links_ = absent ? LeafLinks::keep : LeafLinks::follow;
  if (spec.when == WriteSpec::When::revision_matches) wanted_.revision = spec.expected_revision;
  wanted_.git_mode = spec.expected_git_mode;
  wanted_.token = spec.expected_token;
  if (absent && wanted_.any()) {
    return make_error(ErrorCode::invalid_argument, "a file that must be absent can have no expected mode or token");
  }
  BERTH_TRY(path_, real_leaf(call, *engine_.root, operation.path, links_));
  auto leaf = engine_.root->parent_of(call, path_, os::Root::Parents::must_exist);
  if (!leaf && (leaf.error().code != ErrorCode::not_found || wanted_.any())) return std::move(leaf).error();
  if (!leaf) {
    missing_ = makes_parents_ = true;
    return {};
  }
  leaf_ = *std::move(leaf);
  if (wanted_.any()) return compare(call);
  BERTH_TRY(const auto there, look_at(leaf_->directory.get(), leaf_->name));
  missing_ = !there;
  if (there && absent) return already_exists();
  if (there) return require_regular(*there);
  return {};
}

Result<void> Change::look_at_remove(const Call& call, const RemoveOperation& operation) {
  wanted_ = {{}, operation.spec.expected_git_mode, operation.spec.expected_token};
  const bool permits_absence = operation.spec.what == RemoveSpec::What::file_if_present;
  if (!permits_absence) wanted_.revision = operation.spec.expected_revision;
  BERTH_TRY(path_, real_leaf(call, *engine_.root, operation.path, LeafLinks::keep));
  auto leaf = engine_.root->parent_of(call, path_, os::Root::Parents::must_exist);
  if (!leaf && (leaf.error().code != ErrorCode::not_found || !permits_absence)) return std::move(leaf).error();
  missing_ = true;
  if (!leaf) return {};
  leaf_ = *std::move(leaf);
  BERTH_TRY(const auto there, look_at(leaf_->directory.get(), leaf_->name));
  missing_ = !there;
  if (missing_ && permits_absence) return {};
  if (wanted_.any()) return compare(call);
  if (there && S_ISDIR(there->st_mode)) return make_error(ErrorCode::is_a_directory, "this is a directory");
  return {};
}

Result<void> Change::look_at_move(const Call& call, const MoveOperation& operation) {
  wanted_ = {operation.spec.expected_revision, operation.spec.expected_git_mode, operation.spec.expected_token};
  BERTH_TRY(path_, real_leaf(call, *engine_.root, operation.from, LeafLinks::keep));
  BERTH_TRY(leaf_, engine_.root->parent_of(call, path_, os::Root::Parents::must_exist));
  BERTH_CHECK(compare(call));
  auto to = real_leaf(call, *engine_.root, operation.to, LeafLinks::keep);
  if (!to) return std::move(to).error().with("destination", "true");
  to_ = *std::move(to);
  if (to_ == path_) return make_error(ErrorCode::invalid_argument, "the source and the destination are one file");
  makes_parents_ = true;
  const auto target = engine_.root->parent_of(call, to_, os::Root::Parents::must_exist);
  if (!target && target.error().code == ErrorCode::not_found) return {};
  if (!target) return Error(target.error()).with("destination", "true");
  BERTH_TRY(const auto there, look_at(target->directory.get(), target->name));
  if (there) return destination_exists();
  return {};
}

Result<void> Change::look_at_directory(const Call& call, const MakeDirectoryOperation& operation) {
  const auto there = engine_.root->open_path(call, operation.path, O_PATH | O_DIRECTORY);
  if (!there && there.error().code != ErrorCode::not_found && there.error().code != ErrorCode::not_a_directory) {
    return there.error();
  }
  BERTH_TRY(path_, real_leaf(call, *engine_.root, operation.path, there ? LeafLinks::follow : LeafLinks::keep));
  if (there) return {};
  missing_ = makes_parents_ = true;
  const auto leaf = engine_.root->parent_of(call, path_, os::Root::Parents::must_exist);
  if (!leaf && leaf.error().code == ErrorCode::not_found) return {};
  if (!leaf) return leaf.error();
  BERTH_TRY(const auto occupied, look_at(leaf->directory.get(), leaf->name));
  if (occupied) return make_error(ErrorCode::already_exists, "something that is not a directory stands there already");
  return {};
}

Result<void> Change::stage(const Call& call) {
  if (const Path* made = needs_parents()) {
    BERTH_TRY(auto parents, NewParents::resolve(call, *engine_.root, *made, LeafLinks::keep, os::Root::Parents::make));
    parents_.emplace(std::move(parents));
  }
  const auto* operation = write();
  if (operation == nullptr) return {};
  const int directory = directories().front();
  engine_.sweep.sweep_once(directory);
  const mode_t mode = !missing_ || operation->spec.git_mode ? kPrivateMode : kNewFileMode;
  BERTH_TRY(auto temp, TempFile::make(directory, mode));
  temp_.emplace(std::move(temp));
  BERTH_CHECK(temp_->write(call, operation->content));
  if (operation->spec.git_mode) {
    BERTH_CHECK(temp_->set_mode(*operation->spec.git_mode == GitMode::executable ? 0755 : 0644));
  }
  return temp_->flush(engine_.options.durability);
}

std::vector<int> Change::directories() const {
  std::vector<int> found;
  if (leaf_) found.push_back(leaf_->directory.get());
  if (parents_) found.push_back(parents_->leaf().directory.get());
  return found;
}

Result<bool> Change::confirm(const Call& call) {
  if (const auto* operation = write()) return confirm_write(call, *operation);
  if (std::holds_alternative<RemoveOperation>(operation_)) return confirm_remove(call);
  if (is_move()) return confirm_move(call);
  return confirm_directory();
}

Result<bool> Change::confirm_write(const Call& call, const WriteOperation& operation) {
  const os::Root::Leaf& leaf = leaf_ ? *leaf_ : parents_->leaf();
  if (compared_) {
    BERTH_CHECK(compared_->confirm(call, engine_.revisions, leaf.directory.get(), leaf.name, wanted_));
  }
  BERTH_TRY(const auto there, look_at(leaf.directory.get(), leaf.name));
  if (there && operation.spec.when == WriteSpec::When::absent) return already_exists();
  if (there.has_value() == missing_ || (there && !S_ISREG(there->st_mode))) return false;
  if (there) {
    BERTH_CHECK(temp_->take_attributes(*there));
    if (operation.spec.git_mode) {
      BERTH_CHECK(temp_->set_mode(*operation.spec.git_mode == GitMode::executable ? 0755 : 0644));
    }
  }
  BERTH_TRY(const struct stat staged, temp_->look());
  step_ = JournalStep{.kind = there ? Kind::replace : Kind::create,
                      .path = path_,
                      .kept = there ? os::make_kept_name() : "",
                      .device = staged.st_dev,
                      .inode = staged.st_ino};
  return true;
}

Result<bool> Change::confirm_remove(const Call& call) {
  if (!leaf_) return true;
  BERTH_TRY(const auto there, look_at(leaf_->directory.get(), leaf_->name));
  if (there.has_value() == missing_) return false;
  if (!there) return true;
  if (compared_) {
    BERTH_CHECK(compared_->confirm(call, engine_.revisions, leaf_->directory.get(), leaf_->name, wanted_));
  } else if (S_ISDIR(there->st_mode)) {
    return make_error(ErrorCode::is_a_directory, "this is a directory");
  }
  step_ = JournalStep{.kind = Kind::remove, .path = path_, .kept = os::make_kept_name()};
  return true;
}

Result<bool> Change::confirm_move(const Call& call) {
  BERTH_CHECK(compared_->confirm(call, engine_.revisions, leaf_->directory.get(), leaf_->name, wanted_));
  const os::Root::Leaf& target = parents_->leaf();
  BERTH_TRY(const auto there, look_at(target.directory.get(), target.name));
  if (there) return destination_exists();
  struct stat target_directory;
  if (fstat(target.directory.get(), &target_directory) != 0) return errno_error(errno, "look at the directory");
  const struct stat& source = compared_->stat();
  if (target_directory.st_dev != source.st_dev) {
    return make_error(ErrorCode::invalid_argument,
                      "the source and the destination are on different file systems, where a move is not one step");
  }
  step_ = JournalStep{.kind = Kind::move, .path = path_, .to = to_, .device = source.st_dev, .inode = source.st_ino};
  return true;
}

Result<bool> Change::confirm_directory() {
  if (!missing_) return true;
  const os::Root::Leaf& leaf = parents_->leaf();
  BERTH_TRY(const auto there, look_at(leaf.directory.get(), leaf.name));
  // Another operation's parents may have made it.
  if (there && S_ISDIR(there->st_mode)) return true;
  if (there) return make_error(ErrorCode::already_exists, "something that is not a directory stands there already");
  step_ = JournalStep{.kind = Kind::directory, .path = path_};
  return true;
}

Result<void> Change::keep() {
  if (!step_ || step_->kind != Kind::replace) return {};
  const os::Root::Leaf& leaf = *leaf_;
  if (linkat(leaf.directory.get(), leaf.name.c_str(), leaf.directory.get(), step_->kept.c_str(), 0) != 0) {
    return errno_error(errno, "keep the old file until the transaction is done");
  }
  return {};
}

Result<void> Change::act() {
  if (!step_) return {};
  const os::Root::Leaf& leaf = parents_ && !is_move() ? parents_->leaf() : *leaf_;
  switch (step_->kind) {
    case Kind::replace: return temp_->publish_over(leaf.name);
    case Kind::create: return temp_->publish_new(leaf.name, engine_.root->options().features);
    case Kind::move: return move();
    case Kind::directory:
      if (mkdirat(leaf.directory.get(), leaf.name.c_str(), 0777) == 0) return {};
      return errno_error(errno, "make the directory");
    case Kind::remove: {
      const int directory = leaf.directory.get();
      if (renameat(directory, leaf.name.c_str(), directory, step_->kept.c_str()) == 0) return {};
      return errno_error(errno, "remove the file");
    }
  }
  return {};
}

Result<void> Change::move() {
  const os::Root::Leaf& from = *leaf_;
  const os::Root::Leaf& target = parents_->leaf();
  const int failure = rename_without_replacing(engine_.root->options().features, from.directory.get(), from.name,
                                               target.directory.get(), target.name);
  if (failure == 0) return {};
  if (failure == EEXIST) return destination_exists();
  if (failure != kCannotRenameWithoutReplacing) return errno_error(failure, "move the file");
  if (linkat(from.directory.get(), from.name.c_str(), target.directory.get(), target.name.c_str(), 0) != 0) {
    return errno == EEXIST ? destination_exists() : errno_error(errno, "move the file");
  }
  if (unlinkat(from.directory.get(), from.name.c_str(), 0) != 0) return errno_error(errno, "move the file");
  return {};
}

void Change::settle() noexcept {
  if (parents_) parents_->keep();
}

Result<void> Change::sync(const Call& call) {
  if (parents_) BERTH_CHECK(sync_parents(call, *engine_.root, *parents_));
  if (leaf_) return sync_directory(leaf_->directory.get());
  return {};
}

OperationOutcome Change::outcome() const {
  OperationOutcome outcome{.state = OperationOutcome::State::applied, .changed = step_.has_value()};
  if (compared_) outcome.previous_revision = compared_->revision();
  if (const auto* operation = write()) {
    outcome.revision = revision_of(operation->content);
    outcome.created = missing_;
  } else if (is_move()) {
    outcome.revision = compared_->revision();
  } else if (!is_of_a_file()) {
    // Made here, or as the parent of another operation's path.
    outcome.changed = outcome.created = missing_;
  }
  return outcome;
}

}  // namespace berth::engine
