#include "policy/confined_view.h"
#include "policy/real_transactions.h"

namespace berth {
namespace {

auto inside(const Path& base) {
  return [&base](const Path& real) { return check_inside(base, real); };
}

/// As `inside`, and not the root itself, however it is spelled: to the inner workspace it is a directory as any.
auto below(const Path& base) {
  return [&base](const Path& real) -> Result<void> {
    BERTH_CHECK(check_inside(base, real));
    if (real != base) return {};
    return make_error(ErrorCode::invalid_argument, "the path names the workspace itself, which cannot be removed");
  };
}

class ConfinedWrites final : public FileWrites {
 public:
  ConfinedWrites(RealTargets targets, ConfinedView& view) : targets_(targets), view_(view) {}

  Result<WriteOutcome> write(const Call& call, const Path& path, BytesView content, const WriteSpec& spec) override {
    // What must be absent is not written through a link; anything else is.
    const auto leaf = spec.when == WriteSpec::When::absent ? Leaf::itself : Leaf::followed;
    BERTH_TRY(const Path* base, view_.base(call));
    BERTH_TRY(const Path whole, join(*base, path));
    return targets_.write_at(call, whole, leaf, inside(*base),
                             [&](const Path& real) { return targets_.writes()->write(call, real, content, spec); });
  }

  Result<RemoveOutcome> remove(const Call& call, const Path& path, const RemoveSpec& spec) override {
    BERTH_TRY(const Path* base, view_.base(call));
    BERTH_TRY(const Path whole, join(*base, path));
    return targets_.write_at(call, whole, Leaf::itself, below(*base),
                             [&](const Path& real) { return targets_.writes()->remove(call, real, spec); });
  }

  Result<MoveOutcome> move(const Call& call, const Path& from, const Path& to, const MoveSpec& spec) override {
    BERTH_TRY(const Path* base, view_.base(call));
    BERTH_TRY(const Path whole_from, join(*base, from));
    BERTH_TRY(const Path whole_to, join(*base, to));
    return targets_.move_at(call, whole_from, whole_to, below(*base), below(*base),
                            [&](const Path& real_from, const Path& real_to) {
                              return targets_.writes()->move(call, real_from, real_to, spec);
                            });
  }

  Result<MakeDirectoryOutcome> make_directory(const Call& call, const Path& path) override {
    BERTH_TRY(const Path* base, view_.base(call));
    BERTH_TRY(const Path whole, join(*base, path));
    return targets_.write_at(call, whole, Leaf::followed, inside(*base),
                             [&](const Path& real) { return targets_.writes()->make_directory(call, real); });
  }

  Result<PruneOutcome> prune_empty_directories(const Call& call, const Path& path,
                                               std::int64_t max_directories) override {
    BERTH_TRY(const Path* base, view_.base(call));
    BERTH_TRY(const Path whole, join(*base, path));
    return targets_.write_at(call, whole, Leaf::itself, below(*base), [&](const Path& real) {
      return targets_.writes()->prune_empty_directories(call, real, max_directories);
    });
  }

 private:
  RealTargets targets_;
  ConfinedView& view_;
};

class ConfinedTransactions final : public FileTransactions {
 public:
  ConfinedTransactions(RealTargets targets, ConfinedView& view) : targets_(targets), view_(view) {}

  Result<TransactionOutcome> apply(const Call& call, std::span<const FileOperation> operations) override {
    BERTH_TRY(const Path* base, view_.base(call));
    return transact(call, targets_, operations,
                    {.enter = [base](const Path& given, PathRole) { return join(*base, given); },
                     .check = [base](const Path& real, PathRole role) -> Result<void> {
                       if (role == PathRole::taken) return below(*base)(real);
                       return check_inside(*base, real);
                     }});
  }

 private:
  RealTargets targets_;
  ConfinedView& view_;
};

}  // namespace

std::unique_ptr<FileTransactions> make_confined_transactions(RealTargets targets, ConfinedView& view) {
  return std::make_unique<ConfinedTransactions>(targets, view);
}

std::unique_ptr<FileWrites> make_confined_writes(RealTargets targets, ConfinedView& view) {
  return std::make_unique<ConfinedWrites>(targets, view);
}

}  // namespace berth
