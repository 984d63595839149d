#pragma once

#include <memory>
#include <vector>

#include "tools/catalogue.h"

namespace berth::tools {

/// The harness profile: the tools of the pydantic-ai harness's FileSystem and Shell capabilities, 0.62.0, with their
/// names, arguments and line layouts. What they answered is in `testing/cases/harness_results.json`; where we answer
/// differently, and why, in `harness_deviations.json` beside it. Sentences and descriptions are ours.
///
/// Without `CatalogueOptions::only` these are the ones that the harness offers without being asked; `list_files`,
/// `grep` and `shell` are offered when they are named.
std::vector<std::unique_ptr<Tool>> harness_tools(const CatalogueOptions& options);

}  // namespace berth::tools
