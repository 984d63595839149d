#include "providers/state/document_walk.h"

#include <memory>
#include <optional>
#include <vector>

#include "providers/state/call_watch.h"
#include "search/ignore.h"

namespace berth::state {
namespace {

using search::IgnoreLevel;
using Rules = std::shared_ptr<const IgnoreLevel>;

BytesView content_at(const Document& document, const std::string& path) {
  const StoredFile* const file = document.find_file(path);
  return file == nullptr ? BytesView() : BytesView(file->content);
}

/// Of judging a path by patterns and ignore rules, in the bytes that take as long.
constexpr std::size_t kStepCost = 1024;

class Walker {
 public:
  Walker(const Call& call, const Document& document, const DocumentWalk& walk)
      : watch_(call), document_(document), walk_(walk), prefix_(below(walk.base.text())) {
    if (!walk.filter.ignored) enter_base();
  }

  template <typename Visit>
  Result<void> run(const Visit& visit) {
    auto [file, end] = range_below(document_.files(), prefix_);
    while (file != end) {
      const std::string& path = file->first;
      BERTH_CHECK(watch_.spend(kStepCost));
      if (const auto left_out = enter_directories(path)) {
        file = document_.files().lower_bound(std::string(*left_out) + '0');
        continue;
      }
      const Rules& rules = levels_.empty() ? base_rules_ : levels_.back().rules;
      if (is_wanted(path, IgnoreLevel::Kind::file, rules) && visit(path, *file->second) == WalkOn::no) return {};
      ++file;
    }
    return {};
  }

 private:
  /// A directory on the way from the base to the current file.
  struct Level {
    std::string path;
    Rules rules;
  };

  /// Bring the levels to the directories above a file. Gives the first of them that is left out, if any.
  std::optional<std::string_view> enter_directories(std::string_view path) {
    while (!levels_.empty() && !path.starts_with(levels_.back().path + "/")) levels_.pop_back();
    std::size_t from = levels_.empty() ? prefix_.size() : levels_.back().path.size() + 1;
    for (std::size_t slash; (slash = path.find('/', from)) != std::string_view::npos; from = slash + 1) {
      const std::string_view directory = path.substr(0, slash);
      const Rules& above = levels_.empty() ? base_rules_ : levels_.back().rules;
      if (!is_wanted(directory, IgnoreLevel::Kind::directory, above)) return directory;
      levels_.push_back({std::string(directory), rules_in(directory, above)});
    }
    return std::nullopt;
  }

  bool is_wanted(std::string_view path, IgnoreLevel::Kind kind, const Rules& rules) const {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    if (!walk_.filter.ignored && name == ".git") return false;
    const std::string_view inner = path.substr(prefix_.size());
    const bool matches =
        kind == IgnoreLevel::Kind::directory ? walk_.pattern.may_match_below(inner) : walk_.pattern.matches(inner);
    if (!matches) return false;
    if (rules && rules->is_ignored(path, kind)) return false;
    return walk_.filter_out == nullptr || !walk_.filter_out->leaves_out(path);
  }

  Rules rules_in(std::string_view directory, const Rules& above) const {
    if (walk_.filter.ignored) return nullptr;
    const std::string inside = below(directory);
    const BytesView exclude = directory == "." ? content_at(document_, ".git/info/exclude") : BytesView();
    const BytesView gitignore = content_at(document_, inside + ".gitignore");
    const BytesView ignore = content_at(document_, inside + ".ignore");
    if (exclude.empty() && gitignore.empty() && ignore.empty()) return above;
    return IgnoreLevel::make(above, directory, exclude, gitignore, ignore);
  }

  /// The rules of the root, the directories down to the base, and the base.
  void enter_base() {
    base_rules_ = rules_in(".", nullptr);
    Path directory;
    for (const std::string_view name : walk_.base.components()) {
      directory = directory.child(name);
      base_rules_ = rules_in(directory.text(), base_rules_);
    }
  }

  CallWatch watch_;
  const Document& document_;
  const DocumentWalk& walk_;
  const std::string prefix_;
  Rules base_rules_;
  std::vector<Level> levels_;
};

}  // namespace

Result<void> walk_document(const Call& call, const Document& document, const DocumentWalk& walk,
                           const std::function<WalkOn(const std::string& path, const StoredFile& file)>& visit) {
  return Walker(call, document, walk).run(visit);
}

}  // namespace berth::state
