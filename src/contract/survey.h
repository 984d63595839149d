#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/call.h"
#include "base/result.h"
#include "path/path.h"

namespace berth {

/// One name in a directory as lstat(2) describes it: what a program that keeps such facts compares them with.
struct SurveyedName {
  std::string_view name;   ///< valid during the visit
  std::uint32_t mode = 0;  ///< type and permissions, as in `st_mode`
  std::uint64_t inode = 0;
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  std::uint64_t size = 0;
  std::int64_t modified_s = 0;  ///< seconds and nanoseconds since the epoch
  std::uint32_t modified_ns = 0;
  std::int64_t changed_s = 0;
  std::uint32_t changed_ns = 0;

  bool operator==(const SurveyedName&) const = default;
};

/// Receives the directories of a survey, in no order, from several threads at once.
class SurveyVisitor {
 public:
  virtual ~SurveyVisitor() = default;

  /// Whether to look into a directory. The root is always looked into.
  virtual bool enter(const Path& directory) = 0;

  /// What a directory holds, in no order. Our own temporary files are not shown.
  virtual void directory(const Path& directory, std::span<const SurveyedName> names) = 0;
};

/// Looks at every name of a tree once, as fast as the system allows: for whoever knows what to expect of 100,000 files
/// and wants to hear what is different.
class TreeSurvey {
 public:
  virtual ~TreeSurvey() = default;

  /// Show every directory from the root that the visitor enters; links are names, never followed. What vanishes
  /// meanwhile is left out. A directory that cannot be read is an error: a survey is complete or it is none. Memory:
  /// one directory for each thread, and the names of those that wait.
  virtual Result<void> survey(const Call& call, SurveyVisitor& visitor) = 0;
};

}  // namespace berth
