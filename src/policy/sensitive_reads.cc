#include <algorithm>

#include "policy/sensitive_files.h"

namespace berth {
namespace {

class SensitiveReads final : public FileReads {
 public:
  SensitiveReads(RealTargets targets, const PathVerdicts& verdicts) : targets_(targets), verdicts_(verdicts) {}

  Result<ReadPage> read(const Call& call, const Path& path, const ReadRange& range) override {
    BERTH_CHECK(verdicts_.check_read(path));
    return targets_.read_at(call, path, Leaf::followed, may_read(verdicts_),
                            [&](const Path& real) { return targets_.reads()->read(call, real, range); });
  }

  Result<LinePage> read_lines(const Call& call, const Path& path, const LineRange& range) override {
    BERTH_CHECK(verdicts_.check_read(path));
    return targets_.read_at(call, path, Leaf::followed, may_read(verdicts_),
                            [&](const Path& real) { return targets_.reads()->read_lines(call, real, range); });
  }

  Result<FileStat> stat(const Call& call, const Path& path, FollowLeaf follow) override {
    BERTH_CHECK(verdicts_.check_read(path));
    const bool followed = follow == FollowLeaf::yes;
    auto facts = targets_.read_at(call, path, followed ? Leaf::followed : Leaf::itself, may_read(verdicts_),
                                  [&](const Path& real) { return targets_.reads()->stat(call, real, follow); });
    if (!followed && facts && facts->kind == FileKind::symlink) {
      // A link that leads to what is kept back is no more to be seen by itself than in a listing.
      for (const Path& place : targets_.way_of(call, path)) BERTH_CHECK(verdicts_.check_read(place));
      targets_.complete(call, path, *facts);
    }
    return facts;
  }

  Result<DirectoryListing> list_directory(const Call& call, const Path& path) override {
    BERTH_CHECK(verdicts_.check_read(path));
    return targets_.read_at(
        call, path, Leaf::followed, may_read(verdicts_), [&](const Path& real) -> Result<DirectoryListing> {
          BERTH_TRY(auto listing, targets_.reads()->list_directory(call, real));
          std::erase_if(listing.entries, [&](const DirectoryEntry& entry) {
            if (verdicts_.is_kept_back(path.child(entry.name).text())) return true;
            const Path child = real.child(entry.name);
            return verdicts_.is_kept_back(child.text()) ||
                   (entry.stat.kind == FileKind::symlink && leads_to_kept_back(call, targets_, verdicts_, child));
          });
          for (auto& entry : listing.entries) targets_.complete(call, real.child(entry.name), entry.stat);
          return listing;
        });
  }

  Result<Path> real_path(const Call& call, const Path& path) override {
    BERTH_CHECK(verdicts_.check_read(path));
    return targets_.read_at(call, path, Leaf::followed, may_read(verdicts_),
                            [&](const Path& real) { return targets_.reads()->real_path(call, real); });
  }

 private:
  RealTargets targets_;
  const PathVerdicts& verdicts_;
};

}  // namespace

std::unique_ptr<FileReads> make_sensitive_reads(RealTargets targets, const PathVerdicts& verdicts) {
  return std::make_unique<SensitiveReads>(targets, verdicts);
}

bool leads_to_kept_back(const Call& call, const RealTargets& targets, const PathVerdicts& verdicts, const Path& link) {
  return std::ranges::any_of(targets.way_of(call, link),
                             [&](const Path& place) { return verdicts.is_kept_back(place.text()); });
}

}  // namespace berth
