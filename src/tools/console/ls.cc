#include "tools/ls.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/console/console_internal.h"
#include "tools/make_tool.h"
#include "tools/text.h"

namespace berth::tools::console {
namespace {

struct Arguments {
  std::string path = ".";

  static const Fields<Arguments>& fields() {
    static const auto table = Fields<Arguments>().field("path", &Arguments::path, "The directory");
    return table;
  }
};

/// A listing in which links show what they lead to.
struct Listing {
  LsResponse plain;
  std::vector<std::optional<std::int64_t>> sizes;  ///< of each entry, links followed; nothing where there is none

  static const Fields<Listing>& fields() {
    static const auto table = Fields<Listing>().inlined(&Listing::plain);
    return table;
  }
};

Result<Listing> list(const Call& call, ToolSession& session, const LsRequest& request, ProgressSink*) {
  BERTH_TRY(auto response, ls(call, session, request));
  Listing listing{.plain = std::move(response), .sizes = {}};
  for (const auto& entry : listing.plain.entries) {
    listing.sizes.push_back(file_size_of(call, session, request.path, entry));
  }
  BERTH_CHECK(call.check());
  return listing;
}

std::string render(const Arguments& arguments, const Listing& listing) {
  const auto path = decode_utf8(arguments.path).text;
  if (listing.plain.total == 0) return fmt::format("Directory '{}' is empty", path);
  std::string directories;
  std::string others;
  for (std::size_t i = 0; i < listing.plain.entries.size(); ++i) {
    const auto& entry = listing.plain.entries[i];
    const auto name = shown_name(entry.name);
    if (leads_to_directory(entry)) {
      directories += fmt::format("\n  {}/", name);
    } else if (listing.sizes[i]) {
      others += fmt::format("\n  {} ({} bytes)", name, *listing.sizes[i]);
    } else {
      others += fmt::format("\n  {}", name);
    }
  }
  const auto left_out = listing.plain.total - static_cast<std::int64_t>(listing.plain.entries.size());
  const auto trailer = left_out > 0 ? fmt::format("\n  ... and {} more", left_out) : std::string();
  return fmt::format("Contents of {}:{}{}{}", path, directories, others, trailer);
}

}  // namespace

std::unique_ptr<Tool> make_ls() {
  return make_tool<Arguments, LsRequest, Listing>(
      {.info = {.name = "ls",
                .title = "List a directory",
                .description = "List one directory: directories first, as `name/`, then files with their sizes. Hidden "
                               "names are shown.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true},
                .uses = {Operation::ls}},
       .to_request = [](const Arguments& arguments) -> Result<LsRequest> {
         return LsRequest{.path = arguments.path, .offset = 0, .limit = {}};
       },
       .operation = list,
       .render = render,
       .render_error = kRenderError<Steering::never_retries>});
}

}  // namespace berth::tools::console
