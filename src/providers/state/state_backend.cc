#include "providers/state/state_backend.h"

namespace berth::state {

StateBackend::StateBackend(std::shared_ptr<store::DocumentStore> store, std::string document_id, std::string ref_id,
                           Origin origin)
    : ref_id_(std::move(ref_id)), origin_(origin), session_(std::move(store), std::move(document_id), origin) {
  info_.provider = "state";
  info_.resource_key = "state:" + session_.store().key() + "/" + session_.id();
  info_.root_names = {"/"};
  info_.confinement = Confinement::root;
  info_.access = Access::read_write;
  info_.isolation = "document";
}

std::optional<WorkspaceRef> StateBackend::ref() const {
  if (origin_ != Origin::attach && !session_.existed()) return std::nullopt;
  return WorkspaceRef{info_.provider, ref_id_};
}

}  // namespace berth::state
