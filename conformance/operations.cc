#include "conformance/operations.h"

#include "conformance/rules.h"

namespace berth::conformance {
namespace {

using Kind = Operation::Kind;

const Revision kNoRevision{"sha256:0000000000000000000000000000000000000000000000000000000000000000"};

std::vector<Operation> make_operations() {
  std::vector<Operation> all;
  const auto add = [&all](std::string name, Kind kind, auto run) {
    all.push_back({std::move(name), kind, std::move(run)});
  };

  add("read", Kind::reads, [](Workspace& w, const Call& c, PathArg p) { return outcome_of(w.read(c, p)); });
  add("read_lines", Kind::reads, [](Workspace& w, const Call& c, PathArg p) { return outcome_of(w.read_lines(c, p)); });
  add("stat", Kind::reads, [](Workspace& w, const Call& c, PathArg p) { return outcome_of(w.stat(c, p)); });
  add("exists", Kind::reads, [](Workspace& w, const Call& c, PathArg p) { return outcome_of(w.exists(c, p)); });
  add("require_absent", Kind::reads, [](Workspace& w, const Call& c, PathArg p) { return w.require_absent(c, p); });
  add("list_directory", Kind::reads,
      [](Workspace& w, const Call& c, PathArg p) { return outcome_of(w.list_directory(c, p)); });
  add("real_path", Kind::reads, [](Workspace& w, const Call& c, PathArg p) { return outcome_of(w.real_path(c, p)); });

  add("write", Kind::writes, [](Workspace& w, const Call& c, PathArg p) { return outcome_of(w.write(c, p, "x")); });
  add("create", Kind::writes, [](Workspace& w, const Call& c, PathArg p) { return outcome_of(w.create(c, p, "x")); });
  add("replace", Kind::writes,
      [](Workspace& w, const Call& c, PathArg p) { return outcome_of(w.replace(c, p, "x", kNoRevision)); });
  add("delete", Kind::writes, [](Workspace& w, const Call& c, PathArg p) { return outcome_of(w.delete_file(c, p)); });
  add("delete_if", Kind::writes,
      [](Workspace& w, const Call& c, PathArg p) { return outcome_of(w.delete_if(c, p, kNoRevision)); });
  add("move_if from", Kind::writes,
      [](Workspace& w, const Call& c, PathArg p) { return outcome_of(w.move_if(c, p, "moved-to-here", kNoRevision)); });
  add("move_if to", Kind::writes, [](Workspace& w, const Call& c, PathArg p) -> Result<void> {
    BERTH_TRY(const auto source, w.write(c, "moved-from-here", "x"));
    return outcome_of(w.move_if(c, "moved-from-here", p, source.revision));
  });
  add("remove", Kind::writes, [](Workspace& w, const Call& c, PathArg p) { return outcome_of(w.remove(c, p)); });
  add("make_directory", Kind::writes,
      [](Workspace& w, const Call& c, PathArg p) { return outcome_of(w.make_directory(c, p)); });
  add("prune_empty_directories", Kind::writes,
      [](Workspace& w, const Call& c, PathArg p) { return outcome_of(w.prune_empty_directories(c, p, 100)); });
  add("edit", Kind::writes, [](Workspace& w, const Call& c, PathArg p) {
    const std::vector<Edit> edits = {{.old_text = "a", .new_text = "b"}};
    return outcome_of(w.edit(c, p, edits));
  });

  add("glob", Kind::searches, [](Workspace& w, const Call& c, PathArg p) { return outcome_of(w.glob(c, "**/*", p)); });
  add("search", Kind::searches, [](Workspace& w, const Call& c, PathArg p) {
    SearchQuery query;
    query.pattern = "a";
    return outcome_of(w.search(c, p, query));
  });

  add("run", Kind::runs, [](Workspace& w, const Call& c, PathArg p) -> Result<void> {
    CommandSpec spec = script("exit 0");
    BERTH_TRY(spec.cwd, w.resolve(p));
    return outcome_of(w.run(c, spec));
  });
  return all;
}

}  // namespace

const std::vector<Operation>& all_operations() {
  static const std::vector<Operation> all = make_operations();
  return all;
}

std::vector<Operation> operations_of(const Subject& subject) {
  std::vector<Operation> offered = all_operations();
  std::erase_if(offered, [&subject](const Operation& operation) {
    switch (operation.kind) {
      case Kind::reads: return !subject.capabilities.read_files;
      case Kind::writes: return !subject.capabilities.write_files;
      case Kind::searches: return !subject.capabilities.search_files;
      case Kind::runs: return !subject.capabilities.run_commands;
    }
    return false;
  });
  return offered;
}

}  // namespace berth::conformance
