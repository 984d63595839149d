#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/tool.h"
#include "tools/tool_session.h"

/// What the tools of the console profile share.
namespace berth::tools::console {

/// Whether a failure asks the model to try again when other arguments can mend it.
enum class Steering { retries, never_retries };

/// The result of a failure; its text is `Error: ` and the error's sentence.
ToolResult error_result(const Error& error, Steering steering);

/// `render_error` of a tool.
template <Steering kSteering>
inline constexpr auto kRenderError = [](const auto&, const Error& error) { return error_result(error, kSteering); };

/// A path of a result as this profile spells it: absolute where the workspace's root is `/`.
std::string spelled(Workspace& workspace, const Path& path);

/// What could not be looked at, a line for each of the first five; nothing when there is none.
std::string unreadable_lines(const std::vector<Unreadable>& unreadable);

std::unique_ptr<Tool> make_ls();
std::unique_ptr<Tool> make_read_file();
std::unique_ptr<Tool> make_read_file_with_hashes();
std::unique_ptr<Tool> make_write_file();
std::unique_ptr<Tool> make_edit_file();
std::unique_ptr<Tool> make_hashline_edit();
std::unique_ptr<Tool> make_glob();
std::unique_ptr<Tool> make_grep();
std::unique_ptr<Tool> make_execute();

}  // namespace berth::tools::console
