#pragma once

#include <map>

#include "workspace/git/status_records.h"

namespace berth::git {

/// Read `git ls-tree -z`: the entries by their full paths. The format is git-ls-tree(1). `protocol` when it is another.
Result<std::map<Bytes, GitEntry>> parse_tree(BytesView output);

}  // namespace berth::git
