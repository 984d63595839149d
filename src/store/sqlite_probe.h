#pragma once

#include <string>

#include "base/result.h"

namespace berth::store {

/// Try SQLite on a database in memory; gives its version. `io` when it is there and does not work.
Result<std::string> probe_sqlite();

}  // namespace berth::store
