#include "engine/files/write_file.h"

#include <fcntl.h>

#include <cerrno>

#include "engine/files/file_stat.h"
#include "engine/files/new_parents.h"
#include "engine/files/preconditions.h"
#include "engine/files/sync_directory.h"
#include "engine/files/temp_file.h"
#include "os/directory_lock.h"

namespace berth::engine {
namespace {

/// Each try fails only because another process changed what stands at the path in between.
constexpr int kAttempts = 64;

constexpr mode_t kNewFileMode = 0666;
/// Content must not be readable by more users than the file it is to replace, not even under a temporary name.
constexpr mode_t kPrivateMode = 0600;

Error already_exists() { return make_error(ErrorCode::already_exists, "something stands there already"); }

/// What stands at a name: nothing, or its stat.
Result<std::optional<struct stat>> look_at(int directory, const std::string& name) {
  struct stat st;
  if (fstatat(directory, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0) return std::optional(st);
  if (errno == ENOENT) return std::optional<struct stat>();
  return errno_error(errno, "look at the file");
}

bool same_attributes(const struct stat& a, const struct stat& b) noexcept {
  return a.st_mode == b.st_mode && a.st_uid == b.st_uid && a.st_gid == b.st_gid;
}

class Write {
 public:
  Write(const Call& call, FileEngine& engine, const Path& path, BytesView content, const WriteSpec& spec)
      : call_(call), engine_(engine), path_(path), content_(content), spec_(spec) {
    if (spec.when == WriteSpec::When::revision_matches) wanted_.revision = spec.expected_revision;
    wanted_.git_mode = spec.expected_git_mode;
    wanted_.token = spec.expected_token;
  }

  Result<WriteOutcome> run() {
    if (is_absent() && wanted_.any()) {
      return make_error(ErrorCode::invalid_argument, "a file that must be absent can have no expected mode or token");
    }
    if (path_.is_root()) {
      return is_absent() ? already_exists() : make_error(ErrorCode::is_a_directory, "this is a directory");
    }
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      BERTH_CHECK(call_.check());
      BERTH_TRY(auto outcome, try_once());
      if (outcome) return std::move(*outcome);
    }
    return make_error(ErrorCode::conflict, "what stands there kept changing while the file was written");
  }

 private:
  using Attempt = Result<std::optional<WriteOutcome>>;
  static std::optional<WriteOutcome> again() { return std::nullopt; }

  bool is_absent() const { return spec_.when == WriteSpec::When::absent; }

  Attempt try_once() {
    BERTH_TRY(NewParents parents,
              NewParents::resolve(call_, *engine_.root, path_, is_absent() ? LeafLinks::keep : LeafLinks::follow,
                                  wanted_.any() ? os::Root::Parents::must_exist : os::Root::Parents::make));
    const int directory = parents.leaf().directory.get();
    const std::string& name = parents.leaf().name;
    engine_.sweep.sweep_once(directory);

    BERTH_TRY(const auto before, look_at(directory, name));
    if (before && is_absent()) return already_exists();
    // A link here was made after the path was resolved.
    if (before && S_ISLNK(before->st_mode)) return again();
    if (before) BERTH_CHECK(require_regular(*before));
    std::optional<ComparedFile> compared;
    if (wanted_.any()) {
      BERTH_TRY(compared, ComparedFile::compare(call_, engine_.revisions, directory, name, wanted_));
    }

    auto temp = TempFile::make(directory, before || spec_.git_mode ? kPrivateMode : kNewFileMode);
    if (!temp) return vanished(std::move(temp).error());
    BERTH_CHECK(temp->write(call_, content_));
    BERTH_CHECK(set_attributes(*temp, before));
    BERTH_CHECK(temp->flush(engine_.options.durability));

    auto outcome = put_in_place(directory, name, *temp, before, compared);
    if (!outcome || !*outcome) return outcome;
    parents.keep();
    // Hashed here, where nobody waits for the lock.
    (*outcome)->revision = revision_of(content_);
    if (engine_.options.durability == Durability::durable) {
      BERTH_CHECK(sync_parents(call_, *engine_.root, parents));
    }
    return outcome;
  }

  Result<void> set_attributes(TempFile& temp, const std::optional<struct stat>& replaced) const {
    if (replaced) BERTH_CHECK(temp.take_attributes(*replaced));
    if (spec_.git_mode) return temp.set_mode(*spec_.git_mode == GitMode::executable ? 0755 : 0644);
    return {};
  }

  /// The part under the lock: look again, rename, and see what the file is now.
  Attempt put_in_place(int directory, const std::string& name, TempFile& temp, const std::optional<struct stat>& before,
                       std::optional<ComparedFile>& compared) {
    auto lock = os::DirectoryLock::take(call_, directory);
    if (!lock) return vanished(std::move(lock).error());
    if (compared) BERTH_CHECK(compared->confirm(call_, engine_.revisions, directory, name, wanted_));
    if (!is_absent()) {
      BERTH_TRY(const auto now, look_at(directory, name));
      if (now.has_value() != before.has_value()) return again();
      if (now && !S_ISREG(now->st_mode)) return again();
      if (now && !same_attributes(*now, *before)) {
        BERTH_CHECK(set_attributes(temp, now));
        BERTH_CHECK(temp.flush(engine_.options.durability));
      }
    }
    const auto published =
        is_absent() ? temp.publish_new(name, engine_.root->options().features) : temp.publish_over(name);
    if (!published) return vanished(published.error());

    WriteOutcome outcome;
    outcome.created = !before;
    outcome.bytes = static_cast<std::int64_t>(content_.size());
    BERTH_TRY(const struct stat after, temp.look());
    outcome.token = change_token_of(after);
    if (compared) outcome.previous_revision = compared->revision();
    return std::optional(std::move(outcome));
  }

  /// The directory was removed under us, or the temporary file was swept before it was locked: begin again, which makes
  /// the parents anew or finds that they are gone.
  static Attempt vanished(Error error) {
    if (error.code == ErrorCode::not_found) return again();
    return error;
  }

  const Call& call_;
  FileEngine& engine_;
  const Path& path_;
  BytesView content_;
  const WriteSpec& spec_;
  Preconditions wanted_;
};

}  // namespace

Result<WriteOutcome> write_file(const Call& call, FileEngine& engine, const Path& path, BytesView content,
                                const WriteSpec& spec) {
  return Write(call, engine, path, content, spec).run();
}

}  // namespace berth::engine
