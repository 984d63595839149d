#pragma once

#include <memory>
#include <utility>

#include "workspace/backend.h"

namespace berth {

/// What every policy derives from (C-POL-1): owns the backend it stands before and passes on its identity and
/// lifecycle. Capabilities are not passed on: a policy offers what it forwards on purpose, so a forgotten one fails
/// closed.
class ForwardingBackend : public Backend {
 public:
  const BackendInfo& info() const noexcept override { return inner_->info(); }
  std::optional<WorkspaceRef> ref() const override { return inner_->ref(); }
  Result<void> ensure(const Call& call) override { return inner_->ensure(call); }

 protected:
  explicit ForwardingBackend(std::unique_ptr<Backend> inner) : inner_(std::move(inner)) {}

  Backend& inner() const noexcept { return *inner_; }

 private:
  std::unique_ptr<Backend> inner_;
};

}  // namespace berth
