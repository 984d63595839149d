#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace berth::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<std::string> kVerbs = {"ls",  "list", "glob",  "grep",   "read",  "stat",   "write",   "edit",
                                         "mv",  "rm",   "mkdir", "run",    "ref",   "doctor", "version", "completion",
                                         "man", "diff", "mcp",   "status", "tools", "jobs"};

TEST(Help, mentions_every_verb_with_its_purpose) {
  const auto ended = Berth()({"--help"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.err, "");
  for (const auto& verb : kVerbs) EXPECT_THAT(ended.out, HasSubstr("\n  " + verb + " "));
}

TEST(Help, is_what_berth_alone_prints) {
  const Berth berth;
  EXPECT_EQ(berth({}), berth({"--help"}));
}

TEST(Help, of_every_verb_shows_its_usage) {
  for (const auto& verb : kVerbs) {
    const auto ended = Berth()({verb, "--help"});
    EXPECT_EQ(ended.status, 0) << verb;
    EXPECT_THAT(ended.out, HasSubstr("Usage: berth " + verb));
  }
}

TEST(Completion, of_each_shell_knows_every_verb) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto ended = Berth()({"completion", shell});
    EXPECT_EQ(ended.status, 0);
    for (const auto& verb : kVerbs) EXPECT_THAT(ended.out, HasSubstr(verb)) << shell;
    EXPECT_THAT(ended.out, HasSubstr("max-bytes")) << shell;
  }
}

TEST(Completion, bash_completes_verbs_options_and_files_of_a_real_line) {
  const Berth berth;
  const auto script = berth({"completion", "bash"}).out;
  const auto complete = [&script](const std::string& words, int index) {
    return run_program({"/bin/bash", "-c",
                        script + "\nCOMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(index) +
                            "; _berth; echo \"${COMPREPLY[@]}\""});
  };
  EXPECT_EQ(complete("berth gr", 1), (Ended{0, "grep\n", ""}));
  EXPECT_EQ(complete("berth -w run re", 3), (Ended{0, "read ref\n", ""}));
  EXPECT_EQ(complete("berth read --ma", 2), (Ended{0, "--max-bytes\n", ""}));
  EXPECT_EQ(complete("berth completion f", 2), (Ended{0, "fish\n", ""}));
  EXPECT_EQ(complete("berth jobs st", 2), (Ended{0, "start stop\n", ""}));
  EXPECT_EQ(complete("berth jobs read --fo", 3), (Ended{0, "--follow\n", ""}));
}

TEST(Manual, has_every_verb_and_every_exit_code) {
  const auto ended = Berth()({"man"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.out, StartsWith(".TH BERTH 1"));
  for (const auto& verb : kVerbs) EXPECT_THAT(ended.out, HasSubstr(".SS berth " + verb));
  EXPECT_THAT(ended.out, HasSubstr(".B 30\nrevision_mismatch"));
}

TEST(Help, of_a_verb_is_about_that_verb_alone) {
  for (const auto& verb : kVerbs) {
    EXPECT_THAT(Berth()({verb, "--help"}).out, Not(HasSubstr("says more about each"))) << verb;
  }
}

TEST(Help, shows_values_with_a_colon_whole) {
  EXPECT_THAT(Berth()({"read", "--help"}).out, HasSubstr("--lines A:B "));
  EXPECT_THAT(Berth()({"--help"}).out, HasSubstr("--color WHEN "));
}

TEST(Version, is_also_an_option) {
  const Berth berth;
  EXPECT_EQ(berth({"--version"}), berth({"version"}));
  EXPECT_EQ(berth.json({"--version"}), berth.json({"version"}));
}

TEST(Version, is_one_line_or_one_object) {
  const Berth berth;
  EXPECT_THAT(berth({"version"}).out, StartsWith("berth 0."));
  EXPECT_TRUE(berth.json({"version"}).contains("version"));
}

TEST(Doctor, names_every_feature_and_what_follows_when_it_is_missing) {
  const Berth berth;
  auto object = berth.json({"doctor"});
  for (const char* feature :
       {"openat2", "o_tmpfile", "renameat2", "pidfd", "cgroup2", "memfd_exec", "user_namespaces", "git"}) {
    ASSERT_TRUE(object["features"].contains(feature)) << feature;
    const auto& finding = object["features"][feature];
    EXPECT_EQ(finding.contains("consequence"), !finding["present"].get<bool>());
    EXPECT_THAT(berth({"doctor"}).out, HasSubstr(feature));
  }
}

TEST(Color, is_only_on_a_terminal) {
  const Berth berth;
  berth.directory.make_directory("folder");
  EXPECT_THAT(berth({"ls"}).out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(berth.on_terminal({"ls"}).out, HasSubstr("\x1b[1;34mfolder\x1b[0m/"));
}

TEST(Color, never_and_always_are_obeyed) {
  const Berth berth;
  berth.directory.make_directory("folder");
  EXPECT_THAT(berth({"--color", "always", "ls"}).out, HasSubstr("\x1b[1;34mfolder"));
  EXPECT_THAT(berth.on_terminal({"--color", "never", "ls"}).out, Not(HasSubstr("\x1b")));
}

TEST(Terminal, never_gets_control_characters_out_of_a_name) {
  const Berth berth;
  berth.directory.write("a\x1b[31m\nb\xff", "");
  EXPECT_THAT(berth.on_terminal({"--color", "never", "list"}).out, HasSubstr("a\\x1b[31m\\nb\\xff"));
  EXPECT_EQ(berth({"list", "-0"}).out, std::string("a\x1b[31m\nb\xff\0", 10));
}

TEST(WorkingDay, does_what_it_promises) {
  const auto ended = run_program({BERTH_WORKING_DAY});
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("none is left"));
}

}  // namespace
}  // namespace berth::testing
