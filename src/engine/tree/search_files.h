#pragma once

#include "contract/search.h"
#include "os/root.h"

namespace berth::engine {

/// See `TreeSearch::search`.
Result<SearchResult> search_files(const Call& call, const os::Root& root, const SearchQuery& query, int threads);

}  // namespace berth::engine
