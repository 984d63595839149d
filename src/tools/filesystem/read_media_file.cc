#include <fmt/format.h>

#include "tools/filesystem/filesystem_internal.h"
#include "tools/make_tool.h"
#include "tools/media_type.h"
#include "tools/staleness.h"

namespace berth::tools::filesystem {
namespace {

struct Arguments {
  std::string path;

  static const Fields<Arguments>& fields() {
    static const auto table = Fields<Arguments>().field("path", &Arguments::path, "The file", kRequired);
    return table;
  }
};

struct MediaFile {
  Bytes path;
  std::string media_type;
  std::int64_t total_bytes = 0;
  std::optional<Revision> revision;
  std::vector<Media> media;

  static const Fields<MediaFile>& fields() {
    static const auto table = Fields<MediaFile>()
                                  .bytes("path", &MediaFile::path, "")
                                  .field("media_type", &MediaFile::media_type, "As its first bytes say")
                                  .field("total_bytes", &MediaFile::total_bytes, "")
                                  .field("revision", &MediaFile::revision, "");
    return table;
  }
};

// SVG is text, so its first bytes are those of XML or its own.
bool is_svg(BytesView content) {
  constexpr std::size_t kLooked = 1024;
  content = content.substr(0, kLooked);
  return content.starts_with("<svg") || (content.starts_with("<?xml") && content.find("<svg") != BytesView::npos);
}

std::string media_type_name(BytesView content) {
  const auto type = media_type_of(content);
  if (!type.name.empty()) return std::string(type.name);
  if (is_svg(content)) return "image/svg+xml";
  return type.kind == MediaType::Kind::text ? "text/plain" : "application/octet-stream";
}

Media::Kind kind_of(std::string_view media_type) {
  if (media_type.starts_with("image/")) return Media::Kind::image;
  return media_type.starts_with("audio/") ? Media::Kind::audio : Media::Kind::document;
}

Result<MediaFile> read(const Call& call, ToolSession& session, const Arguments& arguments, ProgressSink*) {
  BERTH_TRY(const auto path, path_argument(arguments.path));
  BERTH_CHECK(session.permit(call, Operation::read, path));
  BERTH_TRY(const auto real_path, ledger_key(call, session, path));
  const auto most = session.options().max_image_bytes;
  BERTH_TRY(auto page, session.workspace().read(call, path, {.max_bytes = most}));
  if (page.truncated) {
    return make_error(ErrorCode::too_large, "the file is larger than an answer may carry")
        .at(path)
        .with("total_bytes", page.total_bytes)
        .with("max_bytes", most);
  }
  if (page.revision) session.reads().saw(real_path, *page.revision);
  MediaFile file{.path = path,
                 .media_type = media_type_name(page.content),
                 .total_bytes = page.total_bytes,
                 .revision = std::move(page.revision),
                 .media = {}};
  file.media.push_back({kind_of(file.media_type), file.media_type, std::move(page.content)});
  return file;
}

}  // namespace

std::unique_ptr<Tool> make_read_media_file() {
  return make_tool<Arguments, Arguments, MediaFile>(
      {.info = {.name = "read_media_file",
                .title = "Read an image or another binary file",
                .description = "Read a whole file as it is: images and audio as such, anything else as an attachment. "
                               "What it is, its first bytes say, not its name.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true},
                .uses = {Operation::read}},
       .operation = read,
       .render = [](const Arguments&, const MediaFile&) { return std::string(); },
       .render_error = kRenderError});
}

}  // namespace berth::tools::filesystem
