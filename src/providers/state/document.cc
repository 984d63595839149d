#include "providers/state/document.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"

namespace berth::state {
namespace {

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "." : path.substr(0, slash);
}

}  // namespace

ChangeToken StoredFile::token() const {
  const std::string facts = created_at + "\n" + modified_at + "\n" +
                            (git_mode == GitMode::executable ? "100755" : "100644") + "\n" + revision.text;
  return token_of(facts);
}

ChangeToken token_of(std::string_view facts) {
  const Sha256 digest = sha256(facts);
  ChangeToken token;
  static_assert(sizeof digest.bytes <= sizeof token.words);
  std::memcpy(token.words.data(), digest.bytes.data(), sizeof digest.bytes);
  return token;
}

Revision revision_of(BytesView content) { return {"sha256:" + to_hex(sha256(content))}; }

const StoredFile* Document::find_file(std::string_view path) const {
  const auto found = files_.find(path);
  return found == files_.end() ? nullptr : found->second.get();
}

bool Document::is_directory(std::string_view path) const { return path == "." || directories_.contains(path); }

bool Document::has_file_above(std::string_view path) const {
  for (path = parent_of(path); path != "."; path = parent_of(path)) {
    if (directories_.contains(path)) return false;
    if (files_.contains(path)) return true;
  }
  return false;
}

void Document::put_file(std::string_view path, std::shared_ptr<const StoredFile> file) {
  put_directory(parent_of(path));
  files_.insert_or_assign(std::string(path), std::move(file));
}

void Document::put_directory(std::string_view path) {
  for (; path != "."; path = parent_of(path)) {
    if (!directories_.emplace(path).second) return;
    directory_bytes_ += path.size();
  }
}

void Document::erase_file(std::string_view path) {
  if (const auto found = files_.find(path); found != files_.end()) files_.erase(found);
}

std::int64_t Document::erase_tree(std::string_view path) {
  const std::string prefix = below(path);
  const auto [first_file, last_file] = range_below(files_, prefix);
  const auto [first_directory, last_directory] = range_below(directories_, prefix);
  std::int64_t count = std::distance(first_file, last_file) + std::distance(first_directory, last_directory);
  for (auto directory = first_directory; directory != last_directory; ++directory) {
    directory_bytes_ -= directory->size();
  }
  files_.erase(first_file, last_file);
  directories_.erase(first_directory, last_directory);
  if (const auto top = directories_.find(path); top != directories_.end()) {
    directory_bytes_ -= path.size();
    directories_.erase(top);
    ++count;
  }
  return count;
}

bool operator==(const Document& a, const Document& b) {
  return a.directories_ == b.directories_ && a.extra_ == b.extra_ &&
         std::equal(a.files_.begin(), a.files_.end(), b.files_.begin(), b.files_.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first && *x.second == *y.second; });
}

std::string below(std::string_view directory) { return directory == "." ? "" : std::string(directory) + "/"; }

}  // namespace berth::state
