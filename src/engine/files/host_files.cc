#include "engine/files/host_files.h"

#include <algorithm>

#include "engine/files/file_engine.h"
#include "engine/files/file_stat.h"
#include "engine/files/list_directory.h"
#include "engine/files/make_directory.h"
#include "engine/files/move_file.h"
#include "engine/files/prune_directories.h"
#include "engine/files/read_lines.h"
#include "engine/files/read_page.h"
#include "engine/files/remove_path.h"
#include "engine/files/write_file.h"
#include "os/root_gone.h"
#include "os/temp_name.h"

namespace berth::engine {
namespace {

/// What is made under such a name is in no listing, and gone with the next sweep.
Result<void> refuse_temp_names(const Path& path) {
  if (std::ranges::none_of(path.components(), os::is_temp_name)) return {};
  return make_error(ErrorCode::invalid_argument, "the path holds a name that is kept for temporary files");
}

class RootFiles final : public HostFiles {
 public:
  RootFiles(std::shared_ptr<const os::Root> root, FileOptions options)
      : engine_{std::move(root), options, {}, {}, {}} {}

  Result<ReadPage> read(const Call& call, const Path& path, const ReadRange& range) override {
    return told(read_page(call, *engine_.root, engine_.revisions, path, range));
  }
  Result<LinePage> read_lines(const Call& call, const Path& path, const LineRange& range) override {
    return told(engine::read_lines(call, *engine_.root, engine_.line_indexes, path, range));
  }
  Result<FileStat> stat(const Call& call, const Path& path, FollowLeaf follow) override {
    return told(stat_path(call, *engine_.root, path, follow));
  }
  Result<DirectoryListing> list_directory(const Call& call, const Path& path) override {
    return told(engine::list_directory(call, *engine_.root, path));
  }
  Result<Path> real_path(const Call& call, const Path& path) override {
    return told(engine_.root->real_path(call, path));
  }

  Result<WriteOutcome> write(const Call& call, const Path& path, BytesView content, const WriteSpec& spec) override {
    BERTH_CHECK(refuse_temp_names(path));
    return told(write_file(call, engine_, path, content, spec));
  }
  Result<RemoveOutcome> remove(const Call& call, const Path& path, const RemoveSpec& spec) override {
    return told(remove_path(call, engine_, path, spec));
  }
  Result<MoveOutcome> move(const Call& call, const Path& from, const Path& to, const MoveSpec& spec) override {
    if (auto checked = refuse_temp_names(to); !checked) return std::move(checked).error().with("destination", "true");
    return told(move_file(call, engine_, from, to, spec));
  }
  Result<MakeDirectoryOutcome> make_directory(const Call& call, const Path& path) override {
    BERTH_CHECK(refuse_temp_names(path));
    return told(engine::make_directory(call, engine_, path));
  }
  Result<PruneOutcome> prune_empty_directories(const Call& call, const Path& path,
                                               std::int64_t max_directories) override {
    return told(prune_directories(call, engine_, path, max_directories));
  }

 private:
  template <typename T>
  Result<T> told(Result<T> result) const {
    return os::or_gone(*engine_.root, std::move(result));
  }

  FileEngine engine_;
};

}  // namespace

std::unique_ptr<HostFiles> HostFiles::make(std::shared_ptr<const os::Root> root, FileOptions options) {
  return std::make_unique<RootFiles>(std::move(root), options);
}

}  // namespace berth::engine
