#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/harness.h"
#include "workspace/workspace.h"

namespace berth::bench {

/// A workspace on a host directory, as users open one, with `threads` for walks (0: its own choice).
std::unique_ptr<Workspace> open_workspace(const std::string& directory, int threads = 0);

/// The parts of the table.
std::vector<Row> file_rows();
std::vector<Row> command_rows();
std::vector<Row> tree_rows(std::int64_t files, int threads);
std::vector<Row> page_rows(std::int64_t bytes);
std::vector<Row> patch_rows();
/// Beside the server whose command line is in BERTH_BENCH_MCP_PEER, when it is set.
std::vector<Row> mcp_rows();
std::vector<Row> git_rows(std::int64_t files);

}  // namespace berth::bench
