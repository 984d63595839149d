#include "policy/read_only.h"

#include "policy/forwarding_backend.h"

namespace berth {
namespace {

class ReadOnlyBackend final : public ForwardingBackend {
 public:
  explicit ReadOnlyBackend(std::unique_ptr<Backend> wrapped)
      : ForwardingBackend(std::move(wrapped)), info_(inner().info()) {
    info_.access = Access::read_only;
  }

  const BackendInfo& info() const noexcept override { return info_; }
  FileReads* reads() noexcept override { return inner().reads(); }
  TreeSearch* search() noexcept override { return inner().search(); }
  LinkFreeFaces link_free() noexcept override {
    const auto faces = inner().link_free();
    return {.reads = faces.reads, .writes = nullptr, .search = faces.search, .transactions = nullptr};
  }

 private:
  BackendInfo info_;
};

}  // namespace

std::unique_ptr<Backend> make_read_only(std::unique_ptr<Backend> inner) {
  return std::make_unique<ReadOnlyBackend>(std::move(inner));
}

}  // namespace berth
