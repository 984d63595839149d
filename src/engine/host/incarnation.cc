#include "engine/host/incarnation.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/hash.h"

namespace berth::engine {
namespace {

constexpr std::size_t kDigits = 16;

}  // namespace

Result<std::string> incarnation_of(int directory) {
  struct statx facts {};
  if (statx(directory, "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &facts) != 0) {
    return errno_error(errno, "look at the directory");
  }
  std::string birth = "unknown";
  if ((facts.stx_mask & STATX_BTIME) != 0) {
    birth = std::to_string(facts.stx_btime.tv_sec) + "." + std::to_string(facts.stx_btime.tv_nsec);
  }
  return to_hex(sha256(std::to_string(facts.stx_ino) + " " + birth)).substr(0, kDigits);
}

}  // namespace berth::engine
