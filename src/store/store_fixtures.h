#pragma once

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <memory>
#include <string>

#include "store/directory_store.h"
#include "store/document_file.h"
#include "store/memory_store.h"
#include "store/sqlite_store.h"

/// What the tests of the stores share.
namespace berth::store {

inline constexpr const char* kPersistentKinds[] = {"directory", "sqlite"};

/// Open the store of one kind in a directory; opened again, it holds the same documents (but for "memory").
inline std::unique_ptr<DocumentStore> open_store(std::string_view kind, const std::string& directory,
                                                 StoreOptions options = {}) {
  if (kind == "memory") return make_memory_store(options);
  if (kind == "directory") return open_directory_store({directory + "/documents"}, options).value();
  if (kind == "file") return open_document_file({directory + "/document.json"}, options).value().store;
  return open_sqlite_store(Call{}, {directory + "/store.db"}, options).value();
}

/// Run `work` in a process of its own; its return value is the exit status.
inline pid_t start_process(const std::function<int()>& work) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(work());
  return pid;
}

inline int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace berth::store
