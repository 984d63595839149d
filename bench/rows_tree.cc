#include "bench/memory.h"
#include "bench/raw.h"
#include "bench/rows.h"
#include "bench/spawn.h"
#include "bench/tree.h"

namespace berth::bench {
namespace {

/// Every record of a search, whatever the page size.
std::int64_t search_all(Workspace& workspace, const std::string& pattern, bool literal) {
  SearchQuery query;
  query.pattern = pattern;
  query.literal = literal;
  query.max_bytes = std::int64_t{1} << 30;
  const auto found = workspace.search(Call(), ".", query);
  require(found.has_value(), "search");
  return static_cast<std::int64_t>(found->lines.size());
}

}  // namespace

std::vector<Row> tree_rows(std::int64_t files, int threads) {
  const Scratch scratch;
  const Tree tree = make_tree(scratch.path(), files);
  const auto workspace = open_workspace(scratch.path(), threads);
  const std::string jobs = "-j" + std::to_string(threads);
  const std::string regex = "[a-z]+silver line$";

  // Memory first, before anything of the tree was held.
  ListOptions options;
  options.limit = 500;
  const std::int64_t before = reset_peak();
  require(workspace->list(Call(), "**/*", options).has_value(), "list");
  const std::int64_t grown = peak() - before;

  const auto lists = measure(
      {{"list",
        [&] {
          const auto page = workspace->list(Call());
          require(page && page->total == tree.files, "list");
        }},
       {"find",
        [&] {
          require(lines_of_program(scratch.path(), {"find", ".", "-type", "f"}) == tree.files, "find");
        }},
       {"getdents", [&] { require(count_files(scratch.path()) == tree.files, "getdents"); }},
       {"page",
        [&] {
          const auto page = workspace->list(Call(), "**/*", options);
          require(page && page->paths.size() == std::min<std::size_t>(500, static_cast<std::size_t>(tree.files)),
                  "list");
        }}},
      {.rounds = 9, .batch = 1});

  const auto searches = measure(
      {{"literal", [&] { require(search_all(*workspace, kNeedle, true) == tree.needles, "search"); }},
       {"rg literal",
        [&] {
          require(lines_of_program(scratch.path(), {"rg", jobs, "-n", "--no-heading", "-F", kNeedle}) == tree.needles,
                  "rg");
        }},
       {"regex", [&] { require(search_all(*workspace, regex, false) == tree.needles, "search"); }},
       {"rg regex",
        [&] {
          require(lines_of_program(scratch.path(), {"rg", jobs, "-n", "--no-heading", regex}) == tree.needles, "rg");
        }},
       {"walker", [&] { require(count_needles(scratch.path(), kNeedle, threads) == tree.needles, "memmem"); }}},
      {.rounds = 9, .batch = 1});

  const auto ms = [](double ns) { return ns / 1e6; };
  const std::string count = std::to_string(tree.files);
  return {
      {"list " + count + " files", ms(lists[0]), "ms", "find . -type f", ms(lists[1]), {.ratio = 1.0, .limit = {}}},
      {"list " + count + " files", ms(lists[0]), "ms", "getdents64 alone, 1 thread", ms(lists[2]), {}},
      {"first page of 500 of " + count,
       ms(lists[3]),
       "ms",
       "find . -type f",
       ms(lists[1]),
       {.ratio = 1.0, .limit = {}}},
      {"memory for that page", static_cast<double>(grown) / (1 << 20), "MiB", "", {}, {.ratio = {}, .limit = 8}},
      {"search a literal", ms(searches[0]), "ms", "rg -F " + jobs, ms(searches[1]), {.ratio = 1.0, .limit = {}}},
      {"search a literal", ms(searches[0]), "ms", "read + memmem walker", ms(searches[4]), {}},
      {"search a regex", ms(searches[2]), "ms", "rg " + jobs, ms(searches[3]), {.ratio = 1.0, .limit = {}}},
  };
}

}  // namespace berth::bench
