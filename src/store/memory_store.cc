#include "store/memory_store.h"

#include <atomic>
#include <map>
#include <mutex>

namespace berth::store {
namespace {

std::string next_key() {
  static std::atomic<std::uint64_t> counter{0};
  return "memory:" + std::to_string(++counter);
}

class MemoryStore final : public DocumentStore {
 public:
  explicit MemoryStore(StoreOptions options) : options_(options), key_(next_key()) {}

  const std::string& key() const noexcept override { return key_; }

  Result<StoredDocument> get(const Call& call, std::string_view id) override {
    BERTH_CHECK(begin(call, id));
    const std::lock_guard lock(mutex_);
    const auto found = documents_.find(id);
    if (found == documents_.end()) return missing();
    return found->second;
  }

  Result<std::optional<StoredDocument>> get_if_changed(const Call& call, std::string_view id,
                                                       const Version& known) override {
    BERTH_CHECK(begin(call, id));
    const std::lock_guard lock(mutex_);
    const auto found = documents_.find(id);
    if (found == documents_.end()) return missing();
    if (found->second.version == known) return std::optional<StoredDocument>();
    return std::optional<StoredDocument>(found->second);
  }

  Result<Version> create(const Call& call, std::string_view id, BytesView content) override {
    BERTH_CHECK(begin(call, id));
    BERTH_CHECK(check_document_size(static_cast<std::int64_t>(content.size()), options_));
    const std::lock_guard lock(mutex_);
    const auto [place, created] = documents_.try_emplace(std::string(id));
    if (!created) return make_error(ErrorCode::already_exists, "there is a document with this id");
    place->second = {Bytes(content), next_version()};
    return place->second.version;
  }

  Result<Version> put(const Call& call, std::string_view id, BytesView content, const Version& expected) override {
    BERTH_CHECK(begin(call, id));
    BERTH_CHECK(check_document_size(static_cast<std::int64_t>(content.size()), options_));
    const std::lock_guard lock(mutex_);
    const auto found = documents_.find(id);
    if (found == documents_.end()) return missing();
    if (found->second.version != expected) {
      return make_error(ErrorCode::conflict, "the document was changed meanwhile");
    }
    found->second = {Bytes(content), next_version()};
    return found->second.version;
  }

  Result<Erased> erase(const Call& call, std::string_view id) override {
    BERTH_CHECK(begin(call, id));
    const std::lock_guard lock(mutex_);
    const auto found = documents_.find(id);
    if (found == documents_.end()) return Erased::was_absent;
    documents_.erase(found);
    return Erased::yes;
  }

  Result<std::vector<std::string>> list(const Call& call) override {
    BERTH_CHECK(call.check());
    const std::lock_guard lock(mutex_);
    std::vector<std::string> ids;
    ids.reserve(documents_.size());
    for (const auto& [id, document] : documents_) ids.push_back(id);
    return ids;
  }

 private:
  static Result<void> begin(const Call& call, std::string_view id) {
    BERTH_CHECK(check_document_id(id));
    return call.check();
  }

  static Error missing() { return make_error(ErrorCode::not_found, "there is no document with this id"); }

  Version next_version() { return {std::to_string(++versions_)}; }

  const StoreOptions options_;
  const std::string key_;
  std::mutex mutex_;
  std::map<std::string, StoredDocument, std::less<>> documents_;
  std::uint64_t versions_ = 0;
};

}  // namespace

std::unique_ptr<DocumentStore> make_memory_store(StoreOptions options) {
  return std::make_unique<MemoryStore>(options);
}

}  // namespace berth::store
