#include <algorithm>

#include "policy/rules/rulings.h"

namespace berth {
namespace {

class RuledReads final : public FileReads {
 public:
  RuledReads(RealTargets targets, FileReads& plain, const Rulings& rulings)
      : targets_(targets), plain_(plain), rulings_(rulings) {}

  Result<ReadPage> read(const Call& call, const Path& path, const ReadRange& range) override {
    if (!rulings_.may_deny(Operation::read)) return plain_.read(call, path, range);
    BERTH_CHECK(may_read(path));
    return targets_.read_at(
        call, path, Leaf::followed, [this](const Path& real) { return may_read(real); },
        [&](const Path& real) { return targets_.reads()->read(call, real, range); });
  }

  Result<LinePage> read_lines(const Call& call, const Path& path, const LineRange& range) override {
    if (!rulings_.may_deny(Operation::read)) return plain_.read_lines(call, path, range);
    BERTH_CHECK(may_read(path));
    return targets_.read_at(
        call, path, Leaf::followed, [this](const Path& real) { return may_read(real); },
        [&](const Path& real) { return targets_.reads()->read_lines(call, real, range); });
  }

  Result<FileStat> stat(const Call& call, const Path& path, FollowLeaf follow) override {
    if (!rulings_.may_deny_facts()) return plain_.stat(call, path, follow);
    BERTH_CHECK(rulings_.check_facts(path));
    const bool followed = follow == FollowLeaf::yes;
    auto facts = targets_.read_at(
        call, path, followed ? Leaf::followed : Leaf::itself,
        [this](const Path& real) { return rulings_.check_facts(real); },
        [&](const Path& real) { return targets_.reads()->stat(call, real, follow); });
    if (!followed && facts && facts->kind == FileKind::symlink) {
      BERTH_CHECK(rulings_.check_facts(targets_.target_of_link(call, path)));
      targets_.complete(call, path, *facts);
    }
    return facts;
  }

  Result<DirectoryListing> list_directory(const Call& call, const Path& path) override {
    if (!rulings_.may_deny(Operation::ls)) return plain_.list_directory(call, path);
    BERTH_CHECK(rulings_.check_base(Operation::ls, path));
    return targets_.read_at(
        call, path, Leaf::followed, [this](const Path& real) { return rulings_.check_base(Operation::ls, real); },
        [&](const Path& real) -> Result<DirectoryListing> {
          BERTH_TRY(auto listing, targets_.reads()->list_directory(call, real));
          std::erase_if(listing.entries, [&](const DirectoryEntry& entry) {
            return is_denied(path.child(entry.name), entry) || is_denied(real.child(entry.name), entry) ||
                   (entry.stat.kind == FileKind::symlink && leads_to_denied(call, real.child(entry.name)));
          });
          for (auto& entry : listing.entries) targets_.complete(call, real.child(entry.name), entry.stat);
          return listing;
        });
  }

  Result<Path> real_path(const Call& call, const Path& path) override {
    if (!rulings_.may_deny_facts()) return plain_.real_path(call, path);
    BERTH_CHECK(rulings_.check_facts(path));
    return targets_.read_at(
        call, path, Leaf::followed, [this](const Path& real) { return rulings_.check_facts(real); },
        [&](const Path& real) { return targets_.reads()->real_path(call, real); });
  }

 private:
  Result<void> may_read(const Path& path) const { return rulings_.check(Operation::read, path); }

  // A directory that only a default denies is shown when rules pass something in it: it is the way there.
  bool is_denied(const Path& path, const DirectoryEntry& entry) const {
    return entry.stat.kind == FileKind::directory ? !rulings_.check_base(Operation::ls, path)
                                                  : rulings_.denies(Operation::ls, path.text());
  }

  bool leads_to_denied(const Call& call, const Path& link) const {
    return !rulings_.check_base(Operation::ls, targets_.target_of_link(call, link));
  }

  RealTargets targets_;
  FileReads& plain_;
  const Rulings& rulings_;
};

}  // namespace

std::unique_ptr<FileReads> make_ruled_reads(RealTargets targets, FileReads& plain, const Rulings& rulings) {
  return std::make_unique<RuledReads>(targets, plain, rulings);
}

}  // namespace berth
