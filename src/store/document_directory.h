#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "os/fd.h"
#include "os/root.h"
#include "store/document_store.h"

namespace berth::store {

/// Whole documents as files of one directory, which is held by descriptor: what the file-backed stores stand on.
///
/// A change writes a temporary file, syncs it, renames it over the document and syncs the directory, all under the
/// flock of the directory's own descriptor (C-WRITE-12). The temporary name is fixed for each document, so a killed
/// writer leaves at most one, and the next writer of that document takes it away. Reading takes no lock.
///
/// The version is the file's inode, size, mtime and ctime. Writers set an mtime later than the one they replace, so it
/// never comes back; a program that writes in place without asking is seen through the kernel's own times.
class DocumentDirectory {
 public:
  /// Pin a directory. Errors: `not_found`, `not_a_directory`, `permission_denied`.
  static Result<DocumentDirectory> open(const os::HostPath& path, StoreOptions options);

  /// `DEVICE:INODE` of the directory.
  std::string identity() const;
  int fd() const noexcept { return directory_.get(); }

  /// Read a document, or nothing when it has the `known` version. `not_regular` when something else stands there;
  /// `changed_during_read` when a program that does not cooperate keeps writing it.
  Result<std::optional<StoredDocument>> read(const Call& call, const std::string& name,
                                             const std::optional<Version>& known) const;
  Result<Version> create(const Call& call, const std::string& name, BytesView content) const;
  Result<Version> replace(const Call& call, const std::string& name, BytesView content, const Version& expected) const;
  Result<DocumentStore::Erased> erase(const Call& call, const std::string& name) const;

 private:
  DocumentDirectory(os::Fd directory, struct stat status, StoreOptions options)
      : directory_(std::move(directory)), status_(status), options_(options) {}

  Result<std::optional<StoredDocument>> try_read(const Call& call, const std::string& name,
                                                 const std::optional<Version>& known) const;
  Result<std::optional<struct stat>> look(const std::string& name) const;
  Result<Version> write(const Call& call, const std::string& name, BytesView content,
                        const std::optional<struct stat>& old) const;
  Result<void> sync() const;

  os::Fd directory_;
  struct stat status_;
  StoreOptions options_;
};

}  // namespace berth::store
