#include "tools/filesystem/filesystem_tools.h"

#include <cctype>

#include "tools/filesystem/filesystem_internal.h"
#include "tools/grep.h"
#include "tools/make_tool.h"

namespace berth::tools {
namespace filesystem {
namespace {

bool is_windows_drive(std::string_view path) {
  return path.size() >= 2 && std::isalpha(static_cast<unsigned char>(path[0])) != 0 && path[1] == ':' &&
         (path.size() == 2 || path[2] == '\\' || path[2] == '/');
}

Error elsewhere(std::string_view path, std::string message) {
  auto error = make_error(ErrorCode::path_escape, std::move(message));
  error.hint = "give a path relative to the workspace, or an absolute one below what list_allowed_directories names";
  return std::move(error).at(path);
}

struct NoArguments {
  static const Fields<NoArguments>& fields() {
    static const auto table = Fields<NoArguments>();
    return table;
  }
};

struct AllowedDirectories {
  std::string content;
  std::vector<std::string> directories;

  static const Fields<AllowedDirectories>& fields() {
    static const auto table = Fields<AllowedDirectories>()
                                  .field("content", &AllowedDirectories::content, "The text")
                                  .field("directories", &AllowedDirectories::directories,
                                         "Absolute names of the one root; relative paths start there");
    return table;
  }
};

Result<AllowedDirectories> list_allowed(const Call&, ToolSession& session, const NoArguments&, ProgressSink*) {
  AllowedDirectories allowed{.content = "Allowed directories:", .directories = session.workspace().info().root_names};
  for (const auto& name : allowed.directories) allowed.content += "\n" + name;
  return allowed;
}

}  // namespace

Result<Bytes> path_argument(std::string_view as_sent) {
  if (as_sent == "~" || as_sent.starts_with("~/")) {
    return elsewhere(as_sent, "`~` is a home directory, which is not in the workspace");
  }
  if (is_windows_drive(as_sent)) return elsewhere(as_sent, "the path is one of Windows");
  return Bytes(as_sent);
}

ToolResult error_result(const Error& error) {
  Error worded = error;
  if (worded.hint.empty() && error.code == ErrorCode::not_found) {
    worded.hint = "check the spelling with list_directory or search_files";
  }
  return failed_result(worded);
}

std::string absolute_name(ToolSession& session, const Path& path) {
  const auto& names = session.workspace().info().root_names;
  if (names.empty()) return path.text();
  // The last name is the real one.
  if (path.is_root()) return names.back();
  return names.back() + (names.back().ends_with('/') ? "" : "/") + path.text();
}

std::unique_ptr<Tool> make_list_allowed_directories() {
  return make_tool<NoArguments, NoArguments, AllowedDirectories>(
      {.info = {.name = "list_allowed_directories",
                .title = "Name the workspace",
                .description = "Name the directory that paths must lie in. It is one; several names mean the same.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true},
                .uses = {Operation::ls, Operation::read, Operation::glob}},
       .to_request = [](const NoArguments& none) -> Result<NoArguments> { return none; },
       .operation = list_allowed,
       .render = [](const NoArguments&, const AllowedDirectories& allowed) { return allowed.content; },
       .render_error = kRenderError});
}

}  // namespace filesystem

std::vector<std::unique_ptr<Tool>> filesystem_tools() {
  std::vector<std::unique_ptr<Tool>> tools;
  tools.push_back(filesystem::make_read_file());
  tools.push_back(filesystem::make_read_text_file());
  tools.push_back(filesystem::make_read_media_file());
  tools.push_back(filesystem::make_read_multiple_files());
  tools.push_back(filesystem::make_write_file());
  tools.push_back(filesystem::make_edit_file());
  tools.push_back(filesystem::make_create_directory());
  tools.push_back(filesystem::make_list_directory());
  tools.push_back(filesystem::make_list_directory_with_sizes());
  tools.push_back(filesystem::make_directory_tree());
  tools.push_back(filesystem::make_move_file());
  tools.push_back(filesystem::make_search_files());
  tools.push_back(filesystem::make_get_file_info());
  tools.push_back(filesystem::make_list_allowed_directories());
  tools.push_back(grep_tool());
  return tools;
}

}  // namespace berth::tools
