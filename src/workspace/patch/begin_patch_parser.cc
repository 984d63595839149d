#include "workspace/patch/begin_patch_parser.h"

#include <algorithm>

#include "base/limits.h"
#include "workspace/patch/patch_errors.h"
#include "workspace/patch/patch_lines.h"
#include "workspace/patch/patch_names.h"

namespace berth {
namespace {

using Kind = PatchOperation::Kind;

constexpr BytesView kBegin = "*** Begin Patch";
constexpr BytesView kEnd = "*** End Patch";
constexpr BytesView kAdd = "*** Add File: ";
constexpr BytesView kDelete = "*** Delete File: ";
constexpr BytesView kUpdate = "*** Update File: ";
constexpr BytesView kMove = "*** Move to: ";
constexpr BytesView kEndOfFile = "*** End of File";

BytesView trimmed(BytesView text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == BytesView::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

class BeginPatchParser {
 public:
  explicit BeginPatchParser(BytesView text) : lines_(split_lines_keeping_ends(text)) {
    const bool all_crlf =
        std::ranges::all_of(lines_, [](BytesView line) { return !line.ends_with('\n') || line.ends_with("\r\n"); });
    for (auto& line : lines_) {
      if (line.ends_with('\n')) line.remove_suffix(1);
      if (all_crlf && line.ends_with('\r')) line.remove_suffix(1);
    }
  }

  Result<Patch> run() {
    pass_blank();
    if (done() || trimmed(line()) != kBegin) return malformed("the patch does not begin with `*** Begin Patch`");
    ++at_;
    for (pass_blank(); !done() && trimmed(line()) != kEnd; pass_blank()) {
      if (patch_.operations.size() == static_cast<std::size_t>(limits::kPatchFiles)) {
        return make_error(ErrorCode::too_large, "the patch changes more files than one patch may")
            .with("limit", "patch_files")
            .with("max_files", limits::kPatchFiles);
      }
      BERTH_CHECK(file());
    }
    if (done()) return malformed("the patch does not end with `*** End Patch`");
    ++at_;
    pass_blank();
    if (!done()) return malformed("text follows `*** End Patch`");
    if (patch_.operations.empty()) return malformed("there is no patch in the text");
    BERTH_CHECK(check_operations(patch_));
    return std::move(patch_);
  }

 private:
  bool done() const { return at_ == lines_.size(); }
  BytesView line() const { return lines_[at_]; }
  Error malformed(std::string message) const {
    return patch_rejected_at(PatchReason::malformed, std::move(message), std::min(at_, lines_.size() - 1));
  }

  void pass_blank() {
    while (!done() && trimmed(line()).empty()) ++at_;
  }

  /// Whether a marker line stands here. A line of a hunk never looks like one: it begins with a sign.
  bool at_marker() const { return done() || line().starts_with("*** "); }

  Result<Path> path_after(BytesView marker) const {
    auto path = patch_path(trimmed(trimmed(line()).substr(marker.size() - 1)));
    if (!path) return std::move(path).error().with("patch_line", static_cast<std::int64_t>(at_) + 1);
    return path;
  }

  Result<void> file() {
    const BytesView marker = trimmed(line());
    PatchOperation operation;
    if (marker.starts_with(kAdd)) {
      operation.kind = Kind::create;
      BERTH_TRY(operation.path, path_after(kAdd));
      ++at_;
      BERTH_CHECK(added_lines(operation.content));
    } else if (marker.starts_with(kDelete)) {
      operation.kind = Kind::remove;
      BERTH_TRY(operation.path, path_after(kDelete));
      ++at_;
    } else if (marker.starts_with(kUpdate)) {
      BERTH_TRY(operation.path, path_after(kUpdate));
      ++at_;
      BERTH_CHECK(update(operation));
    } else {
      return malformed("this is no `*** Add File:`, `*** Update File:` or `*** Delete File:` line");
    }
    patch_.operations.push_back(std::move(operation));
    return {};
  }

  Result<void> added_lines(Bytes& content) {
    for (; !at_marker(); ++at_) {
      if (line().starts_with('+')) {
        content.append(line().substr(1)).push_back('\n');
      } else if (trimmed(line()).empty()) {
        const std::size_t blank = at_;
        pass_blank();
        if (!at_marker()) {
          at_ = blank;
          return malformed("a line of a new file begins with `+`");
        }
        return {};
      } else {
        return malformed("a line of a new file begins with `+`");
      }
    }
    return {};
  }

  Result<void> update(PatchOperation& operation) {
    operation.kind = Kind::update;
    if (!done() && trimmed(line()).starts_with(kMove)) {
      operation.kind = Kind::move;
      BERTH_TRY(operation.to, path_after(kMove));
      if (operation.to == operation.path) return malformed("the file is moved to itself");
      ++at_;
    }
    std::vector<BlockHunk> hunks;
    for (pass_blank_before_marker(); !at_marker(); pass_blank_before_marker()) {
      BERTH_TRY(BlockHunk hunk, block());
      hunks.push_back(std::move(hunk));
    }
    if (hunks.empty() && operation.kind == Kind::update) return malformed("the update changes nothing");
    if (!hunks.empty()) operation.change = std::move(hunks);
    return {};
  }

  /// Blank lines before a marker separate files; elsewhere they are empty lines of context.
  void pass_blank_before_marker() {
    const std::size_t begin = at_;
    pass_blank();
    if (!at_marker()) at_ = begin;
  }

  Result<BlockHunk> block() {
    BlockHunk hunk;
    for (; !done() && line().starts_with("@@"); ++at_) {
      const BytesView header = line().substr(2);
      if (trimmed(header).empty()) continue;
      if (!header.starts_with(' ')) return malformed("this is no `@@` line");
      hunk.headers.emplace_back(header.substr(1));
    }
    const std::size_t begin = at_;
    bool changes = false;
    for (; !at_marker() && !line().starts_with("@@"); ++at_) {
      HunkLine parsed;
      if (line().empty()) {
        // An empty line of context, whose space was lost, unless it only ends the part.
        const std::size_t blank = at_;
        pass_blank_before_marker();
        if (at_ != blank) break;
      } else {
        switch (line().front()) {
          case ' ': parsed.kind = HunkLine::Kind::context; break;
          case '-': parsed.kind = HunkLine::Kind::removed; break;
          case '+': parsed.kind = HunkLine::Kind::added; break;
          default: return malformed("a line of a hunk begins with a space, `-` or `+`");
        }
        parsed.text = line().substr(1);
      }
      changes = changes || parsed.kind != HunkLine::Kind::context;
      hunk.lines.push_back(std::move(parsed));
    }
    if (!changes) {
      at_ = std::min(begin, lines_.size() - 1);
      return malformed("the hunk changes nothing");
    }
    if (!done() && trimmed(line()) == kEndOfFile) {
      hunk.at_end = true;
      ++at_;
    }
    return hunk;
  }

  std::vector<BytesView> lines_;
  std::size_t at_ = 0;
  Patch patch_;
};

}  // namespace

Result<Patch> parse_begin_patch(BytesView text) {
  if (text.empty()) return patch_rejected(PatchReason::malformed, "the patch is empty");
  return BeginPatchParser(text).run();
}

}  // namespace berth
