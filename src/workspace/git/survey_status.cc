#include "workspace/git/survey_status.h"

#include <algorithm>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "workspace/git/index_comparison.h"
#include "workspace/git/record_fields.h"
#include "workspace/git/repository_index.h"

namespace berth::git {
namespace {

// More than this is compared faster by git, which does not start with what may be unchanged.
constexpr std::size_t kMostUncertain = 500;
constexpr std::uint64_t kMostUncertainBytes = std::uint64_t{16} * 1024 * 1024;
constexpr std::size_t kArgumentBytes = 64 * 1024;
constexpr std::int64_t kListBytes = std::int64_t{256} * 1024 * 1024;

/// Nothing where the answer would not be git's.
using Records = std::optional<std::map<Bytes, StatusRecord>>;

bool ends_the_call(const Error& error) {
  return error.code == ErrorCode::timed_out || error.code == ErrorCode::cancelled ||
         error.code == ErrorCode::environment_gone || error.code == ErrorCode::unavailable;
}

std::size_t object_bytes(const GitContext& context) { return context.place.object_format == "sha256" ? 32 : 20; }

std::string hexadecimal(BytesView bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

/// Read `git diff-index --raw -z`: `:MODE MODE OBJECT OBJECT LETTER` NUL PATH NUL.
Records parse_staged(BytesView output, std::size_t digits) {
  std::map<Bytes, StatusRecord> records;
  while (!output.empty()) {
    const auto facts_field = take_field(output, '\0');
    const auto path = take_field(output, '\0');
    if (!facts_field || !path) return {};
    const auto facts = *facts_field;
    // Two modes, two objects, a letter, and what is between them.
    if (facts.size() != 1 + 6 + 1 + 6 + 1 + digits + 1 + digits + 2 || facts[0] != ':' || path->empty()) return {};
    const auto mode = try_mode(facts.substr(1, 6));
    const char letter = facts.back();
    if (!mode || BytesView("AMDT").find(letter) == BytesView::npos) return {};
    StatusRecord record{.path = Bytes(*path), .staged = letter};
    if (letter != 'A') record.baseline = {.mode = *mode, .object = std::string(facts.substr(15, digits))};
    records.emplace(record.path, std::move(record));
  }
  return records;
}

/// What the index holds and the baseline does not, or otherwise.
Result<Records> staged_records(const GitContext& context) {
  GitRun run{.words = {"diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "HEAD", "--"},
             .max_output = kListBytes};
  if (!context.place.prefix.empty()) run.words.emplace_back(".");
  BERTH_TRY(const GitOutput output, context.scratch.run(context.call, std::move(run)));
  if (output.cut || output.exit_code != 0) return Records{};
  return parse_staged(output.out, 2 * object_bytes(context));
}

/// The paths of which the rules say that they are ignored. Nothing when git does not say.
Result<std::optional<std::set<Bytes>>> ignored_among(const GitContext& context, const std::vector<Path>& files,
                                                     const std::vector<Path>& directories) {
  std::set<Bytes> ignored;
  Bytes asked;
  // A leading `./` keeps a name from being read as a pattern.
  for (const auto* paths : {&files, &directories}) {
    for (const auto& path : *paths) asked.append("./").append(path.text()).push_back('\0');
  }
  BERTH_TRY(const GitOutput output,
            context.scratch.run_without_index(
                context.call, {.words = {"--no-literal-pathspecs", "check-ignore", "--no-index", "-z", "--stdin"},
                               .input = std::move(asked),
                               .max_output = kListBytes}));
  if (output.cut || output.exit_code > 1) return std::optional<std::set<Bytes>>{};
  BytesView rest = output.out;
  while (const auto path = take_field(rest, '\0')) ignored.emplace(path->substr(2));
  return std::optional(std::move(ignored));
}

/// The untracked files below directories that hold nothing else; a nested repository ends with a slash. Nothing when
/// git does not say.
Result<std::optional<std::vector<Bytes>>> files_below(const GitContext& context, const std::vector<Path>& directories) {
  std::vector<Bytes> files;
  for (auto next = directories.begin(); next != directories.end();) {
    GitRun run{.words = {"ls-files", "--others", "--exclude-standard", "-z", "--"}, .max_output = kListBytes};
    for (std::size_t bytes = 0; next != directories.end() && bytes < kArgumentBytes; ++next) {
      bytes += next->text().size() + 1;
      run.words.push_back(next->text());
    }
    BERTH_TRY(const GitOutput output, context.scratch.run_without_index(context.call, std::move(run)));
    if (output.cut || output.exit_code != 0) return std::optional<std::vector<Bytes>>{};
    BytesView rest = output.out;
    while (const auto path = take_field(rest, '\0')) files.emplace_back(*path);
  }
  return std::optional(std::move(files));
}

Result<std::optional<std::vector<StatusRecord>>> untracked_records(const GitContext& context,
                                                                   IndexComparison& comparison) {
  std::vector<StatusRecord> records;
  auto files = comparison.take_untracked_files();
  auto directories = comparison.take_untracked_directories();
  if (files.empty() && directories.empty()) return std::optional(std::move(records));
  BERTH_TRY(const auto ignored, ignored_among(context, files, directories));
  if (!ignored) return std::optional<std::vector<StatusRecord>>{};
  const auto is_ignored = [&](const Path& path) { return ignored->contains(path.text()); };
  std::erase_if(directories, is_ignored);
  std::sort(directories.begin(), directories.end());
  BERTH_TRY(const auto below, files_below(context, directories));
  if (!below) return std::optional<std::vector<StatusRecord>>{};

  const auto add = [&](BytesView path) {
    const bool is_repository = path.ends_with('/');
    if (is_repository) path.remove_suffix(1);
    records.push_back({.path = context.place.prefix + Bytes(path),
                       .staged = '?',
                       .unstaged = '?',
                       .nested_repository = is_repository});
  };
  for (const auto& file : files) {
    if (!is_ignored(file)) add(file.text());
  }
  for (const auto& file : *below) add(file);
  return std::optional(std::move(records));
}

/// Whether a comparison of contents will tell the truth about all of them.
bool can_be_compared(const std::vector<IndexComparison::Changed>& changed, const DiffOptions& options) {
  std::size_t uncertain = 0;
  std::uint64_t bytes = 0;
  for (const auto& one : changed) {
    if (one.is_certain) continue;
    if (one.size > static_cast<std::uint64_t>(options.max_file_bytes)) return false;
    ++uncertain;
    bytes += one.size;
  }
  if (uncertain == 0) return true;
  return uncertain <= kMostUncertain && bytes <= kMostUncertainBytes &&
         static_cast<std::int64_t>(changed.size()) <= options.max_files &&
         options.max_content_bytes >= kDiffContentBytes;
}

/// The entries below a prefix.
std::span<const IndexEntry> entries_below(const std::vector<IndexEntry>& entries, BytesView prefix) {
  const auto is_before = [](const IndexEntry& entry, BytesView other) { return entry.path < other; };
  const auto first = std::lower_bound(entries.begin(), entries.end(), prefix, is_before);
  auto last = entries.end();
  if (!prefix.empty()) {
    last = std::lower_bound(first, entries.end(), Bytes(prefix.substr(0, prefix.size() - 1)) + '0', is_before);
  }
  return {first, last};
}

}  // namespace

Result<std::optional<std::vector<StatusRecord>>> survey_status(const GitContext& context, const DiffOptions& options) {
  const std::optional<std::vector<StatusRecord>> as_git_says;
  if (!context.workspace.can_survey() || !context.scratch.has_commit()) return as_git_says;
  const auto before = find_index(context);
  if (!before) return as_git_says;
  context.scratch.use_index_in_place();

  const auto index = read_index(context);
  PlainEntries plain;
  if (!index || !read_plain_entries(*index, object_bytes(context), plain)) return as_git_says;
  IndexComparison comparison(entries_below(plain.entries, context.place.prefix), context.place.prefix, before->time);

  Result<Records> staged = Records(std::in_place);
  Result<void> surveyed;
  if (hexadecimal(plain.tree) == context.baseline_tree && !plain.tree.empty()) {
    surveyed = context.workspace.survey(context.call, comparison);
  } else {
    const std::jthread git([&] { staged = staged_records(context); });
    surveyed = context.workspace.survey(context.call, comparison);
  }
  if (!surveyed && ends_the_call(surveyed.error())) return std::move(surveyed).error();
  if (!surveyed) return as_git_says;
  if (!staged) return std::move(staged).error();
  if (!*staged) return as_git_says;
  // What git read and what we read is one index only when it is still there.
  if (find_index(context) != before) return as_git_says;

  const auto changed = comparison.take_changed();
  if (!can_be_compared(changed, options)) return as_git_says;
  auto& records = **staged;
  for (const auto& [entry, letter, is_certain, size] : changed) {
    auto& record = records[Bytes(entry->path)];
    if (record.path.empty()) {
      record.path = entry->path;
      record.baseline = {.mode = entry->mode, .object = hexadecimal(entry->object)};
    }
    record.unstaged = letter;
  }
  BERTH_TRY(auto untracked, untracked_records(context, comparison));
  if (!untracked) return as_git_says;
  auto found = *std::move(untracked);
  for (auto& [path, record] : records) found.push_back(std::move(record));
  return std::optional(std::move(found));
}

}  // namespace berth::git
