#include "tools/value_fields.h"

#include <chrono>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace berth {
namespace {

using tools::EnumName;

std::string time_text(const FileStat& stat) {
  using namespace std::chrono;
  const auto whole = floor<seconds>(stat.modified_at);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z", fmt::gmtime(system_clock::to_time_t(whole)),
                     (stat.modified_at - whole).count());
}

}  // namespace

std::span<const EnumName<FileKind>> enum_names(FileKind) {
  static constexpr EnumName<FileKind> kNames[] = {{FileKind::file, "file"},
                                                  {FileKind::directory, "directory"},
                                                  {FileKind::symlink, "symlink"},
                                                  {FileKind::other, "other"}};
  return kNames;
}

std::span<const EnumName<GitMode>> enum_names(GitMode) {
  static constexpr EnumName<GitMode> kNames[] = {{GitMode::regular, "100644"}, {GitMode::executable, "100755"}};
  return kNames;
}

std::span<const EnumName<SearchBound>> enum_names(SearchBound) {
  static constexpr EnumName<SearchBound> kNames[] = {{SearchBound::deadline, "deadline"},
                                                     {SearchBound::files, "max_files"},
                                                     {SearchBound::bytes, "max_bytes"},
                                                     {SearchBound::results, "limit"}};
  return kNames;
}

std::span<const EnumName<MoveOutcome::Fidelity>> enum_names(MoveOutcome::Fidelity) {
  using enum MoveOutcome::Fidelity;
  static constexpr EnumName<MoveOutcome::Fidelity> kNames[] = {{atomic_rename, "atomic_rename"},
                                                               {link_unlink, "link_unlink"}};
  return kNames;
}

std::span<const EnumName<CommandOutcome::Kind>> enum_names(CommandOutcome::Kind) {
  using enum CommandOutcome::Kind;
  static constexpr EnumName<CommandOutcome::Kind> kNames[] = {
      {exited, "exited"},       {signaled, "signaled"}, {timed_out, "timed_out"}, {output_limited, "output_limited"},
      {cancelled, "cancelled"}, {lost, "lost"}};
  return kNames;
}

std::span<const EnumName<PatchedFile::What>> enum_names(PatchedFile::What) {
  using enum PatchedFile::What;
  static constexpr EnumName<PatchedFile::What> kNames[] = {
      {created, "created"}, {modified, "modified"}, {deleted, "deleted"}, {moved, "moved"}, {copied, "copied"}};
  return kNames;
}

std::span<const EnumName<ErrorCode>> enum_names(ErrorCode) {
  static const auto names = [] {
    std::vector<EnumName<ErrorCode>> all;
    for (const auto& row : error_table()) all.push_back({row.code, row.name});
    return all;
  }();
  return names;
}

const tools::Fields<FileStat>& json_fields(const FileStat*) {
  static const auto table =
      tools::Fields<FileStat>()
          .field("kind", &FileStat::kind, "")
          .field("size", &FileStat::size, "In bytes")
          .computed(
              "mode", [](const FileStat& stat) { return fmt::format("{:04o}", stat.mode); }, "Octal")
          .field("git_mode", &FileStat::git_mode, "")
          .computed("modified_at", time_text, "RFC 3339")
          .bytes("link_target", &FileStat::link_target, "")
          .computed(
              "target_is_directory",
              [](const FileStat& stat) {
                return stat.link_target ? std::optional(stat.target_is_directory) : std::nullopt;
              },
              "Of a link")
          .field("token", &FileStat::token, "Changes with any write, chmod or replacement");
  return table;
}

const tools::Fields<StreamOutput>& json_fields(const StreamOutput*) {
  const auto if_dropped = [](const StreamOutput& output, auto value) {
    return output.dropped_bytes() > 0 ? std::optional(std::move(value)) : std::nullopt;
  };
  static const auto table =
      tools::Fields<StreamOutput>()
          .bytes("head", &StreamOutput::head, "All of it, or its beginning")
          .computed_bytes(
              "tail", [=](const StreamOutput& output) { return if_dropped(output, output.tail); },
              "Its end, when bytes between were dropped")
          .computed(
              "dropped_bytes", [=](const StreamOutput& output) { return if_dropped(output, output.dropped_bytes()); },
              "")
          .field("total_bytes", &StreamOutput::total_bytes, "");
  return table;
}

const tools::Fields<PatchedFile>& json_fields(const PatchedFile*) {
  static const auto table = tools::Fields<PatchedFile>()
                                .bytes("path", &PatchedFile::path, "")
                                .field("what", &PatchedFile::what, "")
                                .bytes("from", &PatchedFile::from, "Of a move or copy")
                                .field("previous_revision", &PatchedFile::previous_revision, "")
                                .field("revision", &PatchedFile::revision, "Of the new content")
                                .field("git_mode", &PatchedFile::git_mode, "That the patch sets")
                                .computed_bytes(
                                    "diff", [](const PatchedFile& file) { return file.diff.text; }, "Unified")
                                .computed(
                                    "diff_truncated", [](const PatchedFile& file) { return file.diff.truncated; }, "");
  return table;
}

const tools::Fields<Unreadable>& json_fields(const Unreadable*) {
  static const auto table =
      tools::Fields<Unreadable>().bytes("path", &Unreadable::path, "").field("code", &Unreadable::code, "Why");
  return table;
}

}  // namespace berth
