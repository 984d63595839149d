#include "policy/real_transactions.h"
#include "policy/rules/rulings.h"
#include "policy/walk_below.h"

namespace berth {
namespace {

/// Refuses a path that one operation is denied for.
class Check {
 public:
  Check(const Rulings& rulings, Operation operation) : rulings_(rulings), operation_(operation) {}

  Result<void> operator()(const Path& path) const { return rulings_.check(operation_, path); }

 private:
  const Rulings& rulings_;
  Operation operation_;
};

class RuledWrites final : public FileWrites {
 public:
  RuledWrites(RealTargets targets, const Rulings& rulings) : targets_(targets), rulings_(rulings) {}

  Result<WriteOutcome> write(const Call& call, const Path& path, BytesView content, const WriteSpec& spec) override {
    const Check check(rulings_, operation_of(spec));
    BERTH_CHECK(check(path));
    // What must be absent is not written through a link; anything else is.
    const auto leaf = spec.when == WriteSpec::When::absent ? Leaf::itself : Leaf::followed;
    return targets_.write_at(call, path, leaf, check,
                             [&](const Path& real) { return targets_.writes()->write(call, real, content, spec); });
  }

  Result<RemoveOutcome> remove(const Call& call, const Path& path, const RemoveSpec& spec) override {
    const Check check(rulings_, Operation::write);
    BERTH_CHECK(check(path));
    return targets_.write_at(
        call, path, Leaf::itself,
        [&](const Path& real) -> Result<void> {
          BERTH_CHECK(check(real));
          return spec.what == RemoveSpec::What::tree ? check_below(call, real) : Result<void>();
        },
        [&](const Path& real) { return targets_.writes()->remove(call, real, spec); });
  }

  Result<MoveOutcome> move(const Call& call, const Path& from, const Path& to, const MoveSpec& spec) override {
    const Check check(rulings_, Operation::write);
    BERTH_CHECK(check(from));
    if (auto checked = check(to); !checked) return std::move(checked).error().with("destination", "true");
    return targets_.move_at(call, from, to, check, check, [&](const Path& real_from, const Path& real_to) {
      return targets_.writes()->move(call, real_from, real_to, spec);
    });
  }

  Result<MakeDirectoryOutcome> make_directory(const Call& call, const Path& path) override {
    const Check check(rulings_, Operation::write);
    BERTH_CHECK(check(path));
    return targets_.write_at(call, path, Leaf::followed, check,
                             [&](const Path& real) { return targets_.writes()->make_directory(call, real); });
  }

  Result<PruneOutcome> prune_empty_directories(const Call& call, const Path& path,
                                               std::int64_t max_directories) override {
    const Check check(rulings_, Operation::write);
    BERTH_CHECK(check(path));
    return targets_.write_at(
        call, path, Leaf::itself,
        [&](const Path& real) -> Result<void> {
          BERTH_CHECK(check(real));
          return check_below(call, real);
        },
        [&](const Path& real) { return targets_.writes()->prune_empty_directories(call, real, max_directories); });
  }

 private:
  Result<void> check_below(const Call& call, const Path& top) const {
    if (!rulings_.may_deny(Operation::write)) return {};
    auto refusal = Result<void>();
    BERTH_CHECK(walk_below(call, *targets_.reads(), top, [&](const Path& path) {
      refusal = rulings_.check(Operation::write, path);
      return refusal ? WalkBelow::go_on : WalkBelow::stop;
    }));
    if (!refusal) {
      auto error = std::move(refusal).error();
      error.message = "the directory holds what the rules deny removing";
      return error;
    }
    return {};
  }

  RealTargets targets_;
  const Rulings& rulings_;
};

}  // namespace

std::unique_ptr<FileWrites> make_ruled_writes(RealTargets targets, const Rulings& rulings) {
  return std::make_unique<RuledWrites>(targets, rulings);
}

std::unique_ptr<FileTransactions> make_ruled_transactions(RealTargets targets, const Rulings& rulings) {
  return make_checked_transactions(targets, [&rulings](const Path& path, PathRole role) {
    return rulings.check(role == PathRole::replaced ? Operation::edit : Operation::write, path);
  });
}

}  // namespace berth
