#include "providers/local/local.h"

#include <utility>

#include "providers/local/local_id.h"

namespace berth::local {
namespace {

using engine::HostEnvironment;

constexpr std::string_view kProvider = "local";

class LocalBackend final : public Backend {
 public:
  explicit LocalBackend(std::unique_ptr<HostEnvironment> environment)
      : environment_(std::move(environment)),
        info_{.provider = std::string(kProvider),
              .resource_key = environment_->resource_key(),
              .root_names = environment_->root().names(),
              .confinement = Confinement::root,
              .access = Access::read_write,
              .isolation = "none"},
        ref_{std::string(kProvider), to_string(LocalId{environment_->incarnation(), info_.root_names.back()})} {}

  const BackendInfo& info() const noexcept override { return info_; }
  std::optional<WorkspaceRef> ref() const override { return ref_; }

  /// The directory was pinned when it was opened; every call finds out by itself when it is deleted.
  Result<void> ensure(const Call& call) override { return environment_->repair(call); }

  FileReads* reads() noexcept override { return environment_->faces().reads; }
  FileWrites* writes() noexcept override { return environment_->faces().writes; }
  CommandRunner* commands() noexcept override { return environment_->faces().commands; }
  JobControl* jobs() noexcept override { return environment_->faces().jobs; }
  TreeSearch* search() noexcept override { return environment_->faces().search; }
  TreeSurvey* survey() noexcept override { return environment_->survey(); }
  FileTransactions* transactions() noexcept override { return environment_->faces().transactions; }
  LinkFreeFaces link_free() noexcept override {
    const auto faces = environment_->link_free();
    return {.reads = faces.reads, .writes = faces.writes, .search = faces.search, .transactions = faces.transactions};
  }

 private:
  const std::unique_ptr<HostEnvironment> environment_;
  const BackendInfo info_;
  const WorkspaceRef ref_;
};

Error foreign(std::string message) { return make_error(ErrorCode::foreign_ref, std::move(message)); }

Error gone() {
  return make_error(ErrorCode::environment_gone, "the directory that the ref was given for no longer exists");
}

}  // namespace

Result<std::unique_ptr<Backend>> open_local(const os::HostPath& directory, LocalOptions options) {
  BERTH_TRY(auto environment, HostEnvironment::open(directory, std::move(options)));
  return std::unique_ptr<Backend>(std::make_unique<LocalBackend>(std::move(environment)));
}

Result<std::unique_ptr<Backend>> attach_local(const WorkspaceRef& ref, LocalOptions options) {
  if (ref.provider != kProvider) return foreign("the ref is of another kind of workspace");
  const auto id = try_parse_id(ref.id);
  if (!id) return foreign("the ref is not one that a local workspace gave out");
  auto environment = HostEnvironment::open({id->path}, std::move(options));
  if (!environment) {
    switch (environment.error().code) {
      case ErrorCode::not_found:
      case ErrorCode::not_a_directory:
      case ErrorCode::symlink_loop:
      case ErrorCode::name_too_long: return gone();
      default: return std::move(environment).error();
    }
  }
  if ((*environment)->incarnation() != id->incarnation) return gone();
  return std::unique_ptr<Backend>(std::make_unique<LocalBackend>(std::move(environment).value()));
}

}  // namespace berth::local
