#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/temp_dir.h"
#include "tests/cli/program.h"

namespace berth::testing {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

std::string text_of(const std::string& relative) {
  std::ifstream file(fs::path(BERTH_SOURCE_DIR) / relative, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The fenced blocks of a page in one language, without their fences.
std::vector<std::string> blocks_of(const std::string& page, const std::string& language) {
  const auto text = text_of(page);
  const auto open = "\n```" + language + "\n";
  std::vector<std::string> blocks;
  for (auto at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    at += open.size();
    blocks.push_back(text.substr(at, text.find("```\n", at) - at));
  }
  return blocks;
}

std::vector<std::string> readme_blocks(const std::string& language) { return blocks_of("README.md", language); }

/// A directory with what the examples speak of, and the built `berth` on PATH. `make` and `pytest` do nothing there.
class Reader {
 public:
  Reader() {
    std::string app = "import sys\n\n\ndef click_handler(event):\n    retries = 3\n    return event, retries\n";
    for (int line = 7; line <= 50; ++line) app += "# line " + std::to_string(line) + "\n";
    work_.write("src/app.py", app);
    for (const char* name : {"make", "pytest"}) {
      programs_.write(name, "#!/bin/sh\nexit 0\n");
      fs::permissions(programs_.at(name), fs::perms::owner_all);
    }
    fs::create_symlink(BERTH_PROGRAM, programs_.at("berth"));
  }

  /// Put a file there that a page speaks of.
  void has(const std::string& name, const std::string& content) { work_.write(name, content); }

  /// Run a script with bash; standard error comes with the output.
  Ended run(const std::string& script) const {
    const char* path = std::getenv("PATH");
    return run_program(
        {"/bin/bash", "-c", "cd \"$0\" && exec 2>&1\n" + script, work_.path()}, {},
        {{"PATH", programs_.path() + ":" + (path != nullptr ? path : "/usr/bin:/bin")}, {"TMPDIR", work_.path()}});
  }

 private:
  TempDir work_;
  TempDir programs_;
};

/// A script that prints a transcript's commands as it runs them: its output is the transcript when that is true.
std::string script_of(std::string_view transcript) {
  std::string script;
  while (!transcript.empty()) {
    const auto line = transcript.substr(0, transcript.find('\n'));
    transcript.remove_prefix(line.size() + 1);
    if (!line.starts_with("$ ")) continue;
    // The printing must not change what `$?` says to the next command.
    script.append("status=$?; cat <<'THE COMMAND'\n").append(line).append("\nTHE COMMAND\n(exit $status)\n");
    script.append(line.substr(2)).append("\n");
  }
  return script;
}

TEST(Readme, shell_examples_run_as_they_stand) {
  const auto blocks = readme_blocks("sh");
  ASSERT_GE(blocks.size(), 3U);
  for (const auto& block : blocks) {
    const auto ended = Reader().run("set -e -o pipefail\n" + block);
    EXPECT_EQ(ended.status, 0) << block << "\n" << ended.out;
  }
}

TEST(Readme, transcripts_are_what_the_program_prints) {
  const auto blocks = readme_blocks("console");
  ASSERT_GE(blocks.size(), 2U);
  for (const auto& block : blocks) EXPECT_EQ(Reader().run(script_of(block)).out, block);
}

TEST(Readme, the_cpp_example_is_part_of_a_program_that_prints_what_it_says) {
  const auto code = readme_blocks("cpp");
  const auto output = readme_blocks("text");
  ASSERT_EQ(code.size(), 1U);
  ASSERT_EQ(output.size(), 1U);
  EXPECT_THAT(text_of("examples/first_steps.cc"), HasSubstr(code.front()));
  const TempDir directory;
  EXPECT_EQ(run_program({BERTH_FIRST_STEPS, directory.path()}), (Ended{0, output.front(), ""}));
}

TEST(Guides, examples_about_permissions_run_and_print_what_the_page_says) {
  const auto page = "docs/guides/permissions.md";
  Reader reader;
  reader.has(".env", "KEY=1\n");
  const auto scripts = blocks_of(page, "sh");
  ASSERT_GE(scripts.size(), 1U);
  for (const auto& block : scripts) {
    const auto ended = reader.run("set -e -o pipefail\n" + block);
    EXPECT_EQ(ended.status, 0) << block << "\n" << ended.out;
  }
  const auto transcripts = blocks_of(page, "console");
  ASSERT_GE(transcripts.size(), 4U);
  for (const auto& block : transcripts) EXPECT_EQ(reader.run(script_of(block)).out, block);
}

}  // namespace
}  // namespace berth::testing
