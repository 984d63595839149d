#pragma once

#include <memory>
#include <string>

#include "contract/survey.h"
#include "engine/commands/host_commands.h"
#include "engine/files/host_files.h"
#include "engine/jobs/host_jobs.h"
#include "engine/transactions/host_transactions.h"
#include "engine/tree/host_search.h"
#include "os/features.h"
#include "os/root.h"

namespace berth::engine {

struct HostOptions {
  os::LinkPolicy links = os::LinkPolicy::follow_inside;
  os::Features features;
  FileOptions files;
  SearchOptions search;
  CommandOptions commands;
  JobOptions jobs;  ///< `env` is that of `commands`
};

/// What can be done in an environment: null where it cannot.
struct Faces {
  FileReads* reads = nullptr;
  FileWrites* writes = nullptr;
  TreeSearch* search = nullptr;
  FileTransactions* transactions = nullptr;
  CommandRunner* commands = nullptr;
  JobControl* jobs = nullptr;
};

/// The whole engine on one host directory, as the local provider and the guest offer it. The directory is pinned when
/// this is made, by descriptor; one that is deleted later is `environment_gone`, also when another one takes its name.
/// Safe from many threads.
class HostEnvironment final {
 public:
  /// Errors: `not_found`, `not_a_directory`, `permission_denied`, those of `make_host_jobs`; `conflict` when the
  /// directory was replaced while it was opened.
  static Result<std::unique_ptr<HostEnvironment>> open(const os::HostPath& directory, HostOptions options);

  ~HostEnvironment();
  HostEnvironment(const HostEnvironment&) = delete;
  HostEnvironment& operator=(const HostEnvironment&) = delete;

  const os::Root& root() const noexcept { return *root_; }
  /// Tells the directory from another one of the same name, see `incarnation_of`.
  const std::string& incarnation() const noexcept { return incarnation_; }
  /// Equal for every name of one directory.
  const std::string& resource_key() const noexcept { return resource_key_; }

  /// Jobs are null when every place for their records lies in the directory.
  Faces faces() noexcept;
  TreeSurvey* survey() noexcept;
  /// For paths in which no link is followed (see `LinkFreeFaces`); without commands and jobs.
  Faces link_free() noexcept;

  /// The first time, repair transactions of dead processes; what cannot be is told once, as `ambiguous` with the field
  /// `paths`. Afterwards nothing, at no cost.
  Result<void> repair(const Call& call);

 private:
  struct Parts;
  HostEnvironment(std::shared_ptr<os::Root> root, std::string incarnation, std::string resource_key,
                  std::unique_ptr<Parts> parts);

  const std::shared_ptr<os::Root> root_;
  const std::string incarnation_;
  const std::string resource_key_;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace berth::engine
