#include "engine/tree/ordered_walk.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace berth::engine {
namespace {

/// Levels whose directories stay open; those further out are opened again when the walk comes back to them.
constexpr std::size_t kOpenLevels = 32;

bool ends_the_walk(const Error& error) noexcept {
  return error.code == ErrorCode::cancelled || error.code == ErrorCode::timed_out;
}

/// Directories sort by their name with a slash, files by their name: then going down gives the order of whole paths.
std::uint64_t first_bytes_of(std::string_view name, bool is_directory) noexcept {
  char padded[8] = {};
  const std::size_t length = std::min<std::size_t>(name.size(), sizeof padded);
  std::memcpy(padded, name.data(), length);
  if (is_directory && length < sizeof padded) padded[length] = '/';
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, padded, sizeof bytes);
  if constexpr (std::endian::native == std::endian::little) bytes = __builtin_bswap64(bytes);
  return bytes;
}

}  // namespace

class OrderedWalk::Fill final : public EntryVisitor {
 public:
  explicit Fill(Level& level) : level_(level) {}

  void file(const WalkedDirectory&, std::string_view name) override { add(name, false); }
  void directory(const WalkedDirectory&, std::string_view name) override { add(name, true); }

  void sort() {
    const std::string_view text = level_.text;
    std::sort(level_.entries.begin(), level_.entries.end(), [&](const Entry& a, const Entry& b) {
      if (a.first_bytes != b.first_bytes) return a.first_bytes < b.first_bytes;
      const auto a_name = text.substr(a.offset, a.length);
      const auto b_name = text.substr(b.offset, b.length);
      const auto common = std::min(a_name.size(), b_name.size());
      const int order = a_name.substr(0, common).compare(b_name.substr(0, common));
      if (order != 0) return order < 0;
      // One is the beginning of the other: what follows it is a slash, or the end.
      const auto following = [&](const Entry& entry, std::string_view name) {
        return name.size() > common ? static_cast<unsigned char>(name[common]) : entry.is_directory ? '/' : 0;
      };
      return following(a, a_name) < following(b, b_name);
    });
  }

 private:
  void add(std::string_view name, bool is_directory) {
    level_.entries.push_back({first_bytes_of(name, is_directory), static_cast<std::uint32_t>(level_.text.size()),
                              static_cast<std::uint16_t>(name.size()), is_directory});
    level_.text += name;
  }

  Level& level_;
};

OrderedWalk::OrderedWalk(WalkScope& scope) : scope_(scope) {}

Result<void> OrderedWalk::enter(const Call& call, const DirectoryHandle& directory, FileBatch& batch) {
  Level level{.directory = directory, .rules = directory->rules, .path = directory->path, .text = {}, .entries = {}};
  Fill fill(level);
  if (auto scanned = scope_.scan(call, *directory, fill); !scanned) {
    if (ends_the_walk(scanned.error())) return scanned;
    // Deleted while it was read: as if it had never been there.
    if (scanned.error().code != ErrorCode::not_found)
      batch.unreadable.push_back({directory->path, scanned.error().code});
  }
  fill.sort();
  levels_.push_back(std::move(level));
  close_outer_levels();
  return {};
}

void OrderedWalk::close_outer_levels() {
  if (levels_.size() > kOpenLevels) levels_[levels_.size() - 1 - kOpenLevels].directory.reset();
}

void OrderedWalk::leave_finished() {
  while (!levels_.empty() && levels_.back().next == levels_.back().entries.size()) levels_.pop_back();
}

/// Have a level's directory open; false when it is gone.
Result<bool> OrderedWalk::hold_open(const Call& call, Level& level, FileBatch& batch) {
  if (level.directory) return true;
  auto opened = scope_.open_found(call, {.parent = nullptr, .rules = nullptr, .path = level.path});
  if (!opened) {
    if (ends_the_walk(opened.error())) return std::move(opened).error();
    batch.unreadable.push_back({level.path, opened.error().code});
    return false;
  }
  level.directory = *std::move(opened);
  return level.directory != nullptr;
}

Result<FileBatch> OrderedWalk::next(const Call& call) {
  FileBatch batch;
  if (top_pending_) {
    top_pending_ = false;
    BERTH_CHECK(enter(call, scope_.top(), batch));
  }
  for (leave_finished(); !levels_.empty(); leave_finished()) {
    Level& level = levels_.back();
    if (!batch.names.empty() && level.directory != batch.directory) return batch;
    if (batch.names.empty()) {
      BERTH_TRY(const bool open, hold_open(call, level, batch));
      if (!open) {
        levels_.pop_back();
        continue;
      }
    }
    const Entry entry = level.entries[level.next];
    const auto name = std::string_view(level.text).substr(entry.offset, entry.length);
    if (!entry.is_directory) {
      batch.directory = level.directory;
      batch.names.emplace_back(name);
      ++level.next;
      if (batch.names.size() < FileBatch::kMostFiles) continue;
      leave_finished();
      return batch;
    }
    if (!batch.names.empty()) return batch;
    ++level.next;
    const Path path = level.path.child(name);
    auto opened = scope_.open_found(call, {.parent = level.directory, .rules = level.rules, .path = path});
    if (!opened) {
      if (ends_the_walk(opened.error())) return std::move(opened).error();
      batch.unreadable.push_back({path, opened.error().code});
    } else if (*opened) {
      BERTH_CHECK(enter(call, *opened, batch));
    }
  }
  return batch;
}

}  // namespace berth::engine
