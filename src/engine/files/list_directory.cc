#include "engine/files/list_directory.h"

#include <fcntl.h>

#include <algorithm>

#include "engine/files/file_stat.h"
#include "os/directory.h"
#include "os/temp_name.h"

namespace berth::engine {
namespace {

constexpr std::size_t kEntriesBetweenChecks = 256;

}  // namespace

Result<DirectoryListing> list_directory(const Call& call, const os::Root& root, const Path& path) {
  BERTH_CHECK(call.check());
  BERTH_TRY(const os::Fd directory, root.open_path(call, path, O_RDONLY | O_DIRECTORY));
  os::DirectoryReader reader(directory.get());
  DirectoryListing listing;
  for (std::size_t seen = 1;; ++seen) {
    if (seen % kEntriesBetweenChecks == 0) BERTH_CHECK(call.check());
    BERTH_TRY(const auto* entry, reader.next());
    if (entry == nullptr) break;
    if (os::is_temp_name(entry->name)) continue;
    std::string name(entry->name);
    auto stat = describe(call, root, directory.get(), name, path.child(name));
    if (stat) {
      listing.entries.push_back({std::move(name), std::move(*stat)});
    } else if (stat.error().code != ErrorCode::not_found) {
      return std::move(stat).error();
    }
  }
  std::ranges::sort(listing.entries, {}, &DirectoryEntry::name);
  return listing;
}

}  // namespace berth::engine
