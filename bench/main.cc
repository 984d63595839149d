#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "bench/rows.h"
#include "providers/local/local.h"

namespace berth::bench {

std::unique_ptr<Workspace> open_workspace(const std::string& directory, int threads) {
  local::LocalOptions options;
  options.features = os::Features::probe();
  options.search.threads = threads;
  auto backend = local::open_local({directory}, options);
  if (!backend) {
    std::fprintf(stderr, "%s\n", to_string(backend.error()).c_str());
    std::exit(1);
  }
  return std::make_unique<Workspace>(std::move(backend).value());
}

}  // namespace berth::bench

int main(int argc, char** argv) {
  using namespace berth::bench;
  std::string json;
  std::string only;
  std::int64_t files = 100'000;
  std::int64_t large = std::int64_t{1} << 30;
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const char* value = i + 1 < argc ? argv[++i] : "";
    if (option == "--json") {
      json = value;
    } else if (option == "--only") {
      only = value;
    } else if (option == "--files") {
      files = std::atoll(value);
    } else if (option == "--large") {
      large = std::atoll(value);
    } else if (option == "--threads") {
      threads = std::atoi(value);
    } else {
      std::fprintf(stderr,
                   "usage: berth_bench [--only files|commands|mcp|tree|pages|patch|git] [--json FILE] [--files N] "
                   "[--large BYTES] "
                   "[--threads N]\n");
      return 2;
    }
  }
  std::vector<Row> rows;
  const auto add = [&](std::string_view part, auto make) {
    if (!only.empty() && only != part) return;
    std::fprintf(stderr, "measuring: %s\n", std::string(part).c_str());
    for (Row& row : make()) rows.push_back(std::move(row));
  };
  add("files", [] { return file_rows(); });
  add("commands", [] { return command_rows(); });
  add("patch", [] { return patch_rows(); });
  add("mcp", [] { return mcp_rows(); });
  add("pages", [&] { return page_rows(large); });
  add("git", [&] { return git_rows(files); });
  add("tree", [&] { return tree_rows(files, threads); });
  print_table(rows);
  if (!json.empty()) write_json(rows, json);
  return 0;
}
