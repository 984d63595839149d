#include "store/directory_store.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "os/directory.h"
#include "store/document_directory.h"

namespace berth::store {
namespace {

constexpr std::string_view kSuffix = ".json";

std::string file_name(std::string_view id) { return std::string(id).append(kSuffix); }

class DirectoryStore final : public DocumentStore {
 public:
  explicit DirectoryStore(DocumentDirectory directory)
      : directory_(std::move(directory)), key_("directory:" + directory_.identity()) {}

  const std::string& key() const noexcept override { return key_; }

  Result<StoredDocument> get(const Call& call, std::string_view id) override {
    BERTH_CHECK(check_document_id(id));
    BERTH_TRY(auto document, directory_.read(call, file_name(id), std::nullopt));
    return *std::move(document);
  }

  Result<std::optional<StoredDocument>> get_if_changed(const Call& call, std::string_view id,
                                                       const Version& known) override {
    BERTH_CHECK(check_document_id(id));
    return directory_.read(call, file_name(id), known);
  }

  Result<Version> create(const Call& call, std::string_view id, BytesView content) override {
    BERTH_CHECK(check_document_id(id));
    return directory_.create(call, file_name(id), content);
  }

  Result<Version> put(const Call& call, std::string_view id, BytesView content, const Version& expected) override {
    BERTH_CHECK(check_document_id(id));
    return directory_.replace(call, file_name(id), content, expected);
  }

  Result<Erased> erase(const Call& call, std::string_view id) override {
    BERTH_CHECK(check_document_id(id));
    return directory_.erase(call, file_name(id));
  }

  Result<std::vector<std::string>> list(const Call& call) override {
    // A descriptor of its own, because reading moves the offset.
    const os::Fd names(::openat(directory_.fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!names) return errno_error(errno, "list the documents");
    os::DirectoryReader reader(names.get());
    std::vector<std::string> ids;
    while (true) {
      BERTH_CHECK(call.check());
      BERTH_TRY(const auto* const entry, reader.next());
      if (entry == nullptr) break;
      std::string_view name = entry->name;
      if (!name.ends_with(kSuffix)) continue;
      name.remove_suffix(kSuffix.size());
      if (is_document_id(name)) ids.emplace_back(name);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
  }

 private:
  const DocumentDirectory directory_;
  const std::string key_;
};

}  // namespace

Result<std::unique_ptr<DocumentStore>> open_directory_store(const os::HostPath& directory, StoreOptions options) {
  if (::mkdir(directory.text.c_str(), 0700) < 0 && errno != EEXIST) {
    return errno_error(errno, "make the directory of the documents");
  }
  BERTH_TRY(auto pinned, DocumentDirectory::open(directory, options));
  return std::unique_ptr<DocumentStore>(std::make_unique<DirectoryStore>(std::move(pinned)));
}

}  // namespace berth::store
