#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace berth::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<std::string> kVerbs = {"ls",    "list", "glob",    "grep",       "read", "stat",   "diff", "status",
                                         "write", "mv",   "rm",      "mkdir",      "edit", "patch",  "run",  "tools",
                                         "help",  "ref",  "version", "completion", "man",  "doctor", "mcp",  "jobs"};

/// The verbs that `berth --help` names, in its order.
std::vector<std::string> verbs_in_help() {
  const auto text = Berth()({"--help"}).out;
  const std::regex row("\n  ([a-z]+) ");
  const auto from = text.find("\nFind and read:");
  const auto options = text.substr(0, text.find("\nOptions:")).substr(from);
  std::vector<std::string> verbs;
  for (std::sregex_iterator at(options.begin(), options.end(), row), end; at != end; ++at) verbs.push_back((*at)[1]);
  return verbs;
}

std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// The lines of a text that are wider than so many columns.
std::vector<std::string> wide_lines(const std::string& text, std::size_t width) {
  std::vector<std::string> wide;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (columns(line) > width) wide.push_back(line);
  }
  return wide;
}

TEST(Help, mentions_every_verb_with_its_purpose) {
  const auto ended = Berth()({"--help"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.err, "");
  for (const auto& verb : kVerbs) EXPECT_THAT(ended.out, HasSubstr("\n  " + verb + " "));
}

TEST(Help, fits_a_terminal_of_80_columns) {
  EXPECT_THAT(wide_lines(Berth()({"--help"}).out, 80), IsEmpty());
  for (const auto& verb : verbs_in_help()) {
    EXPECT_THAT(wide_lines(Berth()({verb, "--help"}).out, 80), IsEmpty()) << verb;
  }
}

TEST(Help, is_a_verb_too) {
  const Berth berth;
  EXPECT_EQ(berth({"help"}), berth({"--help"}));
  for (const auto& verb : verbs_in_help()) EXPECT_EQ(berth({"help", verb}), berth({verb, "--help"}));
  EXPECT_EQ(berth.json({"help", "ls"})["text"], berth({"ls", "--help"}).out);
  const auto unknown = berth({"help", "lss"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("there is no verb `lss`\n  next: `berth help` lists the verbs"));
}

TEST(Help, of_write_says_that_it_overwrites_and_how_not_to) {
  const auto text = Berth()({"write", "--help"}).out;
  EXPECT_THAT(text, HasSubstr("is overwritten"));
  EXPECT_THAT(text, HasSubstr("--create refuses that"));
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
  EXPECT_EQ(complete("berth help gr", 2), (Ended{0, "grep\n", ""}));
}

TEST(Manual, has_every_verb_and_every_exit_code) {
  const auto ended = Berth()({"man"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.out, ContainsRegex("^\\.TH BERTH 1 \"20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]\" \"berth 0\\."));
  for (const auto& verb : verbs_in_help()) EXPECT_THAT(ended.out, HasSubstr(".SS berth " + verb));
  EXPECT_THAT(ended.out, HasSubstr(".B 30\nrevision_mismatch"));
}

TEST(Manual, has_lines_that_may_be_broken_or_fit_80_columns) {
  const auto page = Berth()({"man"}).out;
  bool literal = false;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line == ".nf" || line == ".fi") literal = line == ".nf";
    if (!literal) continue;
    // What roff prints of it, seven columns in.
    std::erase(line, '\\');
    EXPECT_LE(columns(line), 73U) << line;
  }
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
       {"openat2", "o_tmpfile", "renameat2", "pidfd", "cgroup2", "memfd_exec", "user_namespaces", "git", "sqlite"}) {
    ASSERT_TRUE(object["features"].contains(feature)) << feature;
    const auto& finding = object["features"][feature];
    EXPECT_EQ(finding.contains("consequence"), !finding["present"].get<bool>());
    EXPECT_EQ(finding.contains("remedy"), !finding["present"].get<bool>());
    EXPECT_THAT(berth({"doctor"}).out, HasSubstr(feature));
  }
}

TEST(Doctor, says_what_to_install_when_a_program_is_missing) {
  const Berth berth;
  EXPECT_THAT(berth.json({"doctor"})["features"]["sqlite"]["detail"].get<std::string>(), StartsWith("SQLite 3."));
  const auto without = run_program({BERTH_PROGRAM, "doctor"}, {}, {{"PATH", berth.directory.path()}});
  EXPECT_EQ(without.status, 0);
  EXPECT_THAT(without.out, ContainsRegex("  no   git "));
  EXPECT_THAT(without.out, HasSubstr("to have it: install the package git\n"));
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
