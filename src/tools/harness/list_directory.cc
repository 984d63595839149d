#include <algorithm>

#include <fmt/format.h>

#include "tools/harness/harness_internal.h"
#include "tools/ls.h"
#include "tools/make_tool.h"
#include "tools/text.h"

namespace berth::tools::harness {
namespace {

struct Arguments {
  std::string path = ".";

  static const Fields<Arguments>& fields() {
    static const auto table = Fields<Arguments>().field("path", &Arguments::path, "The directory");
    return table;
  }
};

/// A listing without hidden names, in which links show what they lead to.
struct Listing {
  LsResponse plain;
  std::vector<std::string> lines;
  std::int64_t hidden = 0;

  static const Fields<Listing>& fields() {
    static const auto table = Fields<Listing>().inlined(&Listing::plain);
    return table;
  }
};

std::string size_text(std::optional<std::int64_t> size) {
  return size ? fmt::format("{} bytes", *size) : "size unknown";
}

Result<Listing> list(const HarnessOptions& options, const Call& call, ToolSession& session, const LsRequest& request) {
  BERTH_TRY(const auto base, session.workspace().resolve(request.path));
  BERTH_CHECK(session.permit(call, Operation::ls, request.path));
  Listing listing;
  const auto is_full = [&] {
    return static_cast<std::int64_t>(listing.plain.entries.size()) >= options.max_list_results;
  };
  for (LsRequest page = request; !listing.plain.truncated;) {
    BERTH_TRY(auto response, permitted_ls(call, session, page));
    listing.plain.path = response.path;
    listing.plain.total = response.total;
    for (auto& entry : response.entries) {
      if (entry.name.starts_with('.')) {
        ++listing.hidden;
        continue;
      }
      if (is_full()) {
        listing.plain.truncated = true;
        break;
      }
      const auto path = base.child(entry.name);
      listing.lines.push_back(leads_to_directory(entry)
                                  ? shown_name(path.text()) + "/"
                                  : fmt::format("{}  ({})", shown_name(path.text()),
                                                size_text(file_size_of(call, session, base.text(), entry))));
      listing.plain.entries.push_back(std::move(entry));
    }
    if (!response.next_offset) break;
    page.offset = *response.next_offset;
  }
  BERTH_CHECK(call.check());
  return listing;
}

std::string render(const HarnessOptions& options, const Listing& listing) {
  auto lines = listing.lines;
  if (listing.plain.truncated) lines.push_back(fmt::format("[... truncated at {} entries]", options.max_list_results));
  if (listing.hidden > 0 && !listing.plain.truncated) {
    lines.push_back(fmt::format("[{} hidden entries omitted]", listing.hidden));
  }
  if (lines.empty()) return "(empty directory)";
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace

std::unique_ptr<Tool> make_list_directory(const HarnessOptions& options) {
  return make_tool<Arguments, LsRequest, Listing>(
      {.info = {.name = "list_directory",
                .title = "List a directory",
                .description =
                    "List one directory: `path/` for a directory, `path  (N bytes)` for a file. Hidden names "
                    "are counted, not shown.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true},
                .uses = {Operation::ls}},
       .to_request = [](const Arguments& arguments) -> Result<LsRequest> {
         LsRequest request;
         request.path = arguments.path;
         return request;
       },
       .operation = [options](const Call& call, ToolSession& session, const LsRequest& request,
                              ProgressSink*) { return list(options, call, session, request); },
       .render = [options](const Arguments&, const Listing& listing) { return render(options, listing); },
       .render_error = kRenderError});
}

}  // namespace berth::tools::harness
