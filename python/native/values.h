#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "shape.h"
#include "workspace/git/git_types.h"
#include "workspace/workspace.h"

/// What calls give, as the classes of berth.values. All need the GIL.
namespace berth::python {

/// Bytes that are no name.
struct Content {
  Bytes bytes;
};

nb::object to_python(const Content& content);

// Files (file_values.cc).
nb::object to_python(const Path& path);
nb::object to_python(const std::vector<Path>& paths);
nb::object to_python(const Revision& revision);
nb::object to_python(GitMode mode);
nb::object to_python(const Bytes& name);  ///< as text
nb::object to_python(const std::vector<std::string>& names);
nb::object to_python(const Unreadable& unreadable);
nb::object to_python(const FileStat& stat);
nb::object to_python(const DirectoryListing& listing);
nb::object to_python(const ReadPage& page);
nb::object to_python(const LinePage& page);
nb::object to_python(const WriteOutcome& outcome);
nb::object to_python(const RemoveOutcome& outcome);
nb::object to_python(const MoveOutcome& outcome);
nb::object to_python(const MakeDirectoryOutcome& outcome);
nb::object to_python(const PruneOutcome& outcome);

// Changes (change_values.cc).
nb::object to_python(const BoundedDiff& diff);
nb::object to_python(const EditOutcome& outcome);
nb::object to_python(const PatchOutcome& outcome);
nb::object to_python(const TransactionOutcome& outcome);

// Searches (search_values.cc).
nb::object to_python(const ListPage& page);
nb::object to_python(const SearchResult& result);

// Commands and jobs (command_values.cc).
nb::object to_python(const CommandOutcome& outcome);
nb::object to_python(const JobInfo& job);
nb::object to_python(const std::vector<JobInfo>& jobs);
nb::object to_python(const JobOutput& output);
nb::object to_python(const StdinOutcome& outcome);
nb::object to_python(SignalOutcome outcome);  ///< whether it was delivered

// Git (git_values.cc).
nb::object to_python(const git::Baseline& baseline);
nb::object to_python(const git::Diff& diff);
nb::object to_python(const std::vector<git::StatusEntry>& entries);
nb::object to_python(const git::StageOutcome& outcome);

// What stays native, as the classes of the module itself (the files of bindings).
struct Repository;
struct StateStore;
nb::object to_python(std::unique_ptr<Workspace>&& workspace);
nb::object to_python(std::shared_ptr<StateStore>&& store);
nb::object to_python(std::shared_ptr<const Repository>&& repository);
nb::object to_python(std::shared_ptr<const git::Snapshot>&& snapshot);

/// None for nothing.
template <typename T>
nb::object maybe(const std::optional<T>& value) {
  return value ? to_python(*value) : none();
}

}  // namespace berth::python
