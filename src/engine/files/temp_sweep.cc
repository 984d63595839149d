#include "engine/files/temp_sweep.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "os/directory.h"
#include "os/fd.h"
#include "os/temp_name.h"

namespace berth::engine {

void TempSweep::sweep_once(int directory) {
  struct stat st;
  if (fstat(directory, &st) != 0) return;
  {
    const std::lock_guard lock(mutex_);
    if (swept_.size() >= kMaxRemembered) swept_.clear();
    if (!swept_.insert({st.st_dev, st.st_ino}).second) return;
  }
  const os::Fd readable(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (readable) sweep(readable.get());
}

void TempSweep::sweep(int readable) {
  os::DirectoryReader reader(readable);
  for (;;) {
    const auto entry = reader.next();
    if (!entry || *entry == nullptr) return;
    const auto shown = (*entry)->name;
    // What a transaction left is for its repair.
    if (!os::is_temp_name(shown) || os::is_journal_name(shown) || os::is_kept_name(shown)) continue;
    const std::string name((*entry)->name);
    const os::Fd left(openat(readable, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (left && flock(left.get(), LOCK_EX | LOCK_NB) == 0) unlinkat(readable, name.c_str(), 0);
  }
}

}  // namespace berth::engine
