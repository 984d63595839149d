#pragma once

#include <sys/stat.h>
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/files/host_files.h"
#include "testing/matchers.h"
#include "testing/paths.h"
#include "testing/temp_dir.h"

namespace berth::engine {

/// A set of kernel features with a name for test output.
struct NamedFeatures {
  std::string name;
  os::Features features;
};
inline void PrintTo(const NamedFeatures& set, std::ostream* out) { *out << set.name; }

inline std::vector<NamedFeatures> feature_sets() {
  const os::Features all = os::Features::probe();
  os::Features no_openat2 = all;
  no_openat2.openat2 = false;
  os::Features no_renameat2 = all;
  no_renameat2.renameat2 = false;
  return {{"all", all}, {"no_openat2", no_openat2}, {"no_renameat2", no_renameat2}, {"none", os::Features::none()}};
}

using testing::path_of;

/// Files over a fresh directory.
struct Scratch {
  explicit Scratch(os::Features features = os::Features::probe(), FileOptions options = {},
                   os::LinkPolicy links = os::LinkPolicy::follow_inside)
      : root(*os::Root::open({dir.path()}, {links, features})), files(HostFiles::make(root, options)) {}

  Result<ReadPage> read(std::string_view path, ReadRange range = {}) { return files->read({}, path_of(path), range); }
  Result<LinePage> read_lines(std::string_view path, LineRange range = {}) {
    return files->read_lines({}, path_of(path), range);
  }
  Result<FileStat> stat(std::string_view path, FollowLeaf follow = FollowLeaf::yes) {
    return files->stat({}, path_of(path), follow);
  }
  Result<DirectoryListing> list(std::string_view path) { return files->list_directory({}, path_of(path)); }
  Result<WriteOutcome> write(std::string_view path, BytesView content, const WriteSpec& spec = {}) {
    return files->write({}, path_of(path), content, spec);
  }
  Result<WriteOutcome> create(std::string_view path, BytesView content) {
    return write(path, content, {.when = WriteSpec::When::absent});
  }
  Result<WriteOutcome> replace(std::string_view path, BytesView content, Revision expected) {
    return write(path, content, {.when = WriteSpec::When::revision_matches, .expected_revision = std::move(expected)});
  }
  Result<RemoveOutcome> remove(std::string_view path, const RemoveSpec& spec) {
    return files->remove({}, path_of(path), spec);
  }
  Result<RemoveOutcome> remove_tree(std::string_view path) { return remove(path, {.what = RemoveSpec::What::tree}); }
  Result<MoveOutcome> move(std::string_view from, std::string_view to, const MoveSpec& spec) {
    return files->move({}, path_of(from), path_of(to), spec);
  }
  Result<MakeDirectoryOutcome> make_directory(std::string_view path) {
    return files->make_directory({}, path_of(path));
  }
  Result<PruneOutcome> prune(std::string_view path, std::int64_t max_directories = 100) {
    return files->prune_empty_directories({}, path_of(path), max_directories);
  }

  /// Every name below the directory, temporary ones too, sorted; directories end with a slash.
  std::vector<std::string> tree() const;
  mode_t mode(std::string_view path) const;
  void chmod(std::string_view path, mode_t mode) const;
  struct stat lstat(std::string_view path) const;
  void make_fifo(std::string_view path) const;

  testing::TempDir dir;
  std::shared_ptr<os::Root> root;
  std::unique_ptr<HostFiles> files;
};

/// Tests that run once for every set of kernel features.
class FilesTest : public ::testing::TestWithParam<NamedFeatures>, public Scratch {
 protected:
  FilesTest() : Scratch(GetParam().features) {}
};

inline std::string feature_set_name(const ::testing::TestParamInfo<NamedFeatures>& info) { return info.param.name; }

#define BERTH_FOR_EVERY_FEATURE_SET(suite) \
  INSTANTIATE_TEST_SUITE_P(Kernel, suite, ::testing::ValuesIn(feature_sets()), feature_set_name)

/// How many descriptors this process has open.
std::size_t open_descriptors();

}  // namespace berth::engine
