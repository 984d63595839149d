#pragma once

#include <memory>

#include "workspace/backend.h"

namespace berth {

/// Let a workspace only read: files are read, listed and searched; there are no writes and no commands or jobs, which
/// could write. `info().access` is `read_only`, so the façade answers `read_only` to what is missing.
std::unique_ptr<Backend> make_read_only(std::unique_ptr<Backend> inner);

}  // namespace berth
