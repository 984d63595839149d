#pragma once

#include <memory>

#include "providers/local/local.h"
#include "testing/temp_dir.h"
#include "workspace/backend.h"

namespace berth {

/// A host directory without policies, with these kernel features.
inline std::unique_ptr<Backend> open_directory(const testing::TempDir& dir,
                                               os::Features features = os::Features::probe()) {
  local::LocalOptions options;
  options.features = features;
  return std::move(local::open_local({dir.path()}, options)).value();
}

}  // namespace berth
