#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace berth::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(State, a_document_takes_the_same_verbs) {
  const Berth berth;
  const std::string document = "state:" + berth.directory.at("notes.json");
  const auto run = [&](std::vector<std::string> words, std::string_view input = {}) {
    words.insert(words.begin(), {"-w", document});
    return berth(std::move(words), input);
  };
  EXPECT_EQ(run({"write", "a/todo.txt", "--create"}, "red\n").status, 0);
  EXPECT_EQ(run({"edit", "a/todo.txt", "--old", "red", "--new", "blue"}).status, 0);
  EXPECT_EQ(run({"read", "a/todo.txt"}), (Ended{0, "blue\n", ""}));
  EXPECT_EQ(run({"list"}), (Ended{0, "a/todo.txt\n", ""}));
  EXPECT_EQ(run({"grep", "blue"}), (Ended{0, "a/todo.txt:1:1:blue\n", ""}));
  EXPECT_EQ(run({"rm", "-r", "a"}).status, 0);
  EXPECT_EQ(run({"list"}), (Ended{0, "", ""}));
  EXPECT_TRUE(json::accept(berth.directory.read("notes.json")));
}

TEST(State, commands_are_unsupported) {
  const Berth berth;
  const std::string document = "state:" + berth.directory.at("notes.json");
  EXPECT_EQ(berth({"-w", document, "write", "f"}, "x").status, 0);
  EXPECT_EQ(berth.json({"-w", document, "run", "--", "true"}, 60)["error"]["code"], "unsupported");
}

TEST(State, C_ENV_2_attaching_never_makes_what_is_missing) {
  const Berth berth;
  const std::string document = "state:" + berth.directory.at("notes.json");
  EXPECT_EQ(berth({"-w", document, "read", "f"}).status, 62);
  EXPECT_EQ(berth({"--attach", "-w", document, "write", "f"}, "x").status, 62);
  EXPECT_FALSE(berth.directory.exists("notes.json"));
  EXPECT_EQ(berth({"-w", document, "write", "f"}, "x").status, 0);
  const std::string ref = berth.json({"-w", document, "ref"})["ref"];
  EXPECT_EQ(berth({"--attach", "-w", ref, "read", "f"}), (Ended{0, "x", ""}));
}

TEST(Policies, read_only_refuses_changes_and_commands) {
  const Berth berth;
  berth.directory.write("file", "x");
  EXPECT_EQ(berth({"--read-only", "read", "file"}), (Ended{0, "x", ""}));
  EXPECT_EQ(berth({"--read-only", "write", "file"}, "y").status, 24);
  EXPECT_EQ(berth({"--read-only", "run", "--", "rm", "file"}).status, 24);
  EXPECT_EQ(berth.directory.read("file"), "x");
}

TEST(Policies, protect_keeps_secrets_and_git_from_file_verbs) {
  const Berth berth;
  berth.directory.write(".env", "SECRET=1\n");
  berth.directory.write(".git/config", "[core]\n");
  EXPECT_EQ(berth({"--protect", "read", ".env"}).status, 22);
  EXPECT_EQ(berth({"--protect", "read", ".git/config"}).status, 0);
  EXPECT_EQ(berth({"--protect", "write", ".git/config"}, "x").status, 22);
  EXPECT_THAT(berth({"--protect", "list"}).out, Not(HasSubstr(".env")));
  EXPECT_EQ(berth({"--protect", "grep", "--hidden", "SECRET"}).status, 1);
}

TEST(Policies, below_makes_a_directory_the_root) {
  const Berth berth;
  berth.directory.write("inner/file", "x");
  berth.directory.write("outer", "y");
  EXPECT_EQ(berth({"--below", "inner", "list"}), (Ended{0, "file\n", ""}));
  EXPECT_EQ(berth({"--below", "inner", "read", "../outer"}).status, 21);
}

TEST(Policies, no_links_refuses_what_follow_inside_allows) {
  const Berth berth;
  berth.directory.write("file", "x");
  berth.directory.make_link("link", "file");
  EXPECT_EQ(berth({"read", "link"}).status, 0);
  EXPECT_EQ(berth({"--no-links", "read", "link"}).status, 21);
}

TEST(Policies, audit_has_a_line_for_each_change_and_command_refused_ones_too) {
  const Berth berth;
  const TempDir elsewhere;
  const std::string log = elsewhere.at("audit");
  EXPECT_EQ(berth({"--audit", log, "write", "f"}, "secret").status, 0);
  EXPECT_EQ(berth({"--audit", log, "write", "f", "--create"}, "secret").status, 11);
  EXPECT_EQ(berth({"--audit", log, "run", "--", "true"}).status, 0);
  EXPECT_EQ(berth({"--audit", log, "read", "f"}).status, 0);
  const auto text = elsewhere.read("audit");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, HasSubstr("already_exists"));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
}

TEST(Policies, an_audit_file_inside_the_workspace_is_refused_by_any_name) {
  const Berth berth;
  const TempDir elsewhere;
  berth.directory.make_directory("sub");
  berth.directory.write("there", "kept");
  elsewhere.make_link("inside", berth.directory.path());
  for (const auto& log : {berth.directory.at("audit"), berth.directory.at("sub/../audit"), berth.directory.at("there"),
                          elsewhere.at("inside/sub/audit")}) {
    EXPECT_EQ(berth({"--audit", log, "write", "f"}, "x").status, 2) << log;
  }
  EXPECT_EQ(berth.directory.read("there"), "kept");
  for (const char* name : {"audit", "sub/audit", "f"}) EXPECT_FALSE(berth.directory.exists(name)) << name;
}

}  // namespace
}  // namespace berth::testing
