#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "contract/files.h"

namespace berth::engine {

/// What a walk could not look at: the first of many by path, so that a broken tree does not fill the memory and the
/// answer does not depend on threads. One thread at a time.
class UnreadableList {
 public:
  static constexpr std::size_t kMost = 1000;

  void add(Path path, ErrorCode code) {
    all_.push_back({std::move(path), code});
    if (all_.size() >= 2 * kMost) cut();
  }

  void add(std::vector<Unreadable> more) {
    for (auto& one : more) add(std::move(one.path), one.code);
  }

  bool empty() const noexcept { return all_.empty(); }

  std::vector<Unreadable> take() {
    cut();
    return std::move(all_);
  }

 private:
  void cut() {
    std::sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    if (all_.size() > kMost) all_.resize(kMost);
  }

  std::vector<Unreadable> all_;
};

}  // namespace berth::engine
