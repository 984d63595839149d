#include "engine/files/preconditions.h"

#include <fcntl.h>

#include <cerrno>

#include "engine/files/file_stat.h"
#include "engine/files/hash_file.h"

namespace berth::engine {

Result<ComparedFile> ComparedFile::compare(const Call& call, RevisionCache& cache, int directory,
                                           const std::string& name, const Preconditions& wanted) {
  BERTH_TRY(OpenFile opened, open_regular_at(directory, name));
  ComparedFile compared(std::move(opened));
  OpenFile& file = compared.file_;
  if (wanted.revision) {
    BERTH_TRY(compared.revision_, revision_of_file(call, cache, file));
    if (*compared.revision_ != *wanted.revision) {
      return make_error(ErrorCode::revision_mismatch, "the file does not have the expected revision")
          .with("expected_revision", wanted.revision->text)
          .with("actual_revision", compared.revision_->text);
    }
  }
  if (wanted.git_mode && git_mode_of(file.stat) != *wanted.git_mode) {
    return make_error(ErrorCode::mode_mismatch, "the file does not have the expected mode")
        .with("expected_git_mode", std::string(to_string(*wanted.git_mode)))
        .with("actual_git_mode", std::string(to_string(git_mode_of(file.stat))));
  }
  if (wanted.token && change_token_of(file.stat) != *wanted.token) {
    Error error = make_error(ErrorCode::revision_mismatch, "the file was touched since its token was taken")
                      .with("expected_token", wanted.token->text())
                      .with("actual_token", change_token_of(file.stat).text());
    if (wanted.revision) {
      return std::move(error)
          .with("expected_revision", wanted.revision->text)
          .with("actual_revision", compared.revision_->text);
    }
    return error;
  }
  return compared;
}

Result<void> ComparedFile::confirm(const Call& call, RevisionCache& cache, int directory, const std::string& name,
                                   const Preconditions& wanted) {
  struct stat now;
  if (fstatat(directory, name.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0) return errno_error(errno, "look at the file");
  if (is_untouched(file_.stat, now)) return {};
  BERTH_TRY(*this, compare(call, cache, directory, name, wanted));
  return {};
}

}  // namespace berth::engine
