#pragma once

#include <memory>

#include "contract/capabilities.h"
#include "os/root.h"

namespace berth::engine {

struct SearchOptions {
  int threads = 0;  ///< of one walk; 0: as many as the machine has, at most 8
};

/// Walks and searches of one host directory (C-LIST, C-SEARCH), on directory descriptors, links to directories never
/// entered, link files never searched. A query's `filter_out` is asked before a directory is entered or a file opened
/// or counted: policies rest on it.
std::unique_ptr<TreeSearch> make_host_search(std::shared_ptr<const os::Root> root, SearchOptions options);

}  // namespace berth::engine
