#include "engine/transactions/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <utility>

#include "base/base64.h"
#include "engine/files/sync_directory.h"
#include "os/temp_name.h"

namespace berth::engine {
namespace {

constexpr BytesView kMagic = "berth-transaction 1";
constexpr BytesView kPrepared = "P";
constexpr BytesView kCommitted = "C";
constexpr BytesView kNone = "-";

std::vector<BytesView> words_of(BytesView line) {
  std::vector<BytesView> words;
  while (!line.empty()) {
    const auto end = line.find(' ');
    words.push_back(line.substr(0, end));
    line = end == BytesView::npos ? BytesView() : line.substr(end + 1);
  }
  return words;
}

std::string word_of(const Path& path) { return encode_base64(path.text()); }

std::optional<Path> try_path(BytesView word) {
  const auto text = try_decode_base64(word);
  if (!text) return std::nullopt;
  auto path = parse_path(*text, {});
  if (!path) return std::nullopt;
  return *std::move(path);
}

template <typename Number>
bool read_number(BytesView word, Number& number) {
  return std::from_chars(word.data(), word.data() + word.size(), number).ptr == word.data() + word.size();
}

std::string line_of(const JournalStep& step) {
  std::string line(1, static_cast<char>(step.kind));
  for (const std::string& word :
       {word_of(step.path), word_of(step.to), step.kept.empty() ? std::string(kNone) : step.kept,
        std::to_string(step.device), std::to_string(step.inode)}) {
    line += " " + word;
  }
  return line + "\n";
}

std::optional<JournalStep> try_step(const std::vector<BytesView>& words) {
  if (words.size() != 6 || words[0].size() != 1 || BytesView("WNRMK").find(words[0].front()) == BytesView::npos) {
    return std::nullopt;
  }
  const auto path = try_path(words[1]);
  const auto to = try_path(words[2]);
  JournalStep step;
  if (!path || !to || !read_number(words[4], step.device) || !read_number(words[5], step.inode)) return std::nullopt;
  step.kind = static_cast<JournalStep::Kind>(words[0].front());
  step.path = *path;
  step.to = *to;
  if (words[3] != kNone) step.kept = words[3];
  if (!step.kept.empty() && !os::is_kept_name(step.kept)) return std::nullopt;
  return step;
}

}  // namespace

std::optional<JournalContent> try_parse_journal(BytesView text) {
  JournalContent content;
  bool first = true;
  for (auto end = text.find('\n'); end != BytesView::npos; end = text.find('\n')) {
    const BytesView line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (std::exchange(first, false)) {
      if (line != kMagic) return std::nullopt;
      continue;
    }
    const auto words = words_of(line);
    if (line == kPrepared) {
      content.prepared = true;
    } else if (line == kCommitted) {
      content.committed = true;
    } else if (words.size() == 2 && words[0] == "D") {
      if (const auto path = try_path(words[1])) content.made.push_back(*path);
    } else if (const auto step = try_step(words)) {
      content.steps.push_back(*step);
    }
  }
  if (first) return std::nullopt;
  if (!content.prepared) content.steps.clear();
  return content;
}

Result<Journal> Journal::begin(const Call& call, const os::Root& root, Durability durability,
                               const std::vector<Path>& made) {
  std::string name = os::make_journal_name();
  os::Fd fd(openat(root.fd(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return errno_error(errno, "write the transaction's journal");
  Journal journal(root, durability, std::move(name), std::move(fd));
  // Nobody who finds it now can read a journal in it, so nobody removes it before it is locked.
  if (flock(journal.fd_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return make_error(ErrorCode::conflict, "another process looked into the transaction's journal; try again");
  }
  Bytes text = Bytes(kMagic) + "\n";
  for (const Path& path : made) text += "D " + word_of(path) + "\n";
  BERTH_CHECK(journal.append(call, text));
  if (durability == Durability::durable) BERTH_CHECK(sync_directory(root.fd()));
  return journal;
}

Journal::Journal(Journal&& other) noexcept
    : root_(other.root_),
      durability_(other.durability_),
      name_(std::exchange(other.name_, {})),
      fd_(std::move(other.fd_)) {}

Journal::~Journal() {
  if (!name_.empty()) unlinkat(root_->fd(), name_.c_str(), 0);
}

Result<void> Journal::prepared(const Call& call, const std::vector<JournalStep>& steps) {
  Bytes text;
  for (const auto& step : steps) text += line_of(step);
  return append(call, text + Bytes(kPrepared) + "\n");
}

Result<void> Journal::committed(const Call& call) { return append(call, Bytes(kCommitted) + "\n"); }

Result<void> Journal::append(const Call& call, const Bytes& text) {
  BytesView left = text;
  while (!left.empty()) {
    const auto written = ::write(fd_.get(), left.data(), left.size());
    if (written < 0 && errno != EINTR) return errno_error(errno, "write the transaction's journal");
    if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
    BERTH_CHECK(call.check());
  }
  if (durability_ == Durability::durable && fdatasync(fd_.get()) != 0) {
    return errno_error(errno, "sync the transaction's journal");
  }
  return {};
}

}  // namespace berth::engine
