#include "workspace/edit/line_diff.h"

#include <algorithm>
#include <unordered_map>

namespace berth {
namespace {

using Lines = std::span<const std::uint32_t>;

constexpr DiffEffort kPieceEffort{.max_edits = 100, .max_steps = 20'000};

/// A stretch of both texts.
struct Piece {
  std::size_t before_begin, before_end, after_begin, after_end;
};

class Differ {
 public:
  Differ(Lines before, Lines after) : before_(before), after_(after) {
    diff_.removed.resize(before.size());
    diff_.added.resize(after.size());
  }

  LineDiff run(const DiffEffort& effort) {
    const Piece whole = trim({0, before_.size(), 0, after_.size()});
    if (!compare(whole, effort)) {
      for (const Piece& piece : split(whole)) {
        const Piece rest = trim(piece);
        if (!compare(rest, kPieceEffort)) replace(rest);
      }
    }
    return std::move(diff_);
  }

 private:
  Piece trim(Piece piece) const {
    while (piece.before_begin < piece.before_end && piece.after_begin < piece.after_end &&
           before_[piece.before_begin] == after_[piece.after_begin]) {
      ++piece.before_begin;
      ++piece.after_begin;
    }
    while (piece.before_begin < piece.before_end && piece.after_begin < piece.after_end &&
           before_[piece.before_end - 1] == after_[piece.after_end - 1]) {
      --piece.before_end;
      --piece.after_end;
    }
    return piece;
  }

  void replace(const Piece& piece) {
    std::fill(diff_.removed.begin() + static_cast<std::ptrdiff_t>(piece.before_begin),
              diff_.removed.begin() + static_cast<std::ptrdiff_t>(piece.before_end), true);
    std::fill(diff_.added.begin() + static_cast<std::ptrdiff_t>(piece.after_begin),
              diff_.added.begin() + static_cast<std::ptrdiff_t>(piece.after_end), true);
  }

  /// Mark a shortest script; false, with nothing marked, when the effort does not suffice.
  bool compare(const Piece& piece, const DiffEffort& effort) {
    const Lines a = before_.subspan(piece.before_begin, piece.before_end - piece.before_begin);
    const Lines b = after_.subspan(piece.after_begin, piece.after_end - piece.after_begin);
    if (a.empty() || b.empty()) {
      replace(piece);
      return true;
    }
    const auto n = static_cast<std::int64_t>(a.size());
    const auto m = static_cast<std::int64_t>(b.size());
    const std::int64_t max_edits = std::min(effort.max_edits, n + m);
    // furthest[d][k]: how far into `a` a script of d edits gets on diagonal -d + 2k.
    std::vector<std::vector<std::int64_t>> furthest;
    std::int64_t steps = 0;
    for (std::int64_t d = 0; d <= max_edits; ++d) {
      std::vector<std::int64_t> row(static_cast<std::size_t>(d) + 1);
      for (std::int64_t k = 0; k <= d; ++k) {
        const std::int64_t diagonal = -d + 2 * k;
        std::int64_t x = d == 0 ? 0 : start_of(furthest.back(), d, k);
        std::int64_t y = x - diagonal;
        const std::int64_t from = x;
        while (x < n && y < m && x >= 0 && y >= 0 && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(y)]) {
          ++x;
          ++y;
        }
        row[static_cast<std::size_t>(k)] = x;
        steps += 1 + x - from;
        if (x >= n && y >= m) {
          furthest.push_back(std::move(row));
          mark(piece, furthest, n, m);
          return true;
        }
        if (steps > effort.max_steps) return false;
      }
      furthest.push_back(std::move(row));
    }
    return false;
  }

  /// Whether the d-th edit on this diagonal adds a line (it came from the diagonal above), and where it then stands.
  static bool adds(const std::vector<std::int64_t>& previous, std::int64_t d, std::int64_t k) {
    return k == 0 || (k != d && previous[static_cast<std::size_t>(k - 1)] < previous[static_cast<std::size_t>(k)]);
  }
  static std::int64_t start_of(const std::vector<std::int64_t>& previous, std::int64_t d, std::int64_t k) {
    return adds(previous, d, k) ? previous[static_cast<std::size_t>(k)] : previous[static_cast<std::size_t>(k - 1)] + 1;
  }

  /// Walk the script back from its end.
  void mark(const Piece& piece, const std::vector<std::vector<std::int64_t>>& furthest, std::int64_t n,
            std::int64_t m) {
    auto d = static_cast<std::int64_t>(furthest.size()) - 1;
    std::int64_t k = (n - m + d) / 2;
    for (; d > 0; --d) {
      const auto& previous = furthest[static_cast<std::size_t>(d - 1)];
      const std::int64_t diagonal = -d + 2 * k;
      if (adds(previous, d, k)) {
        const std::int64_t y = previous[static_cast<std::size_t>(k)] - (diagonal + 1);
        diff_.added[piece.after_begin + static_cast<std::size_t>(y)] = true;
      } else {
        --k;
        diff_.removed[piece.before_begin + static_cast<std::size_t>(previous[static_cast<std::size_t>(k)])] = true;
      }
    }
  }

  /// Cut at the longest chain of lines that are unique on both sides.
  std::vector<Piece> split(const Piece& piece) const {
    struct Seen {
      std::size_t before_count = 0, after_count = 0, before_at = 0, after_at = 0;
    };
    std::unordered_map<std::uint32_t, Seen> seen;
    for (std::size_t i = piece.before_begin; i < piece.before_end; ++i) {
      auto& line = seen[before_[i]];
      ++line.before_count;
      line.before_at = i;
    }
    for (std::size_t j = piece.after_begin; j < piece.after_end; ++j) {
      auto& line = seen[after_[j]];
      ++line.after_count;
      line.after_at = j;
    }

    struct Anchor {
      std::size_t before_at, after_at;
      std::ptrdiff_t previous;
    };
    std::vector<Anchor> anchors;
    std::vector<std::size_t> ends;  // ends[i]: the anchor that ends the best chain of i + 1 anchors
    for (std::size_t i = piece.before_begin; i < piece.before_end; ++i) {
      const auto& line = seen.at(before_[i]);
      if (line.before_count != 1 || line.after_count != 1) continue;
      const auto after_at = line.after_at;
      const auto place =
          std::ranges::lower_bound(ends, after_at, {}, [&](std::size_t end) { return anchors[end].after_at; });
      anchors.push_back({i, after_at, place == ends.begin() ? -1 : static_cast<std::ptrdiff_t>(*(place - 1))});
      if (place == ends.end()) {
        ends.push_back(anchors.size() - 1);
      } else {
        *place = anchors.size() - 1;
      }
    }

    std::vector<Piece> pieces;
    Piece rest = piece;
    for (auto at = ends.empty() ? -1 : static_cast<std::ptrdiff_t>(ends.back()); at >= 0;
         at = anchors[static_cast<std::size_t>(at)].previous) {
      const auto& anchor = anchors[static_cast<std::size_t>(at)];
      pieces.push_back({anchor.before_at + 1, rest.before_end, anchor.after_at + 1, rest.after_end});
      rest.before_end = anchor.before_at;
      rest.after_end = anchor.after_at;
    }
    pieces.push_back(rest);
    return pieces;
  }

  Lines before_;
  Lines after_;
  LineDiff diff_;
};

}  // namespace

LineDiff diff_lines(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after,
                    const DiffEffort& effort) {
  return Differ(before, after).run(effort);
}

}  // namespace berth
