#include "providers/state/provider.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "providers/state/state_backend.h"
#include "store/document_file.h"

namespace berth::state {
namespace {

constexpr std::string_view kProvider = "state";

Error foreign() { return make_error(ErrorCode::foreign_ref, "this ref names no workspace of this kind"); }

/// 128 random bits, so that no id was ever given before.
Result<std::string> new_id() {
  std::array<std::uint8_t, 16> random{};
  while (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    if (errno != EINTR) return errno_error(errno, "draw a random id");
  }
  constexpr char kHex[] = "0123456789abcdef";
  std::string id;
  for (const std::uint8_t byte : random) {
    id += kHex[byte >> 4];
    id += kHex[byte & 15];
  }
  return id;
}

std::unique_ptr<Backend> backend_of(store::DocumentFile file, StateBackend::Origin origin) {
  return std::make_unique<StateBackend>(std::move(file.store), std::string(store::kOnlyDocument),
                                        std::move(file.absolute_name), origin);
}

}  // namespace

Result<std::unique_ptr<Backend>> StateProvider::create() {
  BERTH_TRY(const std::string id, new_id());
  return std::unique_ptr<Backend>(std::make_unique<StateBackend>(store_, id, id, StateBackend::Origin::make_new));
}

Result<std::unique_ptr<Backend>> StateProvider::attach(const WorkspaceRef& ref) {
  if (ref.provider != kProvider || !store::is_document_id(ref.id)) return foreign();
  return std::unique_ptr<Backend>(std::make_unique<StateBackend>(store_, ref.id, ref.id, StateBackend::Origin::attach));
}

Result<void> StateProvider::destroy(const Call& call, const WorkspaceRef& ref) {
  if (ref.provider != kProvider || !store::is_document_id(ref.id)) return foreign();
  BERTH_CHECK(store_->erase(call, ref.id));
  return {};
}

Result<std::vector<WorkspaceRef>> StateProvider::list(const Call& call) {
  BERTH_TRY(auto ids, store_->list(call));
  std::vector<WorkspaceRef> refs;
  refs.reserve(ids.size());
  for (std::string& id : ids) refs.push_back({std::string(kProvider), std::move(id)});
  return refs;
}

Result<std::unique_ptr<Backend>> open_state_file(const os::HostPath& file, store::StoreOptions options) {
  BERTH_TRY(store::DocumentFile opened, store::open_document_file(file, options));
  return backend_of(std::move(opened), StateBackend::Origin::make_on_write);
}

Result<std::unique_ptr<Backend>> attach_state_file(const WorkspaceRef& ref, store::StoreOptions options) {
  if (ref.provider != kProvider || !ref.id.starts_with('/')) return foreign();
  auto opened = store::open_document_file({ref.id}, options);
  if (!opened && opened.error().code == ErrorCode::not_found) {
    return make_error(ErrorCode::environment_gone, "the workspace document does not exist");
  }
  if (!opened) return std::move(opened).error();
  if (opened->absolute_name != ref.id) return foreign();
  return backend_of(*std::move(opened), StateBackend::Origin::attach);
}

}  // namespace berth::state
