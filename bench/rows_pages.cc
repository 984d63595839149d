#include "bench/memory.h"
#include "bench/rows.h"
#include "bench/tree.h"

namespace berth::bench {

std::vector<Row> page_rows(std::int64_t bytes) {
  const Scratch scratch;
  make_line_file(scratch.path() + "/large", bytes);
  const auto workspace = open_workspace(scratch.path());
  const auto size = workspace->stat(Call(), "large");
  require(size.has_value(), "stat");

  // Memory first: nothing of the file was looked at before.
  const std::int64_t before = reset_peak();
  require(workspace->read_lines(Call(), "large", {.first = 1, .count = 3}).has_value(), "read_lines");
  const std::int64_t grown = peak() - before;

  const ReadRange last{.offset = size->size - 4096, .max_bytes = 4096, .want_revision = WantRevision::yes};
  const auto times = measure({{"lines",
                               [&] {
                                 const auto page = workspace->read_lines(Call(), "large", {.first = 1, .count = 3});
                                 require(page && page->line_count == 3, "read_lines");
                               }},
                              {"last",
                               [&] {
                                 const auto page = workspace->read(Call(), "large", last);
                                 require(page && page->content.size() == 4096, "read");
                               }}},
                             {.rounds = 21, .batch = 10});
  const auto ms = [](double ns) { return ns / 1e6; };
  const std::string name = std::to_string(bytes >> 20) + " MiB";
  return {
      {"lines 1-3 of " + name, ms(times[0]), "ms", "", {}, {.ratio = {}, .limit = 5}},
      {"memory for them", static_cast<double>(grown) / (1 << 20), "MiB", "", {}, {.ratio = {}, .limit = 8}},
      {"last page of " + name, ms(times[1]), "ms", "", {}, {.ratio = {}, .limit = 1}},
  };
}

}  // namespace berth::bench
