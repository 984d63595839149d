#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/call.h"
#include "contract/jobs.h"
#include "os/fd.h"
#include "os/root.h"

namespace berth::engine {

/// Where the jobs of one workspace are recorded: `STATE/jobs/KEY`, one directory a job, all private to this user.
///
/// Opened anew by each call, so that a directory that was removed is noticed. On a file system of this machine: jobs
/// are told to be running or lost by sockets and locks in it. Safe from many threads and processes.
class JobStore {
 public:
  /// `state` is an absolute name; `key` one component.
  JobStore(std::string state, std::string key) : state_(std::move(state)), key_(std::move(key)) {}

  /// The directory of the records. Missing: an empty descriptor. `unavailable` when it is not private to this user.
  Result<os::Fd> open() const;
  Result<os::Fd> open_or_make() const;

 private:
  std::string state_;
  std::string key_;
};

/// Choose where state is kept: `configured`, or else the first of `$XDG_STATE_HOME/berth`, `$HOME/.local/state/berth`
/// and `/var/tmp/berth-UID` that does not lie in the workspace, where its files could be forged. Empty: all do.
/// Errors: `invalid_argument` for a configured name that is not absolute or lies in the workspace.
Result<std::string> choose_state_directory(const os::Root& root, const std::string& configured);

/// Remove a directory of plain files that is an entry of `parent`; what others remove meanwhile is no failure.
void remove_files_and_directory(int parent, const std::string& name);

/// The names in a directory, sorted; `.` and `..` left out.
Result<std::vector<std::string>> names_in(int directory);

/// Read a small regular file, at most `max_bytes` of it; empty when it is missing.
Result<std::optional<Bytes>> read_small_file(int directory, const char* name, std::size_t max_bytes);

/// Write a new file.
Result<void> write_new_file(int directory, const char* name, BytesView content);

/// Whether a name has the form of a job's id.
bool is_job_name(std::string_view name) noexcept;

/// Lower-case hexadecimal digits that nobody can guess, or has had before.
std::string random_digits(std::size_t count);

}  // namespace berth::engine
