#include "tools/hashline_edit.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/lines.h"
#include "tools/make_tool.h"
#include "tools/staleness.h"
#include "tools/text.h"

namespace berth::tools {
namespace {

using Place = HashlineEditRequest::Place;

Error wrong(std::string_view argument, std::string message) {
  return make_error(ErrorCode::invalid_argument, std::move(message)).with("argument", std::string(argument));
}

std::vector<BytesView> lines_of(BytesView content) {
  std::vector<BytesView> lines;
  while (!content.empty()) lines.push_back(take_line(content));
  return lines;
}

Result<void> check_hash(const std::vector<BytesView>& lines, std::int64_t number,
                        const std::optional<std::string>& hash, std::string_view argument) {
  const auto total = static_cast<std::int64_t>(lines.size());
  if (number > total) {
    return make_error(ErrorCode::offset_out_of_range,
                      fmt::format("line {} is past the end: the file has {}", number, counted(total, "line")))
        .with("total_lines", total);
  }
  if (!hash) {
    if (argument == "end_hash") return {};
    return wrong(argument, fmt::format("`{}` is missing: give the hash that line {} was shown with", argument, number));
  }
  const auto actual = line_hash(lines[static_cast<std::size_t>(number - 1)]);
  if (*hash == actual) return {};
  auto error =
      make_error(ErrorCode::revision_mismatch,
                 fmt::format("line {} has the hash {}, not {}: it is another line now", number, actual, *hash));
  error.hint = "read the lines again with format=hashline";
  return std::move(error).with("line", number).with("expected_hash", *hash).with("actual_hash", actual);
}

Result<void> check_arguments(const HashlineEditRequest& request) {
  if (request.place != Place::replace && (request.end_line || request.end_hash)) {
    return wrong("end_line", "`end_line` and `end_hash` are for `place` replace only");
  }
  if (request.place != Place::replace && request.content.empty()) {
    return wrong("content", "there is nothing to insert: `content` is empty");
  }
  if (request.end_line && *request.end_line < request.start_line) {
    return wrong("end_line",
                 fmt::format("`end_line` {} is before `start_line` {}", *request.end_line, request.start_line));
  }
  return {};
}

std::string_view ending_of(BytesView line) {
  return line.ends_with("\r\n") ? "\r\n" : line.ends_with('\n') ? "\n" : "";
}

// The ending that new lines take: that of the line they stand at, or of the one above where it has none.
std::string_view new_ending(const std::vector<BytesView>& lines, std::size_t at) {
  for (std::size_t i = std::min(at + 1, lines.size()); i > 0; --i) {
    if (const auto ending = ending_of(lines[i - 1]); !ending.empty()) return ending;
  }
  return "\n";
}

struct Edited {
  Bytes content;
  std::int64_t line = 0;
  std::int64_t removed = 0;
  std::int64_t added = 0;
};

Edited apply(const std::vector<BytesView>& lines, const HashlineEditRequest& request) {
  const auto start = static_cast<std::size_t>(request.start_line - 1);
  const bool is_replace = request.place == Place::replace && !lines.empty();
  const auto begin = std::min(lines.size(), request.place == Place::after ? start + 1 : start);
  const auto end = is_replace ? static_cast<std::size_t>(request.end_line.value_or(request.start_line)) : begin;
  const auto added = lines_of(request.content);
  const auto ending = new_ending(lines, std::min(start, lines.size()));
  Edited result{.line = static_cast<std::int64_t>(begin) + 1,
                .removed = static_cast<std::int64_t>(end - begin),
                .added = static_cast<std::int64_t>(added.size())};
  for (std::size_t i = 0; i < begin; ++i) result.content += lines[i];
  const bool at_end = end == lines.size();
  const bool was_open = !lines.empty() && ending_of(lines.back()).empty();
  // Something follows what stood last and had no ending.
  if (at_end && begin == lines.size() && was_open && !added.empty()) result.content += ending;
  for (const auto line : added) {
    result.content += without_ending(line);
    result.content += ending;
  }
  for (std::size_t i = end; i < lines.size(); ++i) result.content += lines[i];
  const bool stays_open = lines.empty() ? !request.content.ends_with('\n') : was_open;
  if (at_end && stays_open) result.content = Bytes(without_ending(result.content));
  return result;
}

}  // namespace

std::span<const EnumName<Place>> enum_names(Place) {
  static constexpr EnumName<Place> kNames[] = {
      {Place::replace, "replace"}, {Place::before, "before"}, {Place::after, "after"}};
  return kNames;
}

const Fields<HashlineEditRequest>& HashlineEditRequest::fields() {
  static const auto table =
      Fields<HashlineEditRequest>()
          .bytes("path", &HashlineEditRequest::path, "The file", kRequired)
          .field("start_line", &HashlineEditRequest::start_line, "The line, or the first of several",
                 {.need = Rule::Need::required, .minimum = 1})
          .field("start_hash", &HashlineEditRequest::start_hash,
                 "Its two-digit hash, as read_file with format=hashline shows it; an empty file has none")
          .field("end_line", &HashlineEditRequest::end_line, "The last line to replace", {.minimum = 1})
          .field("end_hash", &HashlineEditRequest::end_hash, "Its hash")
          .bytes("content", &HashlineEditRequest::content, "The new lines, without numbers and hashes; empty deletes",
                 kRequired)
          .field("place", &HashlineEditRequest::place, "Replace the lines, or insert before or after `start_line`")
          .field("expected_revision", &HashlineEditRequest::expected_revision,
                 "Only when the file still has this revision");
  return table;
}

const Fields<HashlineEditResponse>& HashlineEditResponse::fields() {
  static const auto table = Fields<HashlineEditResponse>()
                                .bytes("path", &HashlineEditResponse::path, "")
                                .field("line", &HashlineEditResponse::line, "Where the change begins")
                                .field("removed_lines", &HashlineEditResponse::removed_lines, "")
                                .field("added_lines", &HashlineEditResponse::added_lines, "")
                                .field("previous_revision", &HashlineEditResponse::previous_revision, "")
                                .field("revision", &HashlineEditResponse::revision, "Of the new content")
                                .bytes("diff", &HashlineEditResponse::diff, "Unified")
                                .field("diff_truncated", &HashlineEditResponse::diff_truncated, "");
  return table;
}

Result<HashlineEditResponse> hashline_edit(const Call& call, ToolSession& session, const HashlineEditRequest& request) {
  BERTH_CHECK(check_arguments(request));
  BERTH_CHECK(session.permit(call, Operation::edit, request.path));
  auto& workspace = session.workspace();
  BERTH_TRY(const auto expected, expected_of(call, session, request.path, request.expected_revision));
  BERTH_TRY(const auto page, workspace.read(call, request.path));
  if (!page.revision) return make_error(ErrorCode::changed_during_read, "the file could not be read whole");
  if (expected.revision && *expected.revision != *page.revision) {
    return explain_stale(make_error(ErrorCode::revision_mismatch, "the file has another revision")
                             .at(request.path)
                             .with("expected_revision", expected.revision->text)
                             .with("actual_revision", page.revision->text),
                         expected);
  }
  const auto lines = lines_of(page.content);
  // An empty file has no line to name: whatever the place, its content is what is given.
  if (!lines.empty() || request.start_line > 1) {
    if (auto checked = check_hash(lines, request.start_line, request.start_hash, "start_hash"); !checked) {
      return std::move(checked).error().at(request.path);
    }
    if (request.end_line) {
      if (auto checked = check_hash(lines, *request.end_line, request.end_hash, "end_hash"); !checked) {
        return std::move(checked).error().at(request.path);
      }
    }
  }
  const auto edited = apply(lines, request);
  auto written = workspace.replace(call, request.path, edited.content, *page.revision);
  if (!written) return explain_stale(std::move(written).error(), expected);
  session.reads().saw(expected.real_path, written->revision);
  auto diff = unified_diff(request.path, page.content, edited.content, limits::kEditDiffBytes);
  return HashlineEditResponse{.path = request.path,
                              .line = edited.line,
                              .removed_lines = edited.removed,
                              .added_lines = edited.added,
                              .previous_revision = *page.revision,
                              .revision = written->revision,
                              .diff = std::move(diff.text),
                              .diff_truncated = diff.truncated};
}

std::string render(const HashlineEditResponse& response) {
  std::string what;
  if (response.removed_lines == 0) {
    what = fmt::format("{} inserted as line {}", counted(response.added_lines, "line"), response.line);
  } else if (response.added_lines == 0) {
    what = fmt::format("{} deleted at line {}", counted(response.removed_lines, "line"), response.line);
  } else {
    what = fmt::format("{} at line {} replaced with {}", counted(response.removed_lines, "line"), response.line,
                       counted(response.added_lines, "line"));
  }
  return fmt::format("Edited {}: {}\n{}", shown_name(response.path), what,
                     diff_text(response.diff, response.diff_truncated));
}

std::unique_ptr<Tool> hashline_edit_tool() {
  return make_tool<HashlineEditRequest, HashlineEditResponse>(
      {.name = "hashline_edit",
       .title = "Edit lines by number and hash",
       .description =
           "Replace, insert or delete whole lines named by number and hash, as read_file with format=hashline "
           "shows them; answers with the diff. Line numbers after the change are new: read again before the "
           "next one.",
       .annotations = {.destructive = true},
       .needs = {.reads = true, .writes = true},
       .uses = {Operation::edit}},
      hashline_edit, render);
}

}  // namespace berth::tools
