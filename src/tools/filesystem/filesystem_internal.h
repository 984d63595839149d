#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tools/tool.h"
#include "tools/tool_session.h"

/// What the tools of the filesystem profile share.
namespace berth::tools::filesystem {

/// A path argument of this profile. `path_escape` for `~`, which would mean a home outside, and for a Windows drive:
/// neither shall become a file of that name by mistake (`./~` names such a file).
Result<Bytes> path_argument(std::string_view as_sent);

/// The absolute name of a path, as that server's clients expect in answers; relative where the root has none.
std::string absolute_name(ToolSession& session, const Path& path);

/// The result of a failure, with a next step that names tools of this profile.
ToolResult error_result(const Error& error);

/// `render_error` of every tool.
inline constexpr auto kRenderError = [](const auto&, const Error& error) { return error_result(error); };

std::unique_ptr<Tool> make_read_file();
std::unique_ptr<Tool> make_read_text_file();
std::unique_ptr<Tool> make_read_media_file();
std::unique_ptr<Tool> make_read_multiple_files();
std::unique_ptr<Tool> make_write_file();
std::unique_ptr<Tool> make_edit_file();
std::unique_ptr<Tool> make_create_directory();
std::unique_ptr<Tool> make_list_directory();
std::unique_ptr<Tool> make_list_directory_with_sizes();
std::unique_ptr<Tool> make_directory_tree();
std::unique_ptr<Tool> make_move_file();
std::unique_ptr<Tool> make_search_files();
std::unique_ptr<Tool> make_get_file_info();
std::unique_ptr<Tool> make_list_allowed_directories();

}  // namespace berth::tools::filesystem
