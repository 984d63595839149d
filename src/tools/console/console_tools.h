#pragma once

#include <memory>
#include <vector>

#include "tools/catalogue.h"

namespace berth::tools {

/// The console profile: `ls read_file write_file edit_file glob grep execute` (or `hashline_edit` for `edit_file`) with
/// the names, arguments and line layouts of pydantic-ai-backends' console tools, 0.2.37. What they answered is in
/// `testing/cases/console_results.json`; where we answer differently, and why, in `console_deviations.json` beside it.
/// Sentences and descriptions are ours.
///
/// Paths in the results of `glob` and `grep` are relative to the root, or absolute where the root is `/`. A failure is
/// a retry where they retry (`read_file`, `write_file` and the edits) and other arguments can mend it.
std::vector<std::unique_ptr<Tool>> console_tools(const CatalogueOptions& options);

}  // namespace berth::tools
