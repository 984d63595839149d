#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tools/filesystem/filesystem_internal.h"
#include "tools/line_layouts.h"
#include "tools/ls.h"
#include "tools/make_tool.h"
#include "tools/text.h"

namespace berth::tools::filesystem {
namespace {

constexpr std::size_t kNameColumns = 30;

enum class SortBy { name, size };

std::span<const EnumName<SortBy>> enum_names(SortBy) {
  static constexpr EnumName<SortBy> kNames[] = {{SortBy::name, "name"}, {SortBy::size, "size"}};
  return kNames;
}

struct Arguments {
  std::string path;

  static const Fields<Arguments>& fields() {
    static const auto table = Fields<Arguments>().field("path", &Arguments::path, "The directory", kRequired);
    return table;
  }
};

struct SizedArguments {
  Arguments plain;
  SortBy sort_by = SortBy::name;

  static const Fields<SizedArguments>& fields() {
    static const auto table = Fields<SizedArguments>()
                                  .inlined(&SizedArguments::plain)
                                  .field("sortBy", &SizedArguments::sort_by, "By name, or the largest first");
    return table;
  }
};

struct Listing {
  std::string content;
  LsResponse plain;

  static const Fields<Listing>& fields() {
    static const auto table =
        Fields<Listing>().field("content", &Listing::content, "The text").inlined(&Listing::plain);
    return table;
  }
};

Result<LsResponse> every_entry(const Call& call, ToolSession& session, const Bytes& path) {
  BERTH_CHECK(session.permit(call, Operation::ls, path));
  BERTH_TRY(auto listing, session.workspace().list_directory(call, path));
  LsResponse response{.path = path, .total = static_cast<std::int64_t>(listing.entries.size())};
  for (auto& entry : listing.entries) response.entries.push_back({std::move(entry.name), std::move(entry.stat)});
  return response;
}

std::string_view tag_of(const LsEntry& entry) { return entry.stat.kind == FileKind::directory ? "[DIR]" : "[FILE]"; }

// The lines that fit into an answer; the entries that have none are left out, and counted.
std::string first_lines(const ToolSession& session, LsResponse& listing,
                        const std::function<std::string(const LsEntry&, std::size_t)>& line_of) {
  std::string text;
  for (std::size_t i = 0; i < listing.entries.size(); ++i) {
    const auto line = line_of(listing.entries[i], i);
    if (text.size() + line.size() > static_cast<std::size_t>(session.options().max_page_bytes)) {
      listing.truncated = true;
      listing.next_offset = static_cast<std::int64_t>(i);
      listing.entries.resize(i);
      break;
    }
    if (!text.empty()) text += '\n';
    text += line;
  }
  if (listing.next_offset) text += fmt::format("\n... ({} more)", listing.total - *listing.next_offset);
  return text;
}

Result<Listing> list(const Call& call, ToolSession& session, const Arguments& arguments, ProgressSink*) {
  BERTH_TRY(const auto path, path_argument(arguments.path));
  Listing listing;
  BERTH_TRY(listing.plain, every_entry(call, session, path));
  listing.content = first_lines(session, listing.plain, [](const LsEntry& entry, std::size_t) {
    return fmt::format("{} {}", tag_of(entry), shown_name(entry.name));
  });
  return listing;
}

std::string size_text(std::int64_t bytes) {
  constexpr std::string_view kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  double shown = static_cast<double>(bytes);
  for (; shown >= 1024 && unit + 1 < std::size(kUnits); ++unit) shown /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.2f} {}", shown, kUnits[unit]);
}

std::string padded(const std::string& name) {
  const auto width = count_characters(name);
  return name + std::string(width < kNameColumns ? kNameColumns - width : 0, ' ');
}

Result<Listing> list_with_sizes(const Call& call, ToolSession& session, const SizedArguments& arguments,
                                ProgressSink*) {
  BERTH_TRY(const auto path, path_argument(arguments.plain.path));
  BERTH_TRY(auto all, every_entry(call, session, path));
  struct Sized {
    LsEntry entry;
    std::int64_t size = 0;  ///< of what it leads to
  };
  std::vector<Sized> sized;
  std::int64_t directories = 0;
  std::int64_t bytes = 0;
  for (auto& entry : all.entries) {
    const auto size = file_size_of(call, session, path, entry).value_or(0);
    if (entry.stat.kind == FileKind::directory) ++directories;
    bytes += size;
    sized.push_back({std::move(entry), size});
  }
  BERTH_CHECK(call.check());
  if (arguments.sort_by == SortBy::size) {
    std::stable_sort(sized.begin(), sized.end(), [](const Sized& a, const Sized& b) { return a.size > b.size; });
  }
  all.entries.clear();
  for (const auto& one : sized) all.entries.push_back(one.entry);
  Listing listing{.content = {}, .plain = std::move(all)};
  listing.content = first_lines(session, listing.plain, [&](const LsEntry& entry, std::size_t i) {
    const bool is_directory = entry.stat.kind == FileKind::directory;
    return fmt::format("{} {} {}", tag_of(entry), padded(shown_name(entry.name)),
                       is_directory ? std::string() : fmt::format("{:>10}", size_text(sized[i].size)));
  });
  if (!listing.content.empty()) listing.content += '\n';
  listing.content += fmt::format("\nTotal: {} files, {} directories\nCombined size: {}",
                                 listing.plain.total - directories, directories, size_text(bytes));
  return listing;
}

template <typename Asked>
std::unique_ptr<Tool> make(std::string name, std::string title, std::string description,
                           Result<Listing> (*operation)(const Call&, ToolSession&, const Asked&, ProgressSink*)) {
  return make_tool<Asked, Asked, Listing>(
      {.info = {.name = std::move(name),
                .title = std::move(title),
                .description = std::move(description),
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true},
                .uses = {Operation::ls}},
       .operation = operation,
       .render = [](const Asked&, const Listing& listing) { return listing.content; },
       .render_error = kRenderError});
}

}  // namespace

std::unique_ptr<Tool> make_list_directory() {
  return make<Arguments>("list_directory", "List a directory",
                         "List one directory, hidden names too: `[DIR] name`, or `[FILE] name` for all else.", list);
}

std::unique_ptr<Tool> make_list_directory_with_sizes() {
  return make<SizedArguments>("list_directory_with_sizes", "List a directory with sizes",
                              "List one directory with the sizes of its files, by name or the largest first, and "
                              "their sum.",
                              list_with_sizes);
}

}  // namespace berth::tools::filesystem
