#include "tools/filesystem/filesystem_internal.h"
#include "tools/filesystem/text_reading.h"
#include "tools/make_tool.h"

namespace berth::tools::filesystem {
namespace {

struct Arguments {
  std::string path;
  std::optional<std::int64_t> tail;
  std::optional<std::int64_t> head;

  static const Fields<Arguments>& fields() {
    static const auto table = Fields<Arguments>()
                                  .field("path", &Arguments::path, "The file", kRequired)
                                  .field("tail", &Arguments::tail, "Only the last lines, this many", {.minimum = 0})
                                  .field("head", &Arguments::head, "Only the first lines, this many", {.minimum = 0});
    return table;
  }
};

struct Text {
  Bytes path;
  FileText text;

  static const Fields<Text>& fields() {
    static const auto table =
        Fields<Text>()
            .computed_bytes(
                "content", [](const Text& answer) { return answer.text.content; }, "The text")
            .bytes("path", &Text::path, "")
            .computed(
                "total_bytes", [](const Text& answer) { return answer.text.total_bytes; }, "Of the file")
            .computed(
                "revision", [](const Text& answer) { return answer.text.revision; },
                "Of the file, where it was read whole");
    return table;
  }
};

// To clients of that server, 0 lines mean that the argument was not given.
Result<Text> read(const Call& call, ToolSession& session, const Arguments& arguments, ProgressSink*) {
  BERTH_TRY(const auto path, path_argument(arguments.path));
  const auto head = arguments.head.value_or(0);
  const auto tail = arguments.tail.value_or(0);
  if (head > 0 && tail > 0) {
    return make_error(ErrorCode::invalid_argument, "give `head` or `tail`, not both").with("argument", "tail");
  }
  const auto part = head > 0 ? FilePart::head : tail > 0 ? FilePart::tail : FilePart::whole;
  BERTH_TRY(auto text, read_text(call, session, path, part, head + tail, kTextBytes));
  return Text{path, std::move(text)};
}

std::unique_ptr<Tool> make(std::string name, std::string description) {
  return make_tool<Arguments, Arguments, Text>(
      {.info = {.name = std::move(name),
                .title = "Read a text file",
                .description = std::move(description),
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true},
                .uses = {Operation::read}},
       .operation = read,
       .render = [](const Arguments&, const Text& answer) { return answer.text.content; },
       .render_error = kRenderError});
}

}  // namespace

std::unique_ptr<Tool> make_read_file() { return make("read_file", "The older name of read_text_file."); }

std::unique_ptr<Tool> make_read_text_file() {
  return make("read_text_file",
              "Read a text file as it stands, or its first or last lines with `head` or `tail`. Binary files are "
              "refused: read_media_file reads them. A file too long for one answer is refused too, never cut.");
}

}  // namespace berth::tools::filesystem
