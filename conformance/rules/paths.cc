#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "conformance/operations.h"
#include "conformance/rules.h"
#include "testing/cases.h"

namespace berth::conformance {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::IsOk;

BERTH_CHAPTER(Paths);
BERTH_HOST_CHAPTER(PathsOnHost);

/// The outcome of a row of paths.json: a normalised path, or the name of a code.
struct Expected {
  std::string text;
  std::optional<ErrorCode> code;

  explicit Expected(const nlohmann::json& value) : text(value.get<std::string>()), code(try_error_code(text)) {}
};

void check_row(Workspace& workspace, const std::string& input, const Expected& expected, const Subject& subject) {
  SCOPED_TRACE(::testing::Message() << "path " << ::testing::PrintToString(input));
  const auto resolved = workspace.resolve(input);
  if (expected.code) {
    ASSERT_THAT(resolved, FailsWith(*expected.code));
    EXPECT_EQ(resolved.error().path, input);
    for (const Operation& operation : operations_of(subject)) {
      const auto result = operation.run(workspace, soon(), input);
      if (operation.name == "real_path" && input.find("..") != std::string::npos) {
        // It takes `..` as the kernel does, so a name before it that is missing ends the way first (C-PATH-2).
        EXPECT_FALSE(result);
        continue;
      }
      EXPECT_THAT(result, FailsWith(*expected.code)) << operation.name;
    }
    return;
  }
  ASSERT_THAT(resolved, IsOk());
  EXPECT_EQ(resolved->text(), expected.text);
  if (expected.text == ".") {
    EXPECT_THAT(workspace.read(soon(), input), FailsWith(ErrorCode::is_a_directory));
    EXPECT_THAT(workspace.list_directory(soon(), input), IsOk());
    return;
  }
  if (!subject.capabilities.write_files) {
    EXPECT_THAT(workspace.read(soon(), input), FailsWith(ErrorCode::not_found));
    return;
  }
  ASSERT_THAT(workspace.write(soon(), input, "at " + expected.text), IsOk());
  const auto page = workspace.read(soon(), expected.text);
  ASSERT_THAT(page, IsOk());
  EXPECT_EQ(page->content, "at " + expected.text);
  EXPECT_THAT(workspace.remove(soon(), resolved->components().front()), IsOk());
}

TEST_P(Paths, C_PATH_1_every_row_of_the_path_table) {
  const auto strict = environment().open({.dot_dot = PathRules::DotDot::refuse});
  const auto table = nlohmann::json::parse(testing::read_cases("paths.json"));
  ASSERT_FALSE(workspace().info().root_names.empty());
  for (const std::string& root : workspace().info().root_names) {
    for (const auto& row : table["rows"]) {
      auto input = row["input"].get<std::string>();
      Expected normal(row["normal"]);
      Expected refusing(row["strict"]);
      if (root == "/") {
        // A document's root is `/` itself, so an absolute path can only lie below it.
        if (input.starts_with('/') || input.starts_with("ROOT")) continue;
      } else if (input.starts_with("ROOT")) {
        input = root + input.substr(4);
      }
      check_row(workspace(), input, normal, subject());
      check_row(*strict, input, refusing, subject());
    }
  }
}

TEST_P(Paths, C_PATH_1_a_path_over_4096_bytes_is_invalid_argument) {
  std::string path;
  while (path.size() <= limits::kPathBytes) path += "d/";
  for (const Operation& operation : operations_of(subject())) {
    EXPECT_THAT(operation.run(workspace(), soon(), path), FailsWith(ErrorCode::invalid_argument)) << operation.name;
  }
}

TEST_P(Paths, C_PATH_1_a_component_over_255_bytes_is_name_too_long) {
  const std::string name(256, 'n');
  for (const std::string& path : {name, "d/" + name, name + "/f"}) {
    for (const Operation& operation : operations_of(subject())) {
      EXPECT_THAT(operation.run(workspace(), soon(), path), FailsWith(ErrorCode::name_too_long)) << operation.name;
    }
  }
}

TEST_P(Paths, C_PATH_1_nothing_in_a_name_is_expanded) {
  const std::vector<std::string> names = {"$HOME", "*",     "-rf",         "[a]",   "a\nb",
                                          "a b",   "a:1:b", "back\\slash", "{x,y}", "~"};
  for (const std::string& name : names) put("odd/" + name, "of " + name);
  for (const std::string& name : names) EXPECT_EQ(content("odd/" + name), "of " + name);
  const auto listing = workspace().list_directory(soon(), "odd");
  ASSERT_THAT(listing, IsOk());
  std::vector<std::string> found;
  for (const DirectoryEntry& entry : listing->entries) found.push_back(entry.name);
  EXPECT_EQ(found, names);
}

TEST_P(Paths, C_PATH_2_dots_slashes_and_parents_vanish_textually) {
  put("d/file", "x");
  for (const std::string_view spelled : {"d/file", "./d/file", "d//file", "d/./file", "d/file/", "d/absent/../file"}) {
    EXPECT_EQ(content(spelled), "x") << spelled;
  }
  for (const std::string_view leaving : {"..", "../x", "d/../..", "d/../../d/file", "d/..//../x"}) {
    EXPECT_THAT(workspace().read(soon(), leaving), FailsWith(ErrorCode::path_escape)) << leaving;
  }
}

TEST_P(Paths, C_PATH_2_strict_refuses_every_parent_component) {
  put("d/file", "x");
  const auto strict = environment().open({.dot_dot = PathRules::DotDot::refuse});
  for (const std::string_view path : {"..", "d/../d/file", "d/..", "../x"}) {
    EXPECT_THAT(strict->read(soon(), path), FailsWith(ErrorCode::invalid_argument)) << path;
  }
  EXPECT_THAT(strict->read(soon(), "d/file"), IsOk());
}

TEST_P(Paths, C_PATH_2_real_path_keeps_what_is_missing) {
  put("d/file", "x");
  for (const std::string_view path : {"d/file", "d", "d/absent", "absent/below", "."}) {
    const auto real = workspace().real_path(soon(), path);
    ASSERT_THAT(real, IsOk()) << path;
    EXPECT_EQ(real->text(), path);
  }
}

TEST_P(PathsOnHost, C_PATH_2_real_path_keeps_the_kernels_meaning_of_a_parent) {
  put("a/b/file", "x");
  host().make_link("link", "a/b");
  const auto real = workspace().real_path(soon(), "link/../c");
  if (!follows_links()) {
    EXPECT_THAT(real, FailsWith(ErrorCode::path_escape));
    return;
  }
  ASSERT_THAT(real, IsOk());
  EXPECT_EQ(real->text(), "a/c");
}

TEST_P(Paths, C_PATH_3_an_absolute_path_inside_the_root_is_accepted) {
  put("d/file", "x");
  ASSERT_FALSE(workspace().info().root_names.empty());
  for (const std::string& root : workspace().info().root_names) {
    EXPECT_EQ(content(root + "/d/file"), "x");
    EXPECT_EQ(content((root == "/" ? "" : root) + "/d/./file"), "x");
    const auto resolved = workspace().resolve(root);
    ASSERT_THAT(resolved, IsOk());
    EXPECT_TRUE(resolved->is_root());
  }
}

TEST_P(PathsOnHost, C_PATH_3_an_absolute_path_outside_the_root_is_path_escape) {
  for (const std::string& path :
       {host().outside() + "/secret.txt", host().root() + "-evil/a", std::string("/etc/passwd"), std::string("/"),
        host().root() + "/../outside/secret.txt"}) {
    for (const Operation& operation : operations_of(subject())) {
      EXPECT_THAT(operation.run(workspace(), soon(), path), FailsWith(ErrorCode::path_escape))
          << operation.name << " " << path;
    }
  }
}

TEST_P(PathsOnHost, C_PATH_4_a_parent_that_leads_out_is_path_escape_for_every_operation) {
  host().make_link("out", host().outside());
  host().make_link("up", "../outside");
  host().make_link("far", "/proc/self/root");
  host().make_directory("d");
  host().make_link("d/up", "../../outside");
  const auto outside = host().outside_state();
  for (const std::string_view path : {"out/secret.txt", "up/secret.txt", "out/new/deep/file", "far/etc/passwd"}) {
    for (const Operation& operation : operations_of(subject())) {
      EXPECT_THAT(operation.run(workspace(), soon(), path), FailsWith(ErrorCode::path_escape))
          << operation.name << " " << path;
    }
  }
  EXPECT_EQ(host().outside_state(), outside);
}

TEST_P(PathsOnHost, C_PATH_4_a_magic_link_is_never_followed) {
  host().make_link("exe", "/proc/self/exe");
  host().make_link("cwd", "/proc/self/cwd");
  EXPECT_THAT(workspace().read(soon(), "exe"), FailsWith(ErrorCode::path_escape));
  EXPECT_THAT(workspace().list_directory(soon(), "cwd"), FailsWith(ErrorCode::path_escape));
}

TEST_P(PathsOnHost, C_PATH_5_links_that_stay_inside_are_followed_or_refused_as_the_workspace_says) {
  put("d/file", "x");
  host().make_link("relative", "d/file");
  host().make_link("d/up", "../d/file");
  host().make_link("directory", "d");
  host().make_link("absolute", host().at("d/file"));
  host().make_link("chain", "directory/up");
  for (const std::string_view path : {"relative", "d/up", "directory/file", "absolute", "chain"}) {
    const auto page = workspace().read(soon(), path);
    if (!follows_links()) {
      EXPECT_THAT(page, FailsWith(ErrorCode::path_escape)) << path;
      continue;
    }
    ASSERT_THAT(page, IsOk()) << path;
    EXPECT_EQ(page->content, "x") << path;
  }
}

TEST_P(PathsOnHost, C_PATH_5_a_link_out_of_the_root_is_path_escape_even_when_dangling) {
  host().make_link("out", host().outside() + "/secret.txt");
  host().make_link("dangling", host().outside() + "/absent");
  host().make_link("up", "../outside/absent");
  const auto outside = host().outside_state();
  for (const std::string_view path : {"out", "dangling", "up"}) {
    EXPECT_THAT(workspace().read(soon(), path), FailsWith(ErrorCode::path_escape)) << path;
    EXPECT_THAT(workspace().stat(soon(), path, FollowLeaf::yes), FailsWith(ErrorCode::path_escape)) << path;
    if (can_write()) {
      EXPECT_THAT(workspace().write(soon(), path, "x"), FailsWith(ErrorCode::path_escape)) << path;
    }
  }
  EXPECT_EQ(host().outside_state(), outside);
}

TEST_P(PathsOnHost, C_PATH_5_a_loop_is_symlink_loop) {
  host().make_link("self", "self");
  host().make_link("one", "two");
  host().make_link("two", "one");
  const ErrorCode code = follows_links() ? ErrorCode::symlink_loop : ErrorCode::path_escape;
  for (const std::string_view path : {"self", "one", "two/x"}) {
    EXPECT_THAT(workspace().read(soon(), path), FailsWith(code)) << path;
    if (can_write()) {
      EXPECT_THAT(workspace().write(soon(), path, "x"), FailsWith(code)) << path;
    }
  }
}

TEST_P(PathsOnHost, C_PATH_7_names_that_are_not_utf_8_are_ordinary) {
  const std::string name = "caf\xe9-\xff";
  put("odd/" + name, "needle\n");
  EXPECT_EQ(content("odd/" + name), "needle\n");
  const auto listing = workspace().list_directory(soon(), "odd");
  ASSERT_THAT(listing, IsOk());
  ASSERT_EQ(listing->entries.size(), 1u);
  EXPECT_EQ(listing->entries.front().name, name);
  if (!can_write()) {
    expect_refused(workspace().write(soon(), "odd/\xfe", "y"));
  } else {
    EXPECT_THAT(workspace().write(soon(), "odd/\xfe", "y"), IsOk());
    EXPECT_EQ(host().read("odd/\xfe"), "y");
  }
  const auto listed = workspace().list(soon(), "odd/c*");
  if (!can_search()) return expect_refused(listed);
  ASSERT_THAT(listed, IsOk());
  EXPECT_THAT(texts(listed->paths), ElementsAre("odd/" + name));
  SearchQuery query;
  query.pattern = "needle";
  const auto found = workspace().search(soon(), ".", query);
  ASSERT_THAT(found, IsOk());
  ASSERT_EQ(found->lines.size(), 1u);
  EXPECT_EQ(found->lines.front().path.text(), "odd/" + name);
}

TEST_P(PathsOnHost, C_PATH_8_a_special_file_is_not_regular_at_once) {
  host().make_fifo("fifo");
  host().make_socket("socket");
  host().make_link("link", "fifo");
  const Revision any{"sha256:00"};
  std::vector<std::string> paths = {"fifo", "socket"};
  if (follows_links()) paths.push_back("link");
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    EXPECT_THAT(workspace().read(soon(), path), FailsWith(ErrorCode::not_regular));
    EXPECT_THAT(workspace().read_lines(soon(), path), FailsWith(ErrorCode::not_regular));
    if (!can_write()) continue;
    const std::vector<Edit> edits = {{.old_text = "a", .new_text = "b"}};
    EXPECT_THAT(workspace().write(soon(), path, "x"), FailsWith(ErrorCode::not_regular));
    EXPECT_THAT(workspace().replace(soon(), path, "x", any), FailsWith(ErrorCode::not_regular));
    EXPECT_THAT(workspace().edit(soon(), path, edits), FailsWith(ErrorCode::not_regular));
    EXPECT_THAT(workspace().create(soon(), path, "x"), FailsWith(ErrorCode::already_exists));
    if (path == "link") continue;
    EXPECT_THAT(workspace().delete_if(soon(), path, any), FailsWith(ErrorCode::not_regular));
    EXPECT_THAT(workspace().move_if(soon(), path, "to", any), FailsWith(ErrorCode::not_regular));
  }
  if (!can_search()) return;
  SearchQuery query;
  query.pattern = "a";
  const auto found = workspace().search(soon(), ".", query);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->files_searched, 0);
  const auto listed = workspace().list(soon());
  ASSERT_THAT(listed, IsOk());
  for (const Path& path : listed->paths) EXPECT_EQ(path.text(), "link");
}

}  // namespace
}  // namespace berth::conformance
