#include "tools/git_fields.h"

#include <array>

#include <fmt/format.h>

namespace berth::git {
namespace {

using tools::EnumName;

std::optional<std::string> mode_text(std::uint32_t mode) {
  return mode == 0 ? std::nullopt : std::optional(fmt::format("{:06o}", mode));
}

}  // namespace

std::span<const EnumName<Change>> enum_names(Change) {
  static const auto names = [] {
    std::vector<EnumName<Change>> all;
    for (const auto change :
         {Change::added, Change::modified, Change::deleted, Change::renamed, Change::type_changed}) {
      all.push_back({change, change_name(change)});
    }
    return all;
  }();
  return names;
}

std::span<const EnumName<NotShown::Why>> enum_names(NotShown::Why) {
  static const auto names = [] {
    using enum NotShown::Why;
    std::vector<EnumName<NotShown::Why>> all;
    for (const auto why : {too_large, withheld, nested_repository, special_file, unreadable}) {
      all.push_back({why, why_name(why)});
    }
    return all;
  }();
  return names;
}

const tools::Fields<FileChange>& json_fields(const FileChange*) {
  static const auto table = tools::Fields<FileChange>()
                                .field("change", &FileChange::change, "")
                                .bytes("path", &FileChange::path, "")
                                .bytes("from", &FileChange::from, "Of a rename")
                                .computed(
                                    "old_mode", [](const FileChange& file) { return mode_text(file.old_mode); }, "")
                                .computed(
                                    "new_mode", [](const FileChange& file) { return mode_text(file.new_mode); }, "")
                                .field("added_lines", &FileChange::added_lines, "Absent for binary content")
                                .field("removed_lines", &FileChange::removed_lines, "");
  return table;
}

const tools::Fields<NotShown>& json_fields(const NotShown*) {
  static const auto table =
      tools::Fields<NotShown>().bytes("path", &NotShown::path, "").field("why", &NotShown::why, "");
  return table;
}

const tools::Fields<StatusEntry>& json_fields(const StatusEntry*) {
  static const auto table = tools::Fields<StatusEntry>()
                                .field("change", &StatusEntry::change, "")
                                .bytes("path", &StatusEntry::path, "")
                                .field("untracked", &StatusEntry::untracked, "git's index does not hold it");
  return table;
}

std::optional<std::string> commit_of(const Baseline& baseline) {
  return baseline.kind == Baseline::Kind::commit ? std::optional(baseline.commit) : std::nullopt;
}

}  // namespace berth::git
