#pragma once

#include <string_view>

#include "workspace/git/status_records.h"

namespace berth::git {

/// Builds the input of `git fast-import` for one commit without a parent. The format is git-fast-import(1).
class ImportStream final {
 public:
  /// Begin a commit on a branch; what follows goes into it.
  void begin(std::string_view branch);
  /// Put an object that exists at a path.
  void put(BytesView path, const GitEntry& entry);
  /// Put new content at a path.
  void put(BytesView path, std::uint32_t mode, BytesView content);

  const Bytes& text() const noexcept { return text_; }
  Bytes take() { return std::move(text_); }

 private:
  void name(std::uint32_t mode, std::string_view what, BytesView path);

  Bytes text_;
};

}  // namespace berth::git
