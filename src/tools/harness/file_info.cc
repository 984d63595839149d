#include <fmt/format.h>

#include "tools/harness/harness_internal.h"
#include "tools/lines.h"
#include "tools/make_tool.h"
#include "tools/media_type.h"
#include "tools/text.h"
#include "tools/value_fields.h"

namespace berth::tools::harness {
namespace {

struct Arguments {
  std::string path;

  static const Fields<Arguments>& fields() {
    static const auto table = Fields<Arguments>().field("path", &Arguments::path, "The file or directory", kRequired);
    return table;
  }
};

struct FileInfo {
  Bytes path;  ///< as this profile spells it
  FileStat stat;
  std::optional<bool> binary;         ///< regular files only, like all that follows
  std::optional<std::int64_t> lines;  ///< of text
  std::optional<Revision> revision;   ///< of a file that is not too large to be looked at
  std::optional<Bytes> link_target;   ///< when the path itself is a link

  static const Fields<FileInfo>& fields() {
    static const auto table = Fields<FileInfo>()
                                  .bytes("path", &FileInfo::path, "")
                                  .field("stat", &FileInfo::stat, "Of what the path leads to")
                                  .field("binary", &FileInfo::binary, "Of a regular file")
                                  .field("lines", &FileInfo::lines, "Of a text file")
                                  .field("revision", &FileInfo::revision, "Where all of it was looked at")
                                  .bytes("symlink_target", &FileInfo::link_target, "When the path itself is a link");
    return table;
  }
};

Result<FileInfo> look_at(const Call& call, ToolSession& session, const Arguments& arguments, ProgressSink*) {
  auto& workspace = session.workspace();
  BERTH_CHECK(session.permit(call, Operation::read, arguments.path));
  FileInfo info;
  BERTH_TRY(info.path, shown_path(session, arguments.path));
  BERTH_TRY(const auto itself, workspace.stat(call, arguments.path, FollowLeaf::no));
  info.link_target = itself.link_target;
  BERTH_TRY(info.stat, workspace.stat(call, arguments.path));
  if (info.stat.kind != FileKind::file) return info;
  BERTH_TRY(const auto page, workspace.read(call, arguments.path, {.max_bytes = limits::kMediaBytes}));
  info.binary = media_type_of(page.content).kind != MediaType::Kind::text;
  info.revision = page.revision;
  if (!page.truncated && !*info.binary) info.lines = count_lines(page.content);
  return info;
}

std::string render(const HarnessOptions& options, const FileInfo& info) {
  std::string text = fmt::format("path: {}\ntype: {}", shown_name(info.path), enum_name(info.stat.kind));
  if (info.binary) {
    text += fmt::format("\nsize: {} bytes\nbinary: {}", info.stat.size, *info.binary ? "True" : "False");
    if (info.lines) {
      text += fmt::format("\nlines: {}", *info.lines);
      if (info.revision && options.content_hashes == HarnessOptions::Hashes::shown) {
        text += fmt::format("\nhash: {}", short_hash(*info.revision));
      }
    }
  }
  if (info.link_target) text += fmt::format("\nsymlink_target: {}", shown_name(*info.link_target));
  return text;
}

}  // namespace

std::unique_ptr<Tool> make_file_info(const HarnessOptions& options) {
  return make_tool<Arguments, Arguments, FileInfo>(
      {.info = {.name = "file_info",
                .title = "Describe a file",
                .description = "Say what a path is, a fact a line: type, size, whether it is binary, how many lines it "
                               "has, its hash, where a link leads.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true},
                .uses = {Operation::read}},
       .operation = look_at,
       .render = [options](const Arguments&, const FileInfo& info) { return render(options, info); },
       .render_error = kRenderError});
}

}  // namespace berth::tools::harness
