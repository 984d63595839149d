#pragma once

#include "contract/search.h"
#include "os/root.h"

namespace berth::engine {

/// See `TreeSearch::list`.
Result<ListPage> list_files(const Call& call, const os::Root& root, const ListQuery& query, int threads);

}  // namespace berth::engine
