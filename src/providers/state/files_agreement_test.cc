// A document answers calls about files as a host directory does: same outcomes, same errors, whatever came before.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/hash.h"
#include "engine/files/host_files.h"
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

template <typename T>
std::string code_of(const Result<T>& result) {
  return result ? "" : std::string(error_info(result.error().code).name);
}

std::string text_of(const std::optional<GitMode>& mode) {
  if (!mode) return "none";
  return *mode == GitMode::executable ? "executable" : "regular";
}

/// The kinds of calls, each giving everything of its answer that two environments share as a text.
class Caller {
 public:
  Caller(FileReads& reads, FileWrites& writes) : reads_(reads), writes_(writes) {}

  std::string read(const Path& path, const ReadRange& range) {
    const auto page = reads_.read(Call{}, path, range);
    if (!page) return code_of(page);
    return page->content + "|" + std::to_string(page->offset) + "|" + std::to_string(page->total_bytes) + "|" +
           std::to_string(page->next_offset.value_or(-1)) + "|" + (page->revision ? page->revision->text : "none") +
           "|" + text_of(page->git_mode);
  }

  std::string stat(const Path& path) {
    const auto stat = reads_.stat(Call{}, path, FollowLeaf::yes);
    if (!stat) return code_of(stat);
    const bool is_file = stat->kind == FileKind::file;
    return std::to_string(static_cast<int>(stat->kind)) + "|" + std::to_string(is_file ? stat->size : 0) + "|" +
           std::to_string(is_file ? stat->mode : 0) + "|" + text_of(stat->git_mode);
  }

  std::string list(const Path& path) {
    const auto listing = reads_.list_directory(Call{}, path);
    if (!listing) return code_of(listing);
    std::string text;
    for (const auto& entry : listing->entries)
      text += entry.name + ":" + std::to_string(static_cast<int>(entry.stat.kind)) + " ";
    return text;
  }

  std::string real_path(const Path& path) {
    const auto real = reads_.real_path(Call{}, path);
    return real ? real->text() : code_of(real);
  }

  std::string write(const Path& path, BytesView content, const WriteSpec& spec) {
    const auto outcome = writes_.write(Call{}, path, content, spec);
    if (!outcome) return code_of(outcome);
    return outcome->revision.text + "|" + (outcome->previous_revision ? outcome->previous_revision->text : "none") +
           "|" + (outcome->created ? "created" : "") + "|" + std::to_string(outcome->bytes);
  }

  std::string remove(const Path& path, const RemoveSpec& spec) {
    const auto outcome = writes_.remove(Call{}, path, spec);
    return outcome ? std::to_string(outcome->removed) : code_of(outcome);
  }

  std::string move(const Path& from, const Path& to, const MoveSpec& spec) {
    const auto outcome = writes_.move(Call{}, from, to, spec);
    return outcome ? outcome->revision.text : code_of(outcome);
  }

  std::string make_directory(const Path& path) {
    const auto outcome = writes_.make_directory(Call{}, path);
    return outcome ? (outcome->created ? "created" : "there") : code_of(outcome);
  }

  std::string prune(const Path& path, std::int64_t most) {
    const auto outcome = writes_.prune_empty_directories(Call{}, path, most);
    if (outcome) return std::to_string(outcome->removed);
    // Of a tree that is both, each kind of environment meets another reason first.
    const auto code = outcome.error().code;
    return code == ErrorCode::not_empty || code == ErrorCode::too_large ? "refused" : code_of(outcome);
  }

 private:
  FileReads& reads_;
  FileWrites& writes_;
};

Path random_path() {
  static const std::vector<std::string> kPaths = {".", "a", "b", "a/b", "a/c", "a/b/c", "b/x", "b/x/y", "d/e/f"};
  return parse_path(*one_of(kPaths), {}).value();
}

std::optional<GitMode> random_mode() {
  return *one_of<std::optional<GitMode>>({std::nullopt, std::nullopt, GitMode::regular, GitMode::executable});
}

Revision random_revision() { return {"sha256:" + to_hex(sha256(*one_of<std::string>({"", "x\n", "other"})))}; }

RC_GTEST_PROP(StateFilesAndHostFiles, give_the_same_answers, ()) {
  const TempDir directory;
  const std::shared_ptr<const os::Root> root =
      os::Root::open({directory.path()}, {.features = os::Features::probe()}).value();
  const auto host_files = engine::HostFiles::make(root, {});
  Caller host(*host_files, *host_files);
  const auto backend =
      StateProvider(std::shared_ptr<store::DocumentStore>(store::make_memory_store())).create().value();
  RC_ASSERT(backend->ensure(Call{}).has_value());
  Caller document(*backend->reads(), *backend->writes());

  for (int step = *rc::gen::inRange(1, 25); step > 0; --step) {
    const Path path = random_path();
    const auto both = [&](const std::string& what, auto&& ask) {
      const std::string from_document = ask(document);
      const std::string from_host = ask(host);
      RC_LOG() << what << " " << path.text() << ": document " << from_document << ", host " << from_host << "\n";
      RC_ASSERT(from_document == from_host);
    };
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
      case 1: {
        WriteSpec spec;
        spec.when =
            *rc::gen::element(WriteSpec::When::always, WriteSpec::When::absent, WriteSpec::When::revision_matches);
        spec.expected_revision = random_revision();
        if (*rc::gen::inRange(0, 4) == 0) spec.expected_git_mode = random_mode();
        spec.git_mode = random_mode();
        const Bytes content = *one_of<Bytes>({"", "x\n", "other"});
        both("write", [&](Caller& caller) { return caller.write(path, content, spec); });
        break;
      }
      case 2: {
        RemoveSpec spec;
        spec.what = *rc::gen::element(RemoveSpec::What::file_if_present, RemoveSpec::What::file_if_revision,
                                      RemoveSpec::What::tree);
        spec.expected_revision = random_revision();
        both("remove", [&](Caller& caller) { return caller.remove(path, spec); });
        break;
      }
      case 3: {
        const Path to = random_path();
        const MoveSpec spec{
            .expected_revision = random_revision(), .expected_git_mode = random_mode(), .expected_token = {}};
        both("move to " + to.text(), [&](Caller& caller) { return caller.move(path, to, spec); });
        break;
      }
      case 4: both("make directory", [&](Caller& caller) { return caller.make_directory(path); }); break;
      default: {
        const std::int64_t most = *rc::gen::inRange(1, 4);
        both("prune", [&](Caller& caller) { return caller.prune(path, most); });
      }
    }
    for (const char* text : {".", "a", "b", "a/b", "a/c", "a/b/c", "b/x", "b/x/y", "d/e", "d/e/f"}) {
      const Path at = parse_path(text, {}).value();
      const auto same = [&](const char* what, auto&& ask) {
        const std::string from_document = ask(document);
        const std::string from_host = ask(host);
        if (from_document != from_host)
          RC_LOG() << what << " " << text << ": " << from_document << ", host " << from_host << "\n";
        RC_ASSERT(from_document == from_host);
      };
      same("read", [&](Caller& caller) { return caller.read(at, {}); });
      same("page", [&](Caller& caller) { return caller.read(at, {.offset = 2, .max_bytes = 1}); });
      same("stat", [&](Caller& caller) { return caller.stat(at); });
      same("list", [&](Caller& caller) { return caller.list(at); });
      same("real path", [&](Caller& caller) { return caller.real_path(at); });
    }
  }
}

}  // namespace
}  // namespace berth::state
