#include "providers/local/local.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "base/hash.h"
#include "engine/tree/host_survey.h"
#include "providers/local/incarnation.h"

namespace berth::local {
namespace {

constexpr std::string_view kProvider = "local";

struct Pinned {
  std::shared_ptr<os::Root> root;
  std::shared_ptr<os::Root> link_free;  ///< the same directory, with links refused
  std::string incarnation;
};

Result<Pinned> pin(const os::HostPath& directory, const LocalOptions& options) {
  BERTH_TRY(auto root, os::Root::open(directory, {options.links, options.features}));
  BERTH_TRY(auto incarnation, incarnation_of(root->fd()));
  if (options.links == os::LinkPolicy::refuse) return Pinned{root, root, std::move(incarnation)};
  BERTH_TRY(auto link_free, os::Root::open(directory, {os::LinkPolicy::refuse, options.features}));
  if (link_free->device() != root->device() || link_free->inode() != root->inode()) {
    return make_error(ErrorCode::conflict, "the directory was replaced while it was opened").at(directory.text);
  }
  return Pinned{std::move(root), std::move(link_free), std::move(incarnation)};
}

BackendInfo info_of(const os::Root& root) {
  return {.provider = std::string(kProvider),
          .resource_key = "local:" + std::to_string(root.device()) + ":" + std::to_string(root.inode()),
          .root_names = root.names(),
          .confinement = Confinement::root,
          .access = Access::read_write,
          .isolation = "none"};
}

/// Names a directory for good, as a ref does: one that is made anew under the same name has other jobs.
std::string job_key(const BackendInfo& info, const std::string& incarnation) {
  constexpr std::size_t kDigits = 32;
  return to_hex(sha256(info.resource_key + " " + incarnation)).substr(0, kDigits);
}

/// One engine on one directory. Where links are refused anyway, the link-free faces are the same objects.
class LocalBackend final : public Backend {
 public:
  LocalBackend(Pinned pinned, LocalOptions options, std::unique_ptr<JobControl> jobs)
      : info_(info_of(*pinned.root)),
        ref_{std::string(kProvider), to_string(LocalId{pinned.incarnation, pinned.root->names().back()})},
        files_(engine::HostFiles::make(pinned.root, options.files)),
        search_(engine::make_host_search(pinned.root, options.search)),
        survey_(engine::make_host_survey(pinned.link_free, options.search.threads)),
        commands_(engine::make_host_commands(pinned.root, std::move(options.commands))),
        jobs_(std::move(jobs)),
        transactions_(engine::HostTransactions::make(pinned.root, options.files)) {
    if (pinned.link_free == pinned.root) return;
    link_free_files_ = engine::HostFiles::make(pinned.link_free, options.files);
    link_free_search_ = engine::make_host_search(pinned.link_free, options.search);
    link_free_transactions_ = engine::HostTransactions::make(pinned.link_free, options.files);
  }

  const BackendInfo& info() const noexcept override { return info_; }
  std::optional<WorkspaceRef> ref() const override { return ref_; }

  /// The directory was pinned when it was opened; every call finds out by itself when it is deleted. The first time,
  /// transactions of dead processes are repaired; what cannot be is told once, as `ambiguous` with the field `paths`.
  Result<void> ensure(const Call& call) override {
    if (repaired_.load(std::memory_order_acquire)) return {};
    const std::lock_guard held(repairing_);
    if (repaired_) return {};
    BERTH_TRY(const auto recovery, transactions_->recover(call));
    repaired_.store(true, std::memory_order_release);
    if (recovery.unresolved.empty()) return {};
    std::vector<std::string> paths;
    for (const auto& path : recovery.unresolved) paths.push_back(decode_utf8(path.text()).text);
    return make_error(ErrorCode::ambiguous, "a transaction was cut off, and others have changed its files since")
        .with("paths", std::move(paths));
  }

  FileReads* reads() noexcept override { return files_.get(); }
  FileWrites* writes() noexcept override { return files_.get(); }
  CommandRunner* commands() noexcept override { return commands_.get(); }
  JobControl* jobs() noexcept override { return jobs_.get(); }
  TreeSearch* search() noexcept override { return search_.get(); }
  TreeSurvey* survey() noexcept override { return survey_.get(); }
  FileTransactions* transactions() noexcept override { return transactions_.get(); }
  LinkFreeFaces link_free() noexcept override {
    auto* files = link_free_files_ == nullptr ? files_.get() : link_free_files_.get();
    auto* search = link_free_search_ == nullptr ? search_.get() : link_free_search_.get();
    auto* transactions = link_free_transactions_ == nullptr ? transactions_.get() : link_free_transactions_.get();
    return {.reads = files, .writes = files, .search = search, .transactions = transactions};
  }

 private:
  const BackendInfo info_;
  const WorkspaceRef ref_;
  std::unique_ptr<engine::HostFiles> files_;
  std::unique_ptr<TreeSearch> search_;
  std::unique_ptr<TreeSurvey> survey_;
  std::unique_ptr<CommandRunner> commands_;
  std::unique_ptr<JobControl> jobs_;
  std::unique_ptr<engine::HostFiles> link_free_files_;
  std::unique_ptr<TreeSearch> link_free_search_;
  std::unique_ptr<engine::HostTransactions> transactions_;
  std::unique_ptr<engine::HostTransactions> link_free_transactions_;
  std::mutex repairing_;
  std::atomic<bool> repaired_{false};
};

Result<std::unique_ptr<Backend>> backend_on(Pinned pinned, LocalOptions options) {
  if (pinned.root->names().empty()) {
    return make_error(ErrorCode::not_found, "the directory has no name that can be used");
  }
  options.jobs.env = options.commands.env;
  const auto key = job_key(info_of(*pinned.root), pinned.incarnation);
  BERTH_TRY(auto jobs, engine::make_host_jobs(pinned.root, key, options.jobs));
  return std::unique_ptr<Backend>(
      std::make_unique<LocalBackend>(std::move(pinned), std::move(options), std::move(jobs)));
}

Error foreign(std::string message) { return make_error(ErrorCode::foreign_ref, std::move(message)); }

Error gone() {
  return make_error(ErrorCode::environment_gone, "the directory that the ref was given for no longer exists");
}

}  // namespace

Result<std::unique_ptr<Backend>> open_local(const os::HostPath& directory, LocalOptions options) {
  BERTH_TRY(auto pinned, pin(directory, options));
  return backend_on(std::move(pinned), std::move(options));
}

Result<std::unique_ptr<Backend>> attach_local(const WorkspaceRef& ref, LocalOptions options) {
  if (ref.provider != kProvider) return foreign("the ref is of another kind of workspace");
  const auto id = try_parse_id(ref.id);
  if (!id) return foreign("the ref is not one that a local workspace gave out");
  auto pinned = pin({id->path}, options);
  if (!pinned) {
    switch (pinned.error().code) {
      case ErrorCode::not_found:
      case ErrorCode::not_a_directory:
      case ErrorCode::symlink_loop:
      case ErrorCode::name_too_long: return gone();
      default: return std::move(pinned).error();
    }
  }
  if (pinned->incarnation != id->incarnation) return gone();
  return backend_on(std::move(pinned).value(), std::move(options));
}

}  // namespace berth::local
