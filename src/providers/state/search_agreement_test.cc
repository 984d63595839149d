// C-SEARCH-1: a document gives the same answers as a host directory that holds the same files.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>

#include "engine/tree/host_search.h"
#include "os/root.h"
#include "providers/state/provider.h"
#include "store/memory_store.h"
#include "testing/temp_dir.h"

namespace berth::state {
namespace {

using berth::testing::TempDir;

template <typename T>
rc::Gen<T> one_of(std::vector<T> values) {
  return rc::gen::elementOf(std::move(values));
}

std::map<std::string, Bytes> random_tree() {
  const auto name = one_of<std::string>({"a", "b.txt", "a-b", ".hidden", "build", ".git", "c.log"});
  const auto text =
      one_of<Bytes>({"needle\n", "hay\nneedle here\n\nneedle", "", "hay\r\n", Bytes("needle\0", 7), "\xffneedle\n"});
  const auto rules = one_of<Bytes>({"*.log\n", "build/\n", "/a\n", "!c.log\n", "a-b\n.hidden\n", ""});
  std::map<std::string, Bytes> files;
  std::map<std::string, bool> directories;
  for (int i = *rc::gen::inRange(1, 14); i > 0; --i) {
    std::vector<std::string> parents;
    std::string path;
    for (int depth = *rc::gen::inRange(0, 3); depth > 0; --depth) {
      path += (path.empty() ? "" : "/") + *name;
      parents.push_back(path);
    }
    const std::string leaf = *one_of<std::string>({*name, ".gitignore", ".ignore"});
    path += (path.empty() ? "" : "/") + leaf;
    bool fits = !directories.contains(path);
    for (const auto& parent : parents) fits = fits && !files.contains(parent);
    if (!fits) continue;
    for (const auto& parent : parents) directories[parent] = true;
    files[path] = leaf.ends_with("ignore") ? *rules : *text;
  }
  return files;
}

class BothKinds {
 public:
  explicit BothKinds(const std::map<std::string, Bytes>& files) {
    EXPECT_TRUE(document_->ensure(Call{}));
    for (const auto& [path, content] : files) {
      host_directory_.write(path, content);
      EXPECT_TRUE(document_->writes()->write(Call{}, parse_path(path, {}).value(), content, {}));
    }
    const auto root = os::Root::open({host_directory_.path()}, {.features = os::Features::probe()});
    host_ = engine::make_host_search(root.value(), {.threads = 2});
  }

  TreeSearch& host() { return *host_; }
  TreeSearch& document() { return *document_->search(); }

 private:
  TempDir host_directory_;
  std::unique_ptr<TreeSearch> host_;
  std::unique_ptr<Backend> document_ =
      StateProvider(std::shared_ptr<store::DocumentStore>(store::make_memory_store())).create().value();
};

WalkFilter random_filter() { return {.hidden = *rc::gen::arbitrary<bool>(), .ignored = *rc::gen::arbitrary<bool>()}; }

Path random_base() { return parse_path(*one_of<std::string>({".", ".", "a", "build", "a/a-b", "b.txt"}), {}).value(); }

std::string text_of(const Result<SearchResult>& result) {
  if (!result) return to_string(result.error());
  std::string text;
  for (const auto& match : result->lines)
    text += match.path.text() + ":" + std::to_string(match.line) + ":" + match.text + " ";
  for (const auto& file : result->files) text += file.path.text() + "=" + std::to_string(file.matches) + " ";
  return text + "searched " + std::to_string(result->files_searched) + ", binary " +
         std::to_string(result->files_binary) + ", bytes " + std::to_string(result->bytes_searched) + ", stopped " +
         (result->stopped_by ? std::to_string(static_cast<int>(*result->stopped_by)) : "no") + ", next " +
         std::to_string(result->next_offset.value_or(-1));
}

template <typename T>
void require_same(const Result<T>& document, const Result<T>& host) {
  RC_ASSERT(document.has_value() == host.has_value());
  if (host) {
    const bool same = *document == *host;
    RC_ASSERT(same);
  } else {
    RC_ASSERT(document.error().code == host.error().code);
  }
}

RC_GTEST_PROP(StateSearch, C_LIST_1_lists_what_a_host_directory_lists, ()) {
  BothKinds both(random_tree());
  for (int i = 0; i < 4; ++i) {
    ListQuery query;
    query.pattern =
        *one_of<std::string>({"**/*", "*", "**/*.log", "a/**", "**/a*", "*/.hidden/**", "build/*", "[a-b]*"});
    query.grammar = *rc::gen::element(PatternGrammar::list, PatternGrammar::glob);
    query.base = random_base();
    query.filter = random_filter();
    if (*rc::gen::arbitrary<bool>()) query.limit = *rc::gen::inRange(1, 4);
    const auto host = both.host().list(Call{}, query);
    require_same(both.document().list(Call{}, query), host);
    if (!host || !host->truncated) continue;
    query.cursor = host->cursor;
    require_same(both.document().list(Call{}, query), both.host().list(Call{}, query));
  }
}

RC_GTEST_PROP(StateSearch, C_SEARCH_1_finds_what_a_host_directory_finds, ()) {
  BothKinds both(random_tree());
  for (int i = 0; i < 4; ++i) {
    SearchQuery query;
    query.pattern = *one_of<std::string>({"needle", "^$", "hay|needle$", "."});
    query.base = random_base();
    query.glob = *one_of<std::string>({"", "*.txt", "a/**", "**/*.log"});
    query.mode = *rc::gen::element(SearchQuery::Mode::lines, SearchQuery::Mode::files, SearchQuery::Mode::count);
    query.filter = random_filter();
    query.context = *rc::gen::inRange(0, 2);
    if (*rc::gen::arbitrary<bool>()) query.limit = *rc::gen::inRange(1, 4);
    query.offset = *rc::gen::inRange(0, 3);
    if (*rc::gen::arbitrary<bool>()) query.max_files = *rc::gen::inRange(1, 4);
    if (*rc::gen::arbitrary<bool>()) query.max_bytes = *rc::gen::inRange(1, 20);
    auto document = both.document().search(Call{}, query);
    auto host = both.host().search(Call{}, query);
    if (document && host && host->stopped_by) {
      // How much was looked at before a bound was hit is nobody's promise.
      for (auto* result : {&*document, &*host})
        result->files_searched = result->files_binary = result->bytes_searched = 0;
    }
    if (document && host && host->files_binary > 0) {
      // A host directory counts what it had to read to see that a file is binary.
      document->bytes_searched = host->bytes_searched = 0;
    }
    RC_LOG() << "document " << text_of(document) << "\nhost " << text_of(host);
    require_same(document, host);
  }
}

}  // namespace
}  // namespace berth::state
