#pragma once

#include "base/result.h"
#include "contract/commands.h"
#include "contract/files.h"
#include "contract/jobs.h"
#include "contract/search.h"

/// The checks of arguments that need no environment. All fail with `invalid_argument` that names the argument.
namespace berth {

Result<void> check_range(const ReadRange& range);
Result<void> check_range(const LineRange& range);

/// Refuse the root where a file is needed: writes, edits, deletions and moves.
Result<void> check_names_a_file(const Path& path);

Result<void> check_list_limit(const std::optional<std::int64_t>& limit);
Result<void> check_query(const SearchQuery& query);

/// Check a command (C-RUN-1, C-RUN-9): exactly one of argv and script, a program name, no NUL in any word, variable
/// names that are names, a timeout and output bounds that can be meant, a run id of at most 255 bytes.
Result<void> check_command(const CommandSpec& spec);

/// Check a job: its command as above, a name of at most 255 bytes without NUL, a terminal that has a size.
Result<void> check_job(const JobSpec& spec);
Result<void> check_job_read(const JobRead& request);
Result<void> check_terminal_size(TerminalSize size);
Result<void> check_signal_number(int number);
/// An id that no job could have is `not_found`, like that of a job that was forgotten.
Result<void> check_job_id(const JobId& id);

}  // namespace berth
