#pragma once

#include <memory>

#include "store/document_store.h"

namespace berth::store {

/// Keep documents in this process, as long as the store lives. For tests, and for hosts that persist elsewhere.
std::unique_ptr<DocumentStore> make_memory_store(StoreOptions options = {});

}  // namespace berth::store
