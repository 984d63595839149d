#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/matchers.h"
#include "testing/paths.h"
#include "testing/temp_dir.h"
#include "workspace/git/git_repository.h"
#include "workspace/workspace.h"

namespace berth::git {

using testing::path_of;
using testing::texts;

/// Escape a word for a shell script.
std::string shell_word(std::string_view word);

/// A repository on the host, and git as a user would run it there: with its configuration, but no user's or system's.
class GitTest : public ::testing::Test {
 protected:
  GitTest();

  /// Run a shell script in the repository; the test fails when it does. Gives what it printed.
  std::string sh(const std::string& script) const;
  /// As `sh`, wherever it ends.
  std::string try_sh(const std::string& script) const;
  /// Make the repository with a first commit of what was written.
  void commit_all(const std::string& init_options = "") const;

  /// A workspace on a directory below the repository's top.
  std::unique_ptr<Workspace> workspace(const std::string& below = "",
                                       std::vector<std::pair<std::string, Bytes>> env = {}) const;
  /// Open the workspace of the top and the git side of it; the test fails when that fails.
  GitRepository& open(const std::string& below = "");
  /// The diff of the repository that is open, or of a fresh one.
  Diff diff(const DiffOptions& options = {});
  std::vector<std::string> status();

  /// A file that a planted program makes. Asserts that nothing ran.
  std::string marker() const { return outside_.at("ran"); }
  bool ran() const { return outside_.exists("ran"); }
  /// A program, outside the repository, that leaves the marker and copies its input.
  std::string planted_program() const;

  testing::TempDir dir;
  testing::TempDir outside_;
  Call call;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<GitRepository> repository_;
};

/// "added a.txt", with " (untracked)".
std::vector<std::string> texts(const std::vector<StatusEntry>& entries);
/// "added a.txt", "renamed a -> b".
std::vector<std::string> texts(const std::vector<FileChange>& files);
std::vector<std::string> texts(const std::vector<NotShown>& not_shown);

}  // namespace berth::git
