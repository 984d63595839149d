#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "testing/paths.h"
#include "workspace/backend.h"

namespace berth::testing {

/// A small environment in memory with links, for tests of what stands above backends. Its root is `/memory`.
///
/// Files, directories and links behave as `FileReads` and `FileWrites` say, without races, modes or times. `list`
/// gives every file below the base whatever the pattern, `search` looks for the pattern as plain bytes, and `run`
/// exits with 0 and its words as output; a job runs until it is stopped, with its words as output. Every call that
/// reaches it is noted, so that a test sees what went around a wrapper. One thread at a time.
class MemoryBackend final : public Backend {
 public:
  struct Offers {
    bool reads = true;
    bool writes = true;
    bool commands = true;
    bool jobs = true;
    bool search = true;
    bool link_free = true;
  };

  MemoryBackend();
  explicit MemoryBackend(Offers offers, BackendInfo info = default_info());
  ~MemoryBackend() override;

  static BackendInfo default_info();

  /// Set up what stands in the environment; parents are made.
  MemoryBackend& file(std::string_view path, std::string_view content);
  MemoryBackend& link(std::string_view path, std::string_view target);
  MemoryBackend& directory(std::string_view path);
  /// Take a name away, a directory with what it holds.
  void drop(std::string_view path);

  /// The content of a file, nothing when no file stands there; links are not followed.
  std::optional<Bytes> content(std::string_view path) const;

  /// The calls so far, as "read a.txt", "move a b", "run true".
  std::vector<std::string> calls;
  /// Runs before each call with its note: a place to change something behind a wrapper's back.
  std::function<void(const std::string&)> before_call;
  /// How often `ensure` was called, and what it answers.
  int ensured = 0;
  Result<void> ensure_answer;

  const BackendInfo& info() const noexcept override { return info_; }
  std::optional<WorkspaceRef> ref() const override { return WorkspaceRef{"memory", "1"}; }
  Result<void> ensure(const Call& call) override;
  FileReads* reads() noexcept override;
  FileWrites* writes() noexcept override;
  CommandRunner* commands() noexcept override;
  JobControl* jobs() noexcept override;
  TreeSearch* search() noexcept override;
  LinkFreeFaces link_free() noexcept override;

 private:
  class Files;
  class Commands;
  class Jobs;
  class Search;

  void note(std::string text);

  Offers offers_;
  BackendInfo info_;
  std::unique_ptr<Files> files_;
  std::unique_ptr<Files> link_free_files_;
  std::unique_ptr<Commands> commands_;
  std::unique_ptr<Jobs> jobs_;
  std::unique_ptr<Search> search_;
  std::unique_ptr<Search> link_free_search_;
};

}  // namespace berth::testing
