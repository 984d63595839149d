#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/check_command.h"
#include "tools/harness_options.h"
#include "tools/tool.h"
#include "tools/tool_session.h"

/// What the tools of the harness profile share.
namespace berth::tools::harness {

/// The result of a failure: its sentence.
ToolResult error_result(const Error& error);
/// The same, for failures that the harness tells as an ordinary result.
ToolResult never_retried(const Error& error);

/// `render_error` of most tools.
inline constexpr auto kRenderError = [](const auto&, const Error& error) { return error_result(error); };

/// What this profile calls a file's hash: the first twelve digits of its revision's.
std::string short_hash(const Revision& revision);
/// `BEFOREhash:0123456789abAFTER`, or nothing when hashes are left out or the revision is not known.
std::string hash_part(const HarnessOptions& options, const std::optional<Revision>& revision, std::string_view before,
                      std::string_view after);

/// The path as this profile spells it: relative to the root, without `.` and doubled slashes.
Result<std::string> shown_path(ToolSession& session, const Bytes& path);

/// The full revision of a file that has the hash which the caller expects; nothing when none is expected.
/// `revision_mismatch` when the file has another one.
Result<std::optional<Revision>> expected_revision(const Call& call, ToolSession& session, const Bytes& path,
                                                  const std::optional<std::string>& expected_hash);

/// A glob that matches at any depth when it has no slash.
std::string any_depth(std::string_view glob);

/// `[2 paths could not be read: a (permission_denied), b (io)]`, the first five named.
std::string unreadable_line(const std::vector<Unreadable>& unreadable);

/// The text's end, at most `max_output_chars` characters with the notice that stands before it.
std::string last_characters(const HarnessOptions& options, const std::string& text);

/// The sections of a command's answer: `[stdout]`, `[stderr]`, or `nothing` when both are empty, then the ends that are
/// not empty; cut as `last_characters` does.
std::string command_text(const HarnessOptions& options, const std::string& out, const std::string& err,
                         std::string_view nothing, const std::vector<std::string>& ends);

/// A command in the background with the end of what it printed. `not_found` when there is none of that id.
Result<CheckCommandResponse> job_answer(const HarnessOptions& options, const Call& call, ToolSession& session,
                                        const JobId& id);

/// `[exit code: N]`, also for 0; how it ended when there is no code; empty while it runs.
std::string job_end(const JobInfo& job);

/// What an unknown id answers; other failures as ever.
ToolResult job_error(std::string_view id, const Error& error);

std::unique_ptr<Tool> make_read_file(const HarnessOptions& options);
std::unique_ptr<Tool> make_write_file(const HarnessOptions& options);
std::unique_ptr<Tool> make_edit_file(const HarnessOptions& options);
std::unique_ptr<Tool> make_list_directory(const HarnessOptions& options);
std::unique_ptr<Tool> make_search_files(const HarnessOptions& options);
std::unique_ptr<Tool> make_find_files(const HarnessOptions& options);
std::unique_ptr<Tool> make_create_directory();
std::unique_ptr<Tool> make_file_info(const HarnessOptions& options);
std::unique_ptr<Tool> make_list_files(const HarnessOptions& options);
std::unique_ptr<Tool> make_grep(const HarnessOptions& options);
std::unique_ptr<Tool> make_run_command(const HarnessOptions& options);
std::unique_ptr<Tool> make_start_command();
std::unique_ptr<Tool> make_check_command(const HarnessOptions& options);
std::unique_ptr<Tool> make_stop_command(const HarnessOptions& options);
std::unique_ptr<Tool> make_shell(const HarnessOptions& options);

}  // namespace berth::tools::harness
