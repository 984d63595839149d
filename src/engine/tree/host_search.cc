#include "engine/tree/host_search.h"

#include <algorithm>
#include <thread>

#include "engine/tree/list_files.h"
#include "engine/tree/search_files.h"
#include "os/root_gone.h"

namespace berth::engine {
namespace {

constexpr int kMaxThreads = 8;

class HostSearch final : public TreeSearch {
 public:
  HostSearch(std::shared_ptr<const os::Root> root, int threads) : root_(std::move(root)), threads_(threads) {}

  Result<ListPage> list(const Call& call, const ListQuery& query) override {
    return os::or_gone(*root_, list_files(call, *root_, query, threads_));
  }

  Result<SearchResult> search(const Call& call, const SearchQuery& query) override {
    return os::or_gone(*root_, search_files(call, *root_, query, threads_));
  }

 private:
  std::shared_ptr<const os::Root> root_;
  int threads_;
};

}  // namespace

std::unique_ptr<TreeSearch> make_host_search(std::shared_ptr<const os::Root> root, SearchOptions options) {
  const int machine = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxThreads);
  return std::make_unique<HostSearch>(std::move(root), options.threads > 0 ? options.threads : machine);
}

}  // namespace berth::engine
