#include "workspace/git/index_comparison.h"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace berth::git {
namespace {

constexpr std::string_view kGitDirectory = ".git";

auto first_not_before(std::span<const IndexEntry> entries, BytesView path) {
  return std::lower_bound(entries.begin(), entries.end(), path,
                          [](const IndexEntry& entry, BytesView other) { return entry.path < other; });
}

}  // namespace

/// The name of a directory from the top, with a final slash; empty for the top.
Bytes IndexComparison::full_name(const Path& directory) const {
  Bytes name(prefix_);
  if (!directory.is_root()) name.append(directory.text()).push_back('/');
  return name;
}

bool IndexComparison::enter(const Path& directory) {
  if (directory.name() == kGitDirectory) return false;
  const Bytes name = full_name(directory);
  const auto at = first_not_before(entries_, name);
  if (at != entries_.end() && at->path.starts_with(name)) return true;
  const std::lock_guard lock(mutex_);
  untracked_directories_.push_back(directory);
  return false;
}

void IndexComparison::directory(const Path& directory, std::span<const SurveyedName> names) {
  std::vector<const SurveyedName*> sorted;
  sorted.reserve(names.size());
  for (const auto& name : names) {
    if (!S_ISDIR(name.mode) && name.name != kGitDirectory) sorted.push_back(&name);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto* left, const auto* right) { return left->name < right->name; });

  std::vector<Changed> changed;
  std::vector<Path> untracked;
  const auto add_untracked = [&](const SurveyedName& name) {
    if (S_ISREG(name.mode) || S_ISLNK(name.mode)) untracked.push_back(directory.child(name.name));
  };
  const Bytes prefix = full_name(directory);
  auto name = sorted.begin();
  auto entry = first_not_before(entries_, prefix);
  while (entry != entries_.end() && entry->path.starts_with(prefix)) {
    const auto rest = entry->path.substr(prefix.size());
    if (const auto slash = rest.find('/'); slash != BytesView::npos) {
      // Past everything in that directory: '0' comes after '/'.
      entry = first_not_before({entry, entries_.end()}, prefix + Bytes(rest.substr(0, slash)) + '0');
      continue;
    }
    for (; name != sorted.end() && (*name)->name < rest; ++name) add_untracked(**name);
    if (name != sorted.end() && (*name)->name == rest) {
      seen_[static_cast<std::size_t>(entry - entries_.begin())] = 1;
      const auto& file = **name++;
      if (const auto likeness = likeness_of(*entry, file, index_time_); likeness != Likeness::same) {
        const bool is_other_type =
            S_ISLNK(file.mode) ? entry->mode != 0120000 : S_ISREG(file.mode) && entry->mode == 0120000;
        changed.push_back({.entry = &*entry,
                           .letter = is_other_type ? 'T' : 'M',
                           .is_certain = likeness == Likeness::other,
                           .size = file.size});
      }
    }
    ++entry;
  }
  for (; name != sorted.end(); ++name) add_untracked(**name);

  if (changed.empty() && untracked.empty()) return;
  const std::lock_guard lock(mutex_);
  std::move(changed.begin(), changed.end(), std::back_inserter(changed_));
  std::move(untracked.begin(), untracked.end(), std::back_inserter(untracked_files_));
}

std::vector<IndexComparison::Changed> IndexComparison::take_changed() {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (seen_[i] == 0) changed_.push_back({.entry = &entries_[i], .letter = 'D'});
  }
  return std::move(changed_);
}

}  // namespace berth::git
