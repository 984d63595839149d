#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testing/matchers.h"
#include "testing/memory_backend.h"
#include "workspace/workspace.h"

namespace berth {

using testing::texts;

/// A workspace with policies over an environment in memory that the test can look into.
class PolicyTest : public ::testing::Test {
 protected:
  explicit PolicyTest(testing::MemoryBackend::Offers offers = {}) {
    auto owned = std::make_unique<testing::MemoryBackend>(offers);
    memory = owned.get();
    backend = std::move(owned);
  }

  /// Put a policy around what there is.
  template <typename Make, typename... Options>
  void wrap(const Make& make, Options&&... options) {
    if constexpr (std::is_same_v<decltype(make(std::move(backend), options...)), std::unique_ptr<Backend>>) {
      backend = make(std::move(backend), std::forward<Options>(options)...);
    } else {
      auto made = make(std::move(backend), std::forward<Options>(options)...);
      ASSERT_TRUE(made.has_value()) << to_string(made.error());
      backend = std::move(made).value();
    }
  }

  Workspace& open() {
    workspace = std::make_unique<Workspace>(std::move(backend));
    return *workspace;
  }

  static std::vector<std::string> names(const Result<DirectoryListing>& listing) {
    std::vector<std::string> result;
    for (const auto& entry : listing->entries) result.push_back(entry.name);
    return result;
  }

  /// Of what a file holds, whether or not the policies let it be read.
  Revision revision_of(std::string_view path) {
    memory->file("copy", memory->content(path).value());
    auto revision = workspace->read(call, "copy")->revision.value();
    memory->drop("copy");
    return revision;
  }

  /// What reached the environment that could have changed it.
  std::vector<std::string> changes() const {
    std::vector<std::string> result;
    for (const auto& note : memory->calls) {
      if (!note.starts_with("read") && !note.starts_with("stat") && !note.starts_with("real_path") &&
          !note.starts_with("list")) {
        result.push_back(note);
      }
    }
    return result;
  }

  Call call;
  testing::MemoryBackend* memory = nullptr;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Workspace> workspace;
};

}  // namespace berth
