#include "store/document_file.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>

#include "store/document_directory.h"

namespace berth::store {
namespace {

class SingleFileStore final : public DocumentStore {
 public:
  SingleFileStore(DocumentDirectory directory, std::string name)
      : directory_(std::move(directory)), name_(std::move(name)), key_("file:" + directory_.identity() + "/" + name_) {}

  const std::string& key() const noexcept override { return key_; }

  Result<StoredDocument> get(const Call& call, std::string_view id) override {
    if (id != kOnlyDocument) return missing(id);
    BERTH_TRY(auto document, directory_.read(call, name_, std::nullopt));
    return *std::move(document);
  }

  Result<std::optional<StoredDocument>> get_if_changed(const Call& call, std::string_view id,
                                                       const Version& known) override {
    if (id != kOnlyDocument) return missing(id);
    return directory_.read(call, name_, known);
  }

  Result<Version> create(const Call& call, std::string_view id, BytesView content) override {
    if (id != kOnlyDocument) return make_error(ErrorCode::invalid_argument, "a document file holds one document");
    return directory_.create(call, name_, content);
  }

  Result<Version> put(const Call& call, std::string_view id, BytesView content, const Version& expected) override {
    if (id != kOnlyDocument) return missing(id);
    return directory_.replace(call, name_, content, expected);
  }

  Result<Erased> erase(const Call& call, std::string_view id) override {
    if (id != kOnlyDocument) {
      BERTH_CHECK(check_document_id(id));
      return Erased::was_absent;
    }
    return directory_.erase(call, name_);
  }

  Result<std::vector<std::string>> list(const Call& call) override {
    auto document = directory_.read(call, name_, std::nullopt);
    if (document) return std::vector<std::string>{std::string(kOnlyDocument)};
    if (document.error().code == ErrorCode::not_found) return std::vector<std::string>();
    return std::move(document).error();
  }

 private:
  static Error missing(std::string_view id) {
    if (auto checked = check_document_id(id); !checked) return std::move(checked).error();
    return make_error(ErrorCode::not_found, "a document file holds one document");
  }

  const DocumentDirectory directory_;
  const std::string name_;
  const std::string key_;
};

Result<std::string> real_name(const std::string& name) {
  char* const resolved = ::realpath(name.c_str(), nullptr);
  if (resolved == nullptr) return errno_error(errno, "find the document");
  std::string text(resolved);
  ::free(resolved);
  return text;
}

/// The absolute name of the file, its own link resolved when it is one.
Result<std::string> resolve(const std::string& name) {
  struct stat status {};
  if (::lstat(name.c_str(), &status) == 0) {
    if (S_ISLNK(status.st_mode)) return real_name(name);
    if (S_ISDIR(status.st_mode)) return make_error(ErrorCode::is_a_directory, "the document is a directory");
    if (!S_ISREG(status.st_mode)) return make_error(ErrorCode::not_regular, "the document is not a regular file");
  } else if (errno != ENOENT) {
    return errno_error(errno, "find the document");
  }
  const std::size_t slash = name.rfind('/');
  const std::string leaf = slash == std::string::npos ? name : name.substr(slash + 1);
  if (leaf.empty() || leaf == "." || leaf == "..") {
    return make_error(ErrorCode::invalid_argument, "this cannot be the name of a document file");
  }
  BERTH_TRY(const std::string parent, real_name(slash == std::string::npos ? "."
                                                : slash == 0               ? "/"
                                                                           : name.substr(0, slash)));
  return parent == "/" ? "/" + leaf : parent + "/" + leaf;
}

}  // namespace

Result<DocumentFile> open_document_file(const os::HostPath& file, StoreOptions options) {
  if (file.text.empty() || file.text.find('\0') != std::string::npos) {
    return make_error(ErrorCode::invalid_argument, "this cannot be the name of a document file");
  }
  BERTH_TRY(std::string name, resolve(file.text));
  const std::size_t slash = name.rfind('/');
  BERTH_TRY(auto directory, DocumentDirectory::open({slash == 0 ? "/" : name.substr(0, slash)}, options));
  auto store = std::make_unique<SingleFileStore>(std::move(directory), name.substr(slash + 1));
  return DocumentFile{std::move(store), std::move(name)};
}

}  // namespace berth::store
