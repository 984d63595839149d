#include "tools/move_file.h"

#include <fmt/format.h>

#include "tools/filesystem/filesystem_internal.h"
#include "tools/filesystem/move_directory.h"
#include "tools/make_tool.h"
#include "tools/text.h"

namespace berth::tools::filesystem {
namespace {

struct Arguments {
  std::string source;
  std::string destination;

  static const Fields<Arguments>& fields() {
    static const auto table =
        Fields<Arguments>()
            .field("source", &Arguments::source, "The file or directory", kRequired)
            .field("destination", &Arguments::destination, "Its new path, where nothing may stand yet", kRequired);
    return table;
  }
};

struct Moved {
  std::string content;
  Bytes source;
  Bytes destination;
  std::int64_t files = 1;
  std::optional<Revision> revision;

  static const Fields<Moved>& fields() {
    static const auto table = Fields<Moved>()
                                  .field("content", &Moved::content, "The text")
                                  .bytes("source", &Moved::source, "")
                                  .bytes("destination", &Moved::destination, "")
                                  .field("files", &Moved::files, "How many were moved")
                                  .field("revision", &Moved::revision, "Of one file");
    return table;
  }
};

Result<Moved> move(const Call& call, ToolSession& session, const Arguments& arguments, ProgressSink*) {
  auto& workspace = session.workspace();
  Moved moved;
  BERTH_TRY(moved.source, path_argument(arguments.source));
  BERTH_TRY(moved.destination, path_argument(arguments.destination));
  BERTH_TRY(const auto stat, workspace.stat(call, moved.source, FollowLeaf::no));
  if (stat.kind == FileKind::directory) {
    BERTH_TRY(const auto from, workspace.resolve(moved.source));
    BERTH_TRY(const auto to, workspace.resolve(moved.destination));
    BERTH_TRY(const auto directory, move_directory(call, session, from, to));
    moved.files = directory.files;
  } else {
    BERTH_TRY(auto response, move_file(call, session, {.from = moved.source, .to = moved.destination}));
    moved.revision = std::move(response.revision);
  }
  moved.content = fmt::format("Moved {} to {}", shown_name(moved.source), shown_name(moved.destination));
  return moved;
}

}  // namespace

std::unique_ptr<Tool> make_move_file() {
  return make_tool<Arguments, Arguments, Moved>(
      {.info = {.name = "move_file",
                .title = "Move or rename",
                .description = "Move a file, or a directory of at most 100 files with all that it holds, to a path "
                               "where nothing stands yet. What changed since you read it stays where it is.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.destructive = true},
                .needs = {.reads = true, .writes = true},
                .uses = {Operation::write}},
       .operation = move,
       .render = [](const Arguments&, const Moved& moved) { return moved.content; },
       .render_error = kRenderError});
}

}  // namespace berth::tools::filesystem
