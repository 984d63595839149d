#include "engine/host/host_environment.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "engine/host/incarnation.h"
#include "engine/tree/host_survey.h"

namespace berth::engine {
namespace {

struct Pinned {
  std::shared_ptr<os::Root> root;
  std::shared_ptr<os::Root> link_free;  ///< the same directory, with links refused
};

Result<Pinned> pin(const os::HostPath& directory, const HostOptions& options) {
  BERTH_TRY(auto root, os::Root::open(directory, {options.links, options.features}));
  if (options.links == os::LinkPolicy::refuse) return Pinned{root, root};
  BERTH_TRY(auto link_free, os::Root::open(directory, {os::LinkPolicy::refuse, options.features}));
  if (link_free->device() != root->device() || link_free->inode() != root->inode()) {
    return make_error(ErrorCode::conflict, "the directory was replaced while it was opened").at(directory.text);
  }
  return Pinned{std::move(root), std::move(link_free)};
}

/// Names a directory for good, as a ref does: one that is made anew under the same name has other jobs.
std::string job_key(const std::string& resource_key, const std::string& incarnation) {
  constexpr std::size_t kDigits = 32;
  return to_hex(sha256(resource_key + " " + incarnation)).substr(0, kDigits);
}

}  // namespace

/// Where links are refused anyway, the link-free faces are the same objects.
struct HostEnvironment::Parts {
  Parts(const Pinned& pinned, HostOptions options, std::unique_ptr<JobControl> job_control)
      : files(HostFiles::make(pinned.root, options.files)),
        search(make_host_search(pinned.root, options.search)),
        survey(make_host_survey(pinned.link_free, options.search.threads)),
        commands(make_host_commands(pinned.root, std::move(options.commands))),
        jobs(std::move(job_control)),
        transactions(HostTransactions::make(pinned.root, options.files)) {
    if (pinned.link_free == pinned.root) return;
    link_free_files = HostFiles::make(pinned.link_free, options.files);
    link_free_search = make_host_search(pinned.link_free, options.search);
    link_free_transactions = HostTransactions::make(pinned.link_free, options.files);
  }

  std::unique_ptr<HostFiles> files;
  std::unique_ptr<TreeSearch> search;
  std::unique_ptr<TreeSurvey> survey;
  std::unique_ptr<CommandRunner> commands;
  std::unique_ptr<JobControl> jobs;
  std::unique_ptr<HostTransactions> transactions;
  std::unique_ptr<HostFiles> link_free_files;
  std::unique_ptr<TreeSearch> link_free_search;
  std::unique_ptr<HostTransactions> link_free_transactions;
  std::mutex repairing;
  std::atomic<bool> repaired{false};
};

HostEnvironment::HostEnvironment(std::shared_ptr<os::Root> root, std::string incarnation, std::string resource_key,
                                 std::unique_ptr<Parts> parts)
    : root_(std::move(root)),
      incarnation_(std::move(incarnation)),
      resource_key_(std::move(resource_key)),
      parts_(std::move(parts)) {}

HostEnvironment::~HostEnvironment() = default;

Result<std::unique_ptr<HostEnvironment>> HostEnvironment::open(const os::HostPath& directory, HostOptions options) {
  BERTH_TRY(auto pinned, pin(directory, options));
  BERTH_TRY(auto incarnation, incarnation_of(pinned.root->fd()));
  if (pinned.root->names().empty()) {
    return make_error(ErrorCode::not_found, "the directory has no name that can be used");
  }
  auto key = "local:" + std::to_string(pinned.root->device()) + ":" + std::to_string(pinned.root->inode());
  options.jobs.env = options.commands.env;
  BERTH_TRY(auto jobs, make_host_jobs(pinned.root, job_key(key, incarnation), options.jobs));
  auto parts = std::make_unique<Parts>(pinned, std::move(options), std::move(jobs));
  return std::unique_ptr<HostEnvironment>(
      new HostEnvironment(std::move(pinned.root), std::move(incarnation), std::move(key), std::move(parts)));
}

Faces HostEnvironment::faces() noexcept {
  return {.reads = parts_->files.get(),
          .writes = parts_->files.get(),
          .search = parts_->search.get(),
          .transactions = parts_->transactions.get(),
          .commands = parts_->commands.get(),
          .jobs = parts_->jobs.get()};
}

TreeSurvey* HostEnvironment::survey() noexcept { return parts_->survey.get(); }

Faces HostEnvironment::link_free() noexcept {
  auto* files = parts_->link_free_files == nullptr ? parts_->files.get() : parts_->link_free_files.get();
  auto* search = parts_->link_free_search == nullptr ? parts_->search.get() : parts_->link_free_search.get();
  auto* transactions =
      parts_->link_free_transactions == nullptr ? parts_->transactions.get() : parts_->link_free_transactions.get();
  Faces faces;
  faces.reads = files;
  faces.writes = files;
  faces.search = search;
  faces.transactions = transactions;
  return faces;
}

Result<void> HostEnvironment::repair(const Call& call) {
  if (parts_->repaired.load(std::memory_order_acquire)) return {};
  const std::lock_guard held(parts_->repairing);
  if (parts_->repaired) return {};
  BERTH_TRY(const auto recovery, parts_->transactions->recover(call));
  parts_->repaired.store(true, std::memory_order_release);
  if (recovery.unresolved.empty()) return {};
  std::vector<std::string> paths;
  for (const auto& path : recovery.unresolved) paths.push_back(decode_utf8(path.text()).text);
  return make_error(ErrorCode::ambiguous, "a transaction was cut off, and others have changed its files since")
      .with("paths", std::move(paths));
}

}  // namespace berth::engine
