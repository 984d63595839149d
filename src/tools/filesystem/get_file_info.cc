#include <fmt/format.h>

#include "tools/filesystem/filesystem_internal.h"
#include "tools/make_tool.h"
#include "tools/value_fields.h"

namespace berth::tools::filesystem {
namespace {

struct Arguments {
  std::string path;

  static const Fields<Arguments>& fields() {
    static const auto table = Fields<Arguments>().field("path", &Arguments::path, "The file or directory", kRequired);
    return table;
  }
};

struct FileInfo {
  std::string content;
  Bytes path;
  FileStat stat;

  static const Fields<FileInfo>& fields() {
    static const auto table = Fields<FileInfo>()
                                  .field("content", &FileInfo::content, "The text")
                                  .bytes("path", &FileInfo::path, "")
                                  .field("stat", &FileInfo::stat, "Of what the path leads to");
    return table;
  }
};

Result<FileInfo> look_at(const Call& call, ToolSession& session, const Arguments& arguments, ProgressSink*) {
  FileInfo info;
  BERTH_TRY(info.path, path_argument(arguments.path));
  BERTH_CHECK(session.permit(call, Operation::read, info.path));
  BERTH_TRY(info.stat, session.workspace().stat(call, info.path));
  const auto facts = to_json(info.stat);
  info.content = fmt::format("size: {}\nmodified: {}\nisDirectory: {}\nisFile: {}\npermissions: {:03o}", info.stat.size,
                             facts.at("modified_at").get<std::string>(), info.stat.kind == FileKind::directory,
                             info.stat.kind == FileKind::file, info.stat.mode & 0777u);
  return info;
}

}  // namespace

std::unique_ptr<Tool> make_get_file_info() {
  return make_tool<Arguments, Arguments, FileInfo>(
      {.info = {.name = "get_file_info",
                .title = "Describe a file",
                .description = "Say what a path leads to, a fact a line: size, time of the last change, whether it is "
                               "a directory or a file, permissions.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true},
                .uses = {Operation::read}},
       .operation = look_at,
       .render = [](const Arguments&, const FileInfo& info) { return info.content; },
       .render_error = kRenderError});
}

}  // namespace berth::tools::filesystem
