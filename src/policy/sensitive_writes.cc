#include <algorithm>

#include "policy/real_transactions.h"
#include "policy/sensitive_files.h"
#include "policy/walk_below.h"

namespace berth {
namespace {

using Makes = PathVerdicts::Makes;

class SensitiveWrites final : public FileWrites {
 public:
  SensitiveWrites(RealTargets targets, const PathVerdicts& verdicts) : targets_(targets), verdicts_(verdicts) {}

  Result<WriteOutcome> write(const Call& call, const Path& path, BytesView content, const WriteSpec& spec) override {
    const auto makes = spec.when == WriteSpec::When::revision_matches ? Makes::nothing : Makes::path;
    BERTH_CHECK(verdicts_.check_write(path, makes));
    // What must be absent is not written through a link; anything else is.
    const auto leaf = spec.when == WriteSpec::When::absent ? Leaf::itself : Leaf::followed;
    return targets_.write_at(call, path, leaf, may_write(verdicts_, makes),
                             [&](const Path& real) { return targets_.writes()->write(call, real, content, spec); });
  }

  Result<RemoveOutcome> remove(const Call& call, const Path& path, const RemoveSpec& spec) override {
    const bool absence_is_fine = spec.what == RemoveSpec::What::file_if_present;
    const auto act = [&]() -> Result<RemoveOutcome> {
      BERTH_CHECK(verdicts_.check_write(path, Makes::nothing));
      return targets_.write_at(
          call, path, Leaf::itself,
          [&](const Path& real) -> Result<void> {
            BERTH_CHECK(verdicts_.check_write(real, Makes::nothing));
            if (spec.what != RemoveSpec::What::tree) return {};
            BERTH_TRY(const auto held, strictest_below(call, real));
            if (held == PathVerdicts::Kind::open) return {};
            return make_error(ErrorCode::policy_denied, "the directory holds what the workspace's policy keeps");
          },
          [&](const Path& real) { return targets_.writes()->remove(call, real, spec); });
    };
    auto outcome = act();
    if (!outcome && absence_is_fine && outcome.error().code == ErrorCode::not_found) return RemoveOutcome{};
    return outcome;
  }

  Result<MoveOutcome> move(const Call& call, const Path& from, const Path& to, const MoveSpec& spec) override {
    BERTH_CHECK(verdicts_.check_write(from, Makes::nothing));
    if (auto checked = verdicts_.check_write(to, Makes::path); !checked) {
      return std::move(checked).error().with("destination", "true");
    }
    return targets_.move_at(call, from, to, may_write(verdicts_, Makes::nothing), may_write(verdicts_, Makes::path),
                            [&](const Path& real_from, const Path& real_to) {
                              return targets_.writes()->move(call, real_from, real_to, spec);
                            });
  }

  Result<MakeDirectoryOutcome> make_directory(const Call& call, const Path& path) override {
    BERTH_CHECK(verdicts_.check_write(path, Makes::path));
    return targets_.write_at(call, path, Leaf::followed, may_write(verdicts_, Makes::path),
                             [&](const Path& real) { return targets_.writes()->make_directory(call, real); });
  }

  Result<PruneOutcome> prune_empty_directories(const Call& call, const Path& path,
                                               std::int64_t max_directories) override {
    const auto act = [&]() -> Result<PruneOutcome> {
      BERTH_CHECK(verdicts_.check_write(path, Makes::nothing));
      return targets_.write_at(
          call, path, Leaf::itself,
          [&](const Path& real) -> Result<void> {
            BERTH_CHECK(verdicts_.check_write(real, Makes::nothing));
            BERTH_TRY(const auto held, strictest_below(call, real));
            switch (held) {
              case PathVerdicts::Kind::open: return {};
              case PathVerdicts::Kind::hidden:
                return make_error(ErrorCode::not_empty, "the tree holds more than directories");
              default:
                return make_error(ErrorCode::policy_denied, "the directory holds what the workspace's policy keeps");
            }
          },
          [&](const Path& real) { return targets_.writes()->prune_empty_directories(call, real, max_directories); });
    };
    auto outcome = act();
    if (!outcome && outcome.error().code == ErrorCode::not_found) return PruneOutcome{};
    return outcome;
  }

 private:
  /// The strictest verdict on anything inside a directory; `open` for what is none. Links are not entered: removing a
  /// tree does not follow them.
  Result<PathVerdicts::Kind> strictest_below(const Call& call, const Path& top) const {
    auto strictest = PathVerdicts::Kind::open;
    BERTH_CHECK(walk_below(call, *targets_.reads(), top, [&](const Path& path) {
      strictest = std::max(strictest, verdicts_.kind(path.text()));
      return strictest == PathVerdicts::Kind::hidden ? WalkBelow::stop : WalkBelow::go_on;
    }));
    return strictest;
  }

  RealTargets targets_;
  const PathVerdicts& verdicts_;
};

}  // namespace

std::unique_ptr<FileTransactions> make_sensitive_transactions(RealTargets targets, const PathVerdicts& verdicts) {
  return make_checked_transactions(targets, [&verdicts](const Path& path, PathRole role) {
    const bool exists = role == PathRole::replaced || role == PathRole::taken;
    return verdicts.check_write(path, exists ? Makes::nothing : Makes::path);
  });
}

std::unique_ptr<FileWrites> make_sensitive_writes(RealTargets targets, const PathVerdicts& verdicts) {
  return std::make_unique<SensitiveWrites>(targets, verdicts);
}

}  // namespace berth
