#include <tuple>

#include <nanobind/stl/tuple.h>

#include "call_binding.h"

namespace berth::python {
namespace {

using Text = std::optional<std::string>;

WriteOptions write_options(const Text& git_mode, const Text& expected_git_mode, const Text& expected_token) {
  return {.git_mode = git_mode_arg(git_mode),
          .expected_git_mode = git_mode_arg(expected_git_mode),
          .expected_token = token_arg(expected_token)};
}

Started write(const Handle& handle, TextArg path, ContentArg content, const Text& git_mode,
              const Text& expected_token) {
  return on(handle, Takes::a_moment,
            [path = std::move(path.text), content = std::move(content.bytes),
             options = write_options(git_mode, {}, expected_token)](Workspace& workspace, const Call& call) {
              return workspace.write(call, path, content, options);
            });
}

Started create(const Handle& handle, TextArg path, ContentArg content, const Text& git_mode) {
  return on(
      handle, Takes::a_moment,
      [path = std::move(path.text), content = std::move(content.bytes), options = write_options(git_mode, {}, {})](
          Workspace& workspace, const Call& call) { return workspace.create(call, path, content, options); });
}

Started replace(const Handle& handle, TextArg path, ContentArg content, std::string expected_revision,
                const Text& git_mode, const Text& expected_git_mode, const Text& expected_token) {
  return on(
      handle, Takes::a_moment,
      [path = std::move(path.text), content = std::move(content.bytes),
       revision = Revision{std::move(expected_revision)},
       options = write_options(git_mode, expected_git_mode, expected_token)](Workspace& workspace, const Call& call) {
        return workspace.replace(call, path, content, revision, options);
      });
}

Started delete_file(const Handle& handle, TextArg path) {
  return on(handle, Takes::a_moment, [path = std::move(path.text)](Workspace& workspace, const Call& call) {
    return workspace.delete_file(call, path);
  });
}

Started delete_if(const Handle& handle, TextArg path, std::string expected_revision, const Text& expected_git_mode,
                  const Text& expected_token) {
  return on(handle, Takes::a_moment,
            [path = std::move(path.text), revision = Revision{std::move(expected_revision)},
             options = write_options({}, expected_git_mode, expected_token)](Workspace& workspace, const Call& call) {
              return workspace.delete_if(call, path, revision, options);
            });
}

Started move_if(const Handle& handle, TextArg from, TextArg to, std::string expected_revision,
                const Text& expected_git_mode, const Text& expected_token) {
  return on(handle, Takes::a_moment,
            [from = std::move(from.text), to = std::move(to.text), revision = Revision{std::move(expected_revision)},
             options = write_options({}, expected_git_mode, expected_token)](Workspace& workspace, const Call& call) {
              return workspace.move_if(call, from, to, revision, options);
            });
}

/// Move whatever the file holds: the revision is read first, and a change in between is `revision_mismatch`.
Started move(const Handle& handle, TextArg from, TextArg to) {
  return on(handle, Takes::a_moment,
            [from = std::move(from.text), to = std::move(to.text)](Workspace& workspace,
                                                                   const Call& call) -> Result<MoveOutcome> {
              BERTH_TRY(const auto page, workspace.read(call, from));
              return workspace.move_if(call, from, to, page.revision.value_or(Revision{}));
            });
}

Started remove(const Handle& handle, TextArg path) {
  return on(handle, Takes::a_moment, [path = std::move(path.text)](Workspace& workspace, const Call& call) {
    return workspace.remove(call, path);
  });
}

Started make_directory(const Handle& handle, TextArg path) {
  return on(handle, Takes::a_moment, [path = std::move(path.text)](Workspace& workspace, const Call& call) {
    return workspace.make_directory(call, path);
  });
}

Started prune_empty_directories(const Handle& handle, TextArg path, std::int64_t max_directories) {
  return on(handle, Takes::a_moment,
            [path = std::move(path.text), max_directories](Workspace& workspace, const Call& call) {
              return workspace.prune_empty_directories(call, path, max_directories);
            });
}

/// `edits`: (old_text, new_text, expected_count or None).
Started edit(const Handle& handle, TextArg path, nb::sequence edits, Text expected_revision,
             std::size_t max_diff_bytes) {
  std::vector<Edit> all;
  for (nb::handle item : edits) {
    const auto [old_text, new_text, count] =
        nb::cast<std::tuple<nb::object, nb::object, std::optional<std::int64_t>>>(item);
    Edit one;
    if (!read_content(old_text, one.old_text) || !read_content(new_text, one.new_text)) {
      throw nb::type_error("the texts of an edit are str or bytes");
    }
    one.count = count ? Edit::Count::exactly : Edit::Count::all;
    one.expected_count = count.value_or(1);
    all.push_back(std::move(one));
  }
  EditOptions options{.expected_revision = {}, .max_diff_bytes = max_diff_bytes};
  if (expected_revision) options.expected_revision = Revision{std::move(*expected_revision)};
  return on(handle, Takes::a_moment,
            [path = std::move(path.text), all = std::move(all), options](Workspace& workspace, const Call& call) {
              return workspace.edit(call, path, all, options);
            });
}

Started apply_patch(const Handle& handle, ContentArg text, bool check, nb::dict expected_revisions,
                    std::optional<std::size_t> max_diff_bytes) {
  PatchOptions options;
  if (check) options.mode = PatchOptions::Mode::check;
  if (max_diff_bytes) options.max_diff_bytes = *max_diff_bytes;
  std::vector<std::pair<std::string, Revision>> expected;
  for (const auto [path, revision] : expected_revisions) {
    expected.emplace_back(nb::cast<TextArg>(path).text, Revision{nb::cast<std::string>(revision)});
  }
  return on(handle, Takes::a_moment,
            [text = std::move(text.bytes), options, expected = std::move(expected)](
                Workspace& workspace, const Call& call) mutable -> Result<PatchOutcome> {
              for (auto& [path, revision] : expected) {
                BERTH_TRY(auto resolved, workspace.resolve(path));
                options.expected_revisions.emplace(std::move(resolved), std::move(revision));
              }
              return workspace.apply_patch(call, text, options);
            });
}

/// One operation: (kind, path, other path or content, expected_revision, git_mode).
struct OperationArg {
  std::string kind;
  std::string path;
  std::string other;
  Text expected_revision;
  std::optional<GitMode> git_mode;
};

Result<FileOperation> file_operation(const Workspace& workspace, OperationArg& given) {
  BERTH_TRY(Path path, workspace.resolve(given.path));
  const Revision revision{given.expected_revision.value_or("")};
  if (given.kind == "write" || given.kind == "create") {
    WriteOperation write{std::move(path), std::move(given.other), {}};
    write.spec.git_mode = given.git_mode;
    if (given.kind == "create") write.spec.when = WriteSpec::When::absent;
    if (given.expected_revision) {
      write.spec.when = WriteSpec::When::revision_matches;
      write.spec.expected_revision = revision;
    }
    return FileOperation(std::move(write));
  }
  if (given.kind == "remove") {
    RemoveOperation removal{std::move(path), {}};
    if (given.expected_revision) {
      removal.spec.what = RemoveSpec::What::file_if_revision;
      removal.spec.expected_revision = revision;
    }
    return FileOperation(std::move(removal));
  }
  if (given.kind == "move") {
    BERTH_TRY(Path to, workspace.resolve(given.other));
    MoveOperation move{std::move(path), std::move(to), {}};
    move.spec.expected_revision = revision;
    return FileOperation(std::move(move));
  }
  return FileOperation(MakeDirectoryOperation{std::move(path)});
}

Started transaction(const Handle& handle, nb::sequence operations) {
  std::vector<OperationArg> all;
  for (nb::handle item : operations) {
    const auto [kind, path, other, revision, mode] =
        nb::cast<std::tuple<std::string, TextArg, ContentArg, Text, Text>>(item);
    all.push_back({kind, path.text, other.bytes, revision, git_mode_arg(mode)});
  }
  return on(handle, Takes::a_moment,
            [all = std::move(all)](Workspace& workspace, const Call& call) mutable -> Result<TransactionOutcome> {
              std::vector<FileOperation> resolved;
              for (auto& one : all) {
                BERTH_TRY(auto made, file_operation(workspace, one));
                resolved.push_back(std::move(made));
              }
              return workspace.transaction(call, resolved);
            });
}

}  // namespace

void bind_changes(nb::class_<Handle>& handle) {
  handle.def("write", write, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none())
      .def("create", create, nb::arg(), nb::arg(), nb::arg().none())
      .def("replace", replace, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none())
      .def("delete_file", delete_file)
      .def("delete_if", delete_if, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none())
      .def("move_if", move_if, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none())
      .def("move", move)
      .def("remove", remove)
      .def("make_directory", make_directory)
      .def("prune_empty_directories", prune_empty_directories)
      .def("edit", edit, nb::arg(), nb::arg(), nb::arg().none(), nb::arg())
      .def("apply_patch", apply_patch, nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
      .def("transaction", transaction);
}

}  // namespace berth::python
