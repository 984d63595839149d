#include <fmt/format.h>

#include "tools/filesystem/filesystem_internal.h"
#include "tools/filesystem/text_reading.h"
#include "tools/make_tool.h"

namespace berth::tools::filesystem {
namespace {

struct Arguments {
  std::vector<std::string> paths;

  static const Fields<Arguments>& fields() {
    static const auto table = Fields<Arguments>().field("paths", &Arguments::paths, "The files",
                                                        {.need = Rule::Need::required, .minimum = 1, .maximum = 1000});
    return table;
  }
};

struct OneFile {
  Bytes path;
  std::optional<std::int64_t> total_bytes;
  std::optional<Revision> revision;
  std::optional<std::string> error_code;
  std::optional<std::string> error_message;

  static const Fields<OneFile>& fields() {
    static const auto table = Fields<OneFile>()
                                  .bytes("path", &OneFile::path, "")
                                  .field("total_bytes", &OneFile::total_bytes, "Of a file that was read")
                                  .field("revision", &OneFile::revision, "Of a file that was read")
                                  .field("error_code", &OneFile::error_code, "Of one that was not")
                                  .field("error_message", &OneFile::error_message, "");
    return table;
  }
};

struct Files {
  Bytes content;
  std::vector<OneFile> files;

  static const Fields<Files>& fields() {
    static const auto table = Fields<Files>()
                                  .bytes("content", &Files::content, "The text")
                                  .field("files", &Files::files, "Each that was asked for, in order");
    return table;
  }
};

// What may be read of each file, with one question about all that need one; what is denied is told in its place.
Result<std::vector<Result<Bytes>>> permitted_paths(const Call& call, ToolSession& session,
                                                   const std::vector<std::string>& as_sent) {
  std::vector<Result<Bytes>> paths;
  std::vector<Intent> asked;
  for (const auto& one : as_sent) {
    auto path = path_argument(one);
    if (path) {
      Intent intent{.operation = Operation::read, .path = *path};
      if (auto permitted = session.gate().permit_unasked(call, intent); !permitted) {
        if (permitted.error().code == ErrorCode::approval_required) {
          asked.push_back(std::move(intent));
        } else {
          path = std::move(permitted).error();
        }
      }
    }
    paths.push_back(std::move(path));
  }
  if (!asked.empty()) BERTH_CHECK(session.permit(call, asked));
  return paths;
}

Result<FileText> read_one(const Call& call, ToolSession& session, const Result<Bytes>& path, std::int64_t most) {
  if (!path) return path.error();
  return permitted_read_text(call, session, *path, FilePart::whole, 0, most);
}

// One that cannot be read is told in its place; the others are read all the same.
Result<Files> read(const Call& call, ToolSession& session, const Arguments& arguments, ProgressSink*) {
  BERTH_TRY(const auto paths, permitted_paths(call, session, arguments.paths));
  Files files;
  std::int64_t room = kTextBytes;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto& path = arguments.paths[i];
    BERTH_CHECK(call.check());
    if (!files.files.empty()) files.content += "\n---\n";
    auto text = read_one(call, session, paths[i], room);
    if (!text) {
      const auto& error = text.error();
      if (error.code == ErrorCode::environment_gone) return error;
      const std::string code(error_info(error.code).name);
      files.content += fmt::format("{}: Error - {} ({})", path, error.message.empty() ? code : error.message, code);
      files.files.push_back({.path = path, .error_code = code, .error_message = error.message});
      continue;
    }
    room -= static_cast<std::int64_t>(text->content.size());
    files.content += path + ":\n" + text->content + "\n";
    files.files.push_back({.path = path, .total_bytes = text->total_bytes, .revision = std::move(text->revision)});
  }
  return files;
}

}  // namespace

std::unique_ptr<Tool> make_read_multiple_files() {
  return make_tool<Arguments, Arguments, Files>(
      {.info = {.name = "read_multiple_files",
                .title = "Read several text files",
                .description = "Read several text files at once: `path:`, the text, and a line `---` between files. "
                               "One that cannot be read is told in its place.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true},
                .uses = {Operation::read}},
       .operation = read,
       .render = [](const Arguments&, const Files& files) { return files.content; },
       .render_error = kRenderError});
}

}  // namespace berth::tools::filesystem
