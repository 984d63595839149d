// Random sequences of changes against a model that is as simple as can be, with a reader that parses every document
// anew.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "providers/state/document_format.h"
#include "providers/state/provider.h"
#include "store/memory_store.h"
#include "testing/matchers.h"

namespace berth::state {
namespace {

struct Model {
  std::map<std::string, Bytes> files;
  std::set<std::string> directories{"."};

  static std::string parent(const std::string& path) { return parse_path(path, {}).value().parent().text(); }

  bool has_file_above(std::string path) const {
    while (path != ".") {
      path = parent(path);
      if (files.contains(path)) return true;
    }
    return false;
  }

  std::optional<ErrorCode> why_no_file(const std::string& path) const {
    if (files.contains(path)) return std::nullopt;
    if (directories.contains(path)) return ErrorCode::is_a_directory;
    return has_file_above(path) ? ErrorCode::not_a_directory : ErrorCode::not_found;
  }

  void add_directory(std::string path) {
    for (; path != "."; path = parent(path)) directories.insert(path);
  }

  std::optional<ErrorCode> write(const std::string& path, const Bytes& content) {
    const auto why = why_no_file(path);
    if (why && *why != ErrorCode::not_found) return why;
    add_directory(parent(path));
    files[path] = content;
    return std::nullopt;
  }

  std::optional<ErrorCode> make_directory(const std::string& path) {
    if (files.contains(path)) return ErrorCode::already_exists;
    if (has_file_above(path)) return ErrorCode::not_a_directory;
    add_directory(path);
    return std::nullopt;
  }

  std::optional<ErrorCode> remove_tree(const std::string& path) {
    if (path == ".") return ErrorCode::invalid_argument;
    if (!directories.contains(path)) {
      const auto why = why_no_file(path);
      files.erase(path);
      return why;
    }
    std::erase_if(files, [&](const auto& file) { return file.first.starts_with(path + "/"); });
    std::erase_if(directories, [&](const auto& name) { return name == path || name.starts_with(path + "/"); });
    return std::nullopt;
  }

  std::optional<ErrorCode> move(const std::string& from, const std::string& to) {
    if (const auto why = why_no_file(from)) return why;
    if (from == to) return ErrorCode::invalid_argument;
    if (files.contains(to) || directories.contains(to)) return ErrorCode::already_exists;
    if (has_file_above(to)) return ErrorCode::not_a_directory;
    const Bytes content = files[from];
    files.erase(from);
    add_directory(parent(to));
    files[to] = content;
    return std::nullopt;
  }
};

template <typename T>
std::optional<ErrorCode> code_of(const Result<T>& result) {
  if (result) return std::nullopt;
  return result.error().code;
}

Model model_of(const Document& document) {
  Model model;
  for (const auto& [path, file] : document.files()) model.files[path] = file->content;
  model.directories.insert(document.directories().begin(), document.directories().end());
  return model;
}

RC_GTEST_PROP(StateBackend, does_what_a_simple_model_does, ()) {
  const std::shared_ptr<store::DocumentStore> store = store::make_memory_store();
  const auto backend = StateProvider(store).create().value();
  RC_ASSERT(backend->ensure(Call{}).has_value());
  const std::string id = backend->ref()->id;
  FileReads& reads = *backend->reads();
  FileWrites& writes = *backend->writes();
  Model model;

  const auto any_path =
      rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>("a", "b", "a-", "c.d")),
                   [](std::vector<std::string> names) {
                     names.resize(std::min<std::size_t>(names.size(), 3));
                     std::string path = ".";
                     for (const auto& name : names) path = path == "." ? name : path + "/" + name;
                     return path;
                   });
  for (int step = *rc::gen::inRange(1, 25); step > 0; --step) {
    const std::string path = *any_path;
    const Path at = parse_path(path, {}).value();
    std::optional<ErrorCode> expected;
    std::optional<ErrorCode> actual;
    switch (*rc::gen::inRange(0, 4)) {
      case 0: {
        const Bytes content = *rc::gen::element<Bytes>("", "x\n", "\xff", Bytes(1, '\0'), "y");
        expected = model.write(path, content);
        actual = code_of(writes.write(Call{}, at, content, {}));
        break;
      }
      case 1:
        expected = model.make_directory(path);
        actual = code_of(writes.make_directory(Call{}, at));
        break;
      case 2:
        expected = model.remove_tree(path);
        actual = code_of(writes.remove(Call{}, at, {.what = RemoveSpec::What::tree}));
        break;
      default: {
        const std::string to = *any_path;
        const auto page = reads.read(Call{}, at, {});
        expected = model.move(path, to);
        actual = code_of(writes.move(Call{}, at, parse_path(to, {}).value(),
                                     {.expected_revision = page ? *page->revision : Revision{"sha256:0"}}));
      }
    }
    RC_ASSERT(actual == expected);
    const Document document = parse_document({}, store->get(Call{}, id).value().content).value();
    const Model stored = model_of(document);
    RC_ASSERT(stored.files == model.files);
    RC_ASSERT(stored.directories == model.directories);
    // The backend keeps its document in memory; what it serves must be what it stored.
    for (const auto& [name, content] : model.files) {
      RC_ASSERT(reads.read(Call{}, parse_path(name, {}).value(), {}).value().content == content);
    }
  }
}

}  // namespace
}  // namespace berth::state
