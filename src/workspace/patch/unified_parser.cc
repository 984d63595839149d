#include "workspace/patch/unified_parser.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/limits.h"
#include "workspace/patch/patch_errors.h"
#include "workspace/patch/patch_lines.h"
#include "workspace/patch/patch_names.h"

namespace berth {
namespace {

using Kind = PatchOperation::Kind;

/// What the header of one file's part says. Names are as written, prefixes included.
struct Section {
  std::size_t line = 0;  ///< where it begins
  bool is_git = false;
  std::optional<HeaderName> header_old;  ///< of the `diff --git` line
  std::optional<HeaderName> header_new;
  std::optional<HeaderName> old_name;  ///< of `---` and `+++`
  std::optional<HeaderName> new_name;
  std::optional<Bytes> from;  ///< of rename and copy, which have no prefix
  std::optional<Bytes> to;
  bool is_copy = false;
  bool is_new = false;
  bool is_deleted = false;
  std::optional<GitMode> new_mode;
  bool changes_mode = false;
  std::vector<UnifiedHunk> hunks;
};

/// What the first component of a name is.
enum class PrefixKind {
  none,      ///< there is no slash
  prefix,    ///< what a diff program put before it
  directory  ///< nothing shows that it is a prefix
};

/// A number at the start of `text`, taken off; nothing when there is none that fits.
std::optional<std::int64_t> take_number(BytesView& text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || value < 0 || end == text.data()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(BytesView& text, BytesView prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

struct HunkHeader {
  std::int64_t old_line = 0, old_count = 1, new_line = 0, new_count = 1;
};

bool take_range(BytesView& text, std::int64_t& line, std::int64_t& count) {
  const auto first = take_number(text);
  if (!first) return false;
  line = *first;
  if (!take(text, ",")) return true;
  const auto second = take_number(text);
  if (!second) return false;
  count = *second;
  return true;
}

std::optional<HunkHeader> try_hunk_header(BytesView line) {
  HunkHeader header;
  if (!take(line, "@@ -") || !take_range(line, header.old_line, header.old_count)) return std::nullopt;
  if (!take(line, " +") || !take_range(line, header.new_line, header.new_count)) return std::nullopt;
  if (!take(line, " @@")) return std::nullopt;
  return header;
}

/// Set the path of an operation from a name that both sides mean, or the only one.
Result<void> set_path(PatchOperation& operation, BytesView as_written, BytesView without_prefix,
                      PrefixKind prefix_kind) {
  if (prefix_kind == PrefixKind::prefix) {
    BERTH_TRY(operation.path, patch_path(without_prefix));
    return {};
  }
  BERTH_TRY(operation.path, patch_path(as_written));
  if (prefix_kind == PrefixKind::none) return {};
  BERTH_TRY(operation.without_first, patch_path(without_prefix));
  return {};
}

Result<void> set_one_name(PatchOperation& operation, const HeaderName& name) {
  const auto parts = split_prefix(name.text);
  return set_path(operation, name.text, parts.name,
                  parts.prefix.empty()           ? PrefixKind::none
                  : is_diff_prefix(parts.prefix) ? PrefixKind::prefix
                                                 : PrefixKind::directory);
}

Result<void> set_common_name(PatchOperation& operation, const HeaderName& old_name, const HeaderName& new_name) {
  const auto a = split_prefix(old_name.text);
  const auto b = split_prefix(new_name.text);
  // `foo.orig` and `foo`, `foo` and `foo.new`: the shorter one is meant, as by git.
  const bool new_is_meant = b.name.starts_with(a.name);
  const auto& meant = new_is_meant ? a : b;
  if (!a.name.starts_with(meant.name)) {
    return patch_rejected(PatchReason::names_differ, "the names before and after differ, and nothing says rename")
        .at(b.name);
  }
  // A prefix also shows in that the names differ in it.
  const auto kind = a.prefix != b.prefix || is_diff_prefix(a.prefix) ? PrefixKind::prefix
                    : a.prefix.empty()                               ? PrefixKind::none
                                                                     : PrefixKind::directory;
  return set_path(operation, new_is_meant ? old_name.text : new_name.text, meant.name, kind);
}

class UnifiedParser {
 public:
  explicit UnifiedParser(BytesView text)
      : lines_(split_lines_keeping_ends(text)), sent_as_crlf_(std::ranges::all_of(lines_, [](BytesView line) {
          return !line.ends_with('\n') || line.ends_with("\r\n");
        })) {}

  Result<Patch> run() {
    while (at_ < lines_.size()) {
      const BytesView line = lines_[at_];
      if (line.starts_with("diff --git ")) {
        BERTH_CHECK(git_section());
      } else if (begins_names()) {
        BERTH_CHECK(plain_section());
      } else if (try_hunk_header(line)) {
        return patch_rejected_at(PatchReason::malformed, "a hunk without the names of a file before it", at_);
      } else if (is_binary_note(line)) {
        return binary(at_);
      } else {
        ++at_;
      }
    }
    if (patch_.operations.empty()) return patch_rejected(PatchReason::malformed, "there is no patch in the text");
    BERTH_CHECK(check_operations(patch_));
    return std::move(patch_);
  }

 private:
  BytesView peek(std::size_t ahead = 0) const {
    return at_ + ahead < lines_.size() ? lines_[at_ + ahead] : BytesView();
  }

  bool begins_names() const { return peek().starts_with("--- ") && peek(1).starts_with("+++ "); }

  static bool is_binary_note(BytesView line) {
    line = without_ending(line);
    return (line.starts_with("Binary files ") || line.starts_with("Files ")) && line.ends_with(" differ");
  }

  static Error binary(std::size_t line) {
    return patch_rejected_at(PatchReason::binary, "a binary change cannot be applied", line);
  }

  Result<HeaderName> name_at(std::size_t line, std::size_t skip) const {
    auto name = try_header_name(without_ending(lines_[line]).substr(skip));
    if (name && !name->text.empty()) return *std::move(name);
    return patch_rejected_at(PatchReason::bad_name, "the name cannot be read", line);
  }

  /// A name of a rename or copy line: quoted, or all there is.
  Result<Bytes> bare_name(BytesView rest) const {
    if (!rest.starts_with('"')) return Bytes(rest);
    auto unquoted = try_unquote(rest);
    if (!unquoted || unquoted->length != rest.size()) {
      return patch_rejected_at(PatchReason::bad_name, "the quoted name cannot be read", at_);
    }
    return std::move(unquoted->name);
  }

  Result<void> plain_section() {
    Section section{.line = at_};
    BERTH_CHECK(names(section));
    BERTH_CHECK(hunks(section));
    if (section.hunks.empty()) {
      return patch_rejected_at(PatchReason::malformed, "the names of a file without a hunk `@@ -1,2 +1,2 @@`",
                               section.line);
    }
    return finish(section);
  }

  Result<void> names(Section& section) {
    BERTH_TRY(section.old_name, name_at(at_, 4));
    BERTH_TRY(section.new_name, name_at(at_ + 1, 4));
    at_ += 2;
    return {};
  }

  Result<void> git_section() {
    Section section{.line = at_, .is_git = true};
    BERTH_CHECK(header_names(section));
    ++at_;
    for (bool more = true; more && at_ < lines_.size();) {
      BERTH_TRY(more, extended_header(section));
      if (more) ++at_;
    }
    if (begins_names()) {
      BERTH_CHECK(names(section));
      BERTH_CHECK(hunks(section));
      if (section.hunks.empty()) {
        return patch_rejected_at(PatchReason::malformed, "the names of a file without a hunk `@@ -1,2 +1,2 @@`",
                                 section.line);
      }
    } else if (peek().starts_with("GIT binary patch") || is_binary_note(peek())) {
      return binary(at_);
    } else {
      BERTH_CHECK(hunks(section));
    }
    return finish(section);
  }

  /// The names of a `diff --git` line, where they can be told apart: quoted, or equal but for the prefix.
  Result<void> header_names(Section& section) const {
    const BytesView rest = without_ending(lines_[at_]).substr(sizeof("diff --git ") - 1);
    if (rest.starts_with('"')) {
      auto first = try_unquote(rest);
      if (!first || rest.substr(first->length, 1) != " ") {
        return patch_rejected_at(PatchReason::bad_name, "the quoted name cannot be read", at_);
      }
      BERTH_TRY(Bytes second, bare_name(rest.substr(first->length + 1)));
      section.header_old = HeaderName{std::move(first->name)};
      section.header_new = HeaderName{std::move(second)};
      return {};
    }
    if (const auto quote = rest.find(" \""); quote != BytesView::npos && rest.ends_with('"')) {
      BERTH_TRY(Bytes second, bare_name(rest.substr(quote + 1)));
      section.header_old = HeaderName{Bytes(rest.substr(0, quote))};
      section.header_new = HeaderName{std::move(second)};
      return {};
    }
    for (auto space = rest.find(' '); space != BytesView::npos; space = rest.find(' ', space + 1)) {
      const BytesView first = rest.substr(0, space);
      const BytesView second = rest.substr(space + 1);
      if (split_prefix(first).name != split_prefix(second).name) continue;
      section.header_old = HeaderName{Bytes(first)};
      section.header_new = HeaderName{Bytes(second)};
      break;
    }
    return {};
  }

  /// Whether the line is one of git's extended header lines.
  Result<bool> extended_header(Section& section) {
    BytesView rest = without_ending(lines_[at_]);
    if (take(rest, "old mode ")) {
      BERTH_CHECK(mode(rest));
      return true;
    }
    if (take(rest, "new mode ")) {
      BERTH_TRY(section.new_mode, mode(rest));
      section.changes_mode = true;
      return true;
    }
    if (take(rest, "new file mode ")) {
      BERTH_TRY(section.new_mode, mode(rest));
      section.is_new = true;
      return true;
    }
    if (take(rest, "deleted file mode ")) {
      BERTH_CHECK(mode(rest));
      section.is_deleted = true;
      return true;
    }
    if (take(rest, "index ")) {
      if (const auto space = rest.rfind(' '); space != BytesView::npos) BERTH_CHECK(mode(rest.substr(space + 1)));
      return true;
    }
    if (take(rest, "rename from ") || take(rest, "rename old ")) return name_line(section.from, rest);
    if (take(rest, "rename to ") || take(rest, "rename new ")) return name_line(section.to, rest);
    if (take(rest, "copy from ")) {
      section.is_copy = true;
      return name_line(section.from, rest);
    }
    if (take(rest, "copy to ")) {
      section.is_copy = true;
      return name_line(section.to, rest);
    }
    return rest.starts_with("similarity index ") || rest.starts_with("dissimilarity index ");
  }

  Result<bool> name_line(std::optional<Bytes>& name, BytesView rest) const {
    BERTH_TRY(name, bare_name(rest));
    return true;
  }

  Result<GitMode> mode(BytesView text) const {
    while (text.ends_with(' ')) text.remove_suffix(1);
    if (text == "100644") return GitMode::regular;
    if (text == "100755") return GitMode::executable;
    if (text == "120000") return patch_rejected_at(PatchReason::symlink, "a patch makes and changes no links", at_);
    if (text == "160000") return patch_rejected_at(PatchReason::submodule, "a patch changes no submodules", at_);
    return patch_rejected_at(PatchReason::bad_mode, "the mode is neither 100644 nor 100755", at_);
  }

  Result<void> hunks(Section& section) {
    while (peek().starts_with("@@")) {
      const auto header = try_hunk_header(peek());
      if (!header) return patch_rejected_at(PatchReason::malformed, "this is no hunk header as `@@ -1,2 +1,2 @@`", at_);
      const std::size_t begin = at_++;
      BERTH_TRY(UnifiedHunk hunk, hunk_lines(*header, begin));
      section.hunks.push_back(std::move(hunk));
    }
    if (section.hunks.empty() || at_ == lines_.size()) return {};
    // git passes over what follows a hunk, so a count that is too small loses lines in silence.
    const char first = peek().front();
    const bool signature = without_ending(peek()) == "-- " || without_ending(peek()) == "--";
    if ((first == ' ' || first == '+' || first == '-') && !begins_names() && !signature) {
      return patch_rejected_at(PatchReason::wrong_counts, "the hunk has more lines than its header says", at_);
    }
    return {};
  }

  Result<UnifiedHunk> hunk_lines(const HunkHeader& header, std::size_t begin) {
    UnifiedHunk hunk{header.old_line, header.new_line, {}};
    std::int64_t old_left = header.old_count;
    std::int64_t new_left = header.new_count;
    bool changes = false;
    bool old_ended = false;  // a line without ending was the side's last
    bool new_ended = false;
    while (old_left > 0 || new_left > 0) {
      if (at_ == lines_.size()) {
        return patch_rejected_at(PatchReason::wrong_counts, "the hunk has fewer lines than its header says", begin);
      }
      BytesView line = lines_[at_];
      HunkLine parsed;
      switch (line.front()) {
        case '\\': return patch_rejected_at(PatchReason::malformed, "a line that belongs to no line before it", at_);
        case '-': parsed.kind = HunkLine::Kind::removed; break;
        case '+': parsed.kind = HunkLine::Kind::added; break;
        // An empty line stands for an empty line of context, whose space was lost.
        case '\n':
        case '\r':
        case ' ': parsed.kind = HunkLine::Kind::context; break;
        default:
          return patch_rejected_at(PatchReason::wrong_counts, "the hunk has fewer lines than its header says", at_);
      }
      const bool empty = without_ending(line).empty();
      if (!empty && line.front() == '\r') {
        return patch_rejected_at(PatchReason::malformed, "a line of a hunk begins with a space, `-` or `+`", at_);
      }
      parsed.text = line.substr(empty ? 0 : 1);
      if (!parsed.text.ends_with('\n')) parsed.text.push_back('\n');
      const bool in_old = parsed.kind != HunkLine::Kind::added;
      const bool in_new = parsed.kind != HunkLine::Kind::removed;
      if ((in_old && old_left == 0) || (in_new && new_left == 0)) {
        return patch_rejected_at(PatchReason::wrong_counts, "the hunk has other lines than its header says", at_);
      }
      if ((in_old && old_ended) || (in_new && new_ended)) {
        return patch_rejected_at(PatchReason::malformed, "a line follows one that has no newline", at_);
      }
      old_left -= in_old ? 1 : 0;
      new_left -= in_new ? 1 : 0;
      changes = changes || parsed.kind != HunkLine::Kind::context;
      ++at_;
      if (peek().starts_with("\\ ")) {
        parsed.text.pop_back();
        old_ended = old_ended || in_old;
        new_ended = new_ended || in_new;
        ++at_;
      }
      hunk.lines.push_back(std::move(parsed));
    }
    if (!changes) return patch_rejected_at(PatchReason::malformed, "the hunk changes nothing", begin);
    return hunk;
  }

  Result<void> finish(Section& section) {
    if (patch_.operations.size() >= static_cast<std::size_t>(limits::kPatchFiles)) {
      return make_error(ErrorCode::too_large, "the patch changes more files than one patch may")
          .with("limit", "patch_files")
          .with("max_files", limits::kPatchFiles);
    }
    PatchOperation operation;
    auto resolved = resolve(section, operation);
    if (!resolved) {
      if (resolved.error().field("patch_line") != nullptr) return resolved;
      return std::move(resolved).error().with("patch_line", static_cast<std::int64_t>(section.line) + 1);
    }
    patch_.operations.push_back(std::move(operation));
    return {};
  }

  Result<void> resolve(Section& section, PatchOperation& operation) const {
    if (section.from || section.to) return resolve_move(section, operation);
    const bool is_new = section.is_new || (section.old_name && section.old_name->is_null);
    const bool is_deleted = section.is_deleted || (section.new_name && section.new_name->is_null);
    if (is_new && is_deleted) {
      return patch_rejected_at(PatchReason::malformed, "the file is both new and deleted", section.line);
    }
    const HeaderName* old_name = section.old_name     ? &*section.old_name
                                 : section.header_old ? &*section.header_old
                                                      : nullptr;
    const HeaderName* new_name = section.new_name     ? &*section.new_name
                                 : section.header_new ? &*section.header_new
                                                      : nullptr;
    if (old_name == nullptr || new_name == nullptr) {
      return patch_rejected_at(PatchReason::bad_name, "the name of the file cannot be told", section.line);
    }
    if (is_new) {
      if (section.old_name && !section.old_name->is_null) {
        return patch_rejected_at(PatchReason::malformed, "the file is new, but has a name before", section.line);
      }
      BERTH_CHECK(set_one_name(operation, *new_name));
      return resolve_new(section, operation);
    }
    if (is_deleted) {
      if (section.new_name && !section.new_name->is_null) {
        return patch_rejected_at(PatchReason::malformed, "the file is deleted, but has a name after", section.line);
      }
      BERTH_CHECK(set_one_name(operation, *old_name));
      operation.kind = Kind::remove;
      for (const auto& hunk : section.hunks) {
        for (const auto& line : hunk.lines) {
          if (line.kind == HunkLine::Kind::removed) continue;
          return patch_rejected_at(PatchReason::malformed, "the deleted file keeps lines", section.line);
        }
      }
      operation.change = std::move(section.hunks);
      return {};
    }
    BERTH_CHECK(set_common_name(operation, *old_name, *new_name));
    if (section.hunks.empty() && !section.changes_mode) {
      return patch_rejected_at(PatchReason::malformed, "this part of the patch changes nothing", section.line);
    }
    operation.kind = Kind::update;
    operation.git_mode = section.new_mode;
    if (!section.hunks.empty()) operation.change = std::move(section.hunks);
    return {};
  }

  Result<void> resolve_new(Section& section, PatchOperation& operation) const {
    operation.kind = Kind::create;
    operation.git_mode = section.new_mode;
    if (section.hunks.size() > 1) {
      return patch_rejected_at(PatchReason::malformed, "a new file has one hunk", section.line);
    }
    for (const auto& hunk : section.hunks) {
      for (const auto& line : hunk.lines) {
        if (line.kind != HunkLine::Kind::added) {
          return patch_rejected_at(PatchReason::malformed, "a new file has only lines that are added", section.line);
        }
        operation.content += sent_as_crlf_ ? with_lf(line.text) : line.text;
      }
    }
    return {};
  }

  /// The line of a patch that was given CRs on its way.
  static Bytes with_lf(Bytes text) {
    const bool ended = text.ends_with('\n');
    if (ended) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    if (ended) text.push_back('\n');
    return text;
  }

  Result<void> resolve_move(Section& section, PatchOperation& operation) const {
    if (!section.from || !section.to || section.is_new || section.is_deleted) {
      return patch_rejected_at(PatchReason::malformed, "a rename names both where from and where to", section.line);
    }
    BERTH_TRY(operation.path, patch_path(*section.from));
    BERTH_TRY(operation.to, patch_path(*section.to));
    for (const auto& [name, path] :
         {std::pair(&section.old_name, &operation.path), std::pair(&section.new_name, &operation.to)}) {
      if (!*name) continue;
      const auto is_named = [&](BytesView text) {
        const auto named = patch_path(text);
        return named && *named == *path;
      };
      // With a prefix or, as `git diff --no-prefix` writes it, without.
      if ((*name)->is_null || (!is_named(split_prefix((*name)->text).name) && !is_named((*name)->text))) {
        return patch_rejected_at(PatchReason::names_differ, "the names of the rename contradict each other",
                                 section.line);
      }
    }
    if (operation.path == operation.to) {
      return patch_rejected_at(PatchReason::malformed, "the file is renamed to itself", section.line);
    }
    operation.kind = section.is_copy ? Kind::copy : Kind::move;
    operation.git_mode = section.new_mode;
    if (!section.hunks.empty()) operation.change = std::move(section.hunks);
    return {};
  }

  std::vector<BytesView> lines_;
  const bool sent_as_crlf_;  ///< header lines too: the endings are the transport's, not the new files'
  std::size_t at_ = 0;
  Patch patch_;
};

}  // namespace

Result<Patch> parse_unified_diff(BytesView text) { return UnifiedParser(text).run(); }

}  // namespace berth
