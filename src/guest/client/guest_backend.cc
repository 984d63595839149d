#include "guest/client/guest_backend.h"

#include <atomic>
#include <utility>

#include "guest/client/remote_faces.h"

namespace berth::guest {
namespace {

BackendInfo info_of(const BackendOptions& options, const OpenAnswer& opened) {
  return {.provider = options.provider,
          .resource_key = options.resource_key.value_or(opened.resource_key),
          .root_names = opened.root_names,
          .confinement = options.confinement,
          .access = Access::read_write,
          .isolation = options.isolation};
}

WorkspaceRef ref_of(const BackendOptions& options, const OpenAnswer& opened) {
  if (options.ref) return *options.ref;
  return {options.provider, opened.incarnation + ":" + opened.root_names.back()};
}

class GuestBackend final : public Backend {
 public:
  GuestBackend(std::shared_ptr<Connection> connection, const BackendOptions& options, const OpenAnswer& opened)
      : info_(info_of(options, opened)),
        ref_(ref_of(options, opened)),
        remote_(connection, 0),
        files_({connection, 0}),
        search_({connection, 0}),
        transactions_({connection, 0}),
        link_free_files_({connection, RequestHead::kLinkFree}),
        link_free_search_({connection, RequestHead::kLinkFree}),
        link_free_transactions_({connection, RequestHead::kLinkFree}),
        commands_(connection),
        jobs_({connection, 0}),
        has_jobs_(opened.jobs) {}

  const BackendInfo& info() const noexcept override { return info_; }
  std::optional<WorkspaceRef> ref() const override { return ref_; }

  /// The directory was opened with the connection; every call finds out by itself when it is deleted.
  Result<void> ensure(const Call& call) override {
    if (ensured_.load(std::memory_order_acquire)) return {};
    const auto done = remote_.ask<operations::Ensure>(call, {});
    if (!done) return done.error();
    ensured_.store(true, std::memory_order_release);
    return {};
  }

  FileReads* reads() noexcept override { return &files_; }
  FileWrites* writes() noexcept override { return &files_; }
  FileTransactions* transactions() noexcept override { return &transactions_; }
  CommandRunner* commands() noexcept override { return &commands_; }
  JobControl* jobs() noexcept override { return has_jobs_ ? &jobs_ : nullptr; }
  TreeSearch* search() noexcept override { return &search_; }
  LinkFreeFaces link_free() noexcept override {
    return {.reads = &link_free_files_,
            .writes = &link_free_files_,
            .search = &link_free_search_,
            .transactions = &link_free_transactions_};
  }

 private:
  const BackendInfo info_;
  const WorkspaceRef ref_;
  const Remote remote_;
  RemoteFiles files_;
  RemoteSearch search_;
  RemoteTransactions transactions_;
  RemoteFiles link_free_files_;
  RemoteSearch link_free_search_;
  RemoteTransactions link_free_transactions_;
  RemoteCommands commands_;
  RemoteJobs jobs_;
  const bool has_jobs_;
  std::atomic<bool> ensured_{false};
};

}  // namespace

Result<std::unique_ptr<Backend>> open_backend(const Call& call, Channel channel, BackendOptions options) {
  BERTH_TRY(auto connection, Connection::open(call, std::move(channel)));
  BERTH_TRY(const auto opened, Remote(connection, 0).ask<operations::Open>(call, {}, options.open));
  if (opened.root_names.empty()) return broken_protocol("the directory that was opened has no name");
  return std::unique_ptr<Backend>(std::make_unique<GuestBackend>(std::move(connection), options, opened));
}

}  // namespace berth::guest
