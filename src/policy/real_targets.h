#pragma once

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "workspace/backend.h"
#include "workspace/path_errors.h"

namespace berth {

/// Whether a link at the end of a path is looked through when its real name is asked for.
enum class Leaf : std::uint8_t { followed, itself };

/// Carries out what a policy has checked on the very path it has checked.
///
/// A path is resolved, the policy sees the real one, and the operation is done on that one through the link-free faces
/// of the backend, which refuse it when a link came into it meanwhile; then all is tried again, at last `conflict`.
/// So no exchange of a directory for a link leads around a policy. Where a backend has no link-free faces, what is
/// read is resolved once more before it is handed out, and a write goes to the path that was real just before: a
/// program that exchanges links at the right two moments can then get a name past the policy, though never past the
/// root.
class RealTargets {
 public:
  /// Take paths as callers give them.
  static RealTargets resolving(Backend& inner) noexcept;
  /// Take paths that callers resolved; links in them are refused. Offers nothing where the backend has no link-free
  /// faces.
  static RealTargets resolved(Backend& inner) noexcept;

  /// Places that a policy keeps back even from being passed through.
  void keep_back(std::function<bool(const Path& place)> keeps_back) { keeps_back_ = std::move(keeps_back); }

  FileReads* reads() const noexcept { return faces_.reads; }
  FileWrites* writes() const noexcept { return faces_.writes; }
  TreeSearch* search() const noexcept { return faces_.search; }
  FileTransactions* transactions() const noexcept { return faces_.transactions; }

  /// Whether a link that comes into a resolved path is refused, so that resolving again makes sense.
  bool refuses_new_links() const noexcept { return mode_ == Mode::resolving && link_free_; }

  /// The real name of a path.
  Result<Path> real_name(const Call& call, const Path& path, Leaf leaf) const;

  /// The real name of a path that passes the check. Failures tell nothing of a place that may not be seen: where links
  /// lead the way of the path through one that is kept back, it fails with what the check says of that place, and a
  /// path that cannot be resolved first with what it says of the place where the way ends.
  template <typename Check>
  Result<Path> checked_name(const Call& call, const Path& path, Leaf leaf, const Check& check) const {
    auto real = real_name(call, path, leaf);
    if (mode_ == Mode::resolving && (real ? *real != path : is_about_a_path(real.error().code))) {
      const auto way = way_of(call, leaf == Leaf::followed ? path : path.parent());
      for (const Path& place : way) {
        if (keeps_back_ && keeps_back_(place)) BERTH_CHECK(check(place));
      }
      if (!real) BERTH_CHECK(check(way.back()));
    }
    if (real) BERTH_CHECK(check(*real));
    return real;
  }

  /// Where a link leads, in either mode; where its way ends when it leads nowhere.
  Path target_of_link(const Call& call, const Path& link) const;

  /// The places that the way of a path comes through, links followed, in order. The last is where it leads, or the
  /// first that cannot be passed or looked at.
  std::vector<Path> way_of(const Call& call, const Path& path) const;

  /// Say whether a link leads to a directory, which faces that refuse links cannot tell.
  void complete(const Call& call, const Path& link, FileStat& facts) const;

  /// Resolve, check, read. `check(real)` gives Result<void>, `read(real)` a Result.
  template <typename Check, typename Read>
  auto read_at(const Call& call, const Path& path, Leaf leaf, const Check& check, const Read& read) const
      -> std::invoke_result_t<Read, const Path&> {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      BERTH_TRY(const Path real, checked_name(call, path, leaf, check));
      auto result = read(real);
      if (link_free_ ? !refused_a_link(result) : is_still(call, path, leaf, real)) return result;
    }
    return keeps_changing();
  }

  /// Resolve, check, write; a write is never repeated once it may have happened.
  template <typename Check, typename Write>
  auto write_at(const Call& call, const Path& path, Leaf leaf, const Check& check, const Write& write) const
      -> std::invoke_result_t<Write, const Path&> {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      BERTH_TRY(const Path real, checked_name(call, path, leaf, check));
      auto result = write(real);
      if (!link_free_ || !refused_a_link(result)) return result;
    }
    return keeps_changing();
  }

  /// The same for a call with two paths, whose leaves are not followed. `write(real_from, real_to)` gives a Result.
  template <typename CheckFrom, typename CheckTo, typename Write>
  auto move_at(const Call& call, const Path& from, const Path& to, const CheckFrom& check_from, const CheckTo& check_to,
               const Write& write) const -> std::invoke_result_t<Write, const Path&, const Path&> {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      BERTH_TRY(const Path real_from, checked_name(call, from, Leaf::itself, check_from));
      auto real_to = checked_name(call, to, Leaf::itself, check_to);
      if (!real_to) return std::move(real_to).error().with("destination", "true");
      auto result = write(real_from, *real_to);
      if (!link_free_ || !refused_a_link(result)) return result;
    }
    return keeps_changing();
  }

 private:
  enum class Mode : std::uint8_t { resolving, resolved };
  static constexpr int kAttempts = 3;

  RealTargets(Mode mode, bool link_free, const BackendInfo& info, FileReads* resolver, LinkFreeFaces faces) noexcept
      : mode_(mode), link_free_(link_free), info_(&info), resolver_(resolver), faces_(faces) {}

  template <typename Value>
  bool refused_a_link(const Result<Value>& result) const {
    return mode_ == Mode::resolving && !result && result.error().code == ErrorCode::path_escape;
  }
  bool is_still(const Call& call, const Path& path, Leaf leaf, const Path& real) const;
  static Error keeps_changing();

  Mode mode_;
  bool link_free_;
  const BackendInfo* info_;  ///< of the backend that resolves
  FileReads* resolver_;
  LinkFreeFaces faces_;
  std::function<bool(const Path& place)> keeps_back_;
};

}  // namespace berth
