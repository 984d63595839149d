#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/cli/program.h"

namespace berth::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Refusal {
  std::string code;
  std::vector<std::string> words;
};

// Every error that the command can run into without a broken machine.
TEST(Errors, each_has_its_code_in_json_and_its_exit_code) {
  const Berth berth;
  berth.directory.write("file", "a\na\n");
  berth.directory.make_directory("directory");
  berth.directory.make_link("loop", "loop");
  berth.directory.make_link("out", "/etc");
  ASSERT_EQ(mkfifo(berth.directory.at("fifo").c_str(), 0600), 0);
  const std::vector<Refusal> refusals = {
      {"not_found", {"read", "missing"}},
      {"not_found", {"ls", "missing"}},
      {"already_exists", {"write", "--create", "file"}},
      {"not_a_directory", {"ls", "file"}},
      {"not_a_directory", {"read", "file/below"}},
      {"is_a_directory", {"read", "directory"}},
      {"not_regular", {"read", "fifo"}},
      {"name_too_long", {"read", std::string(256, 'n')}},
      {"symlink_loop", {"read", "loop"}},
      {"path_escape", {"read", "../x"}},
      {"path_escape", {"read", "out/passwd"}},
      {"path_escape", {"write", "/etc/berth-test"}},
      {"path_escape", {"run", "--cwd", "..", "--", "true"}},
      {"path_escape", {"--no-links", "read", "out"}},
      {"invalid_argument", {"read", ""}},
      {"invalid_argument", {"read", "file", "--max-bytes", "0"}},
      {"invalid_argument", {"list", "../*"}},
      {"invalid_argument", {"grep", "("}},
      {"invalid_argument", {"run"}},
      {"invalid_argument", {"run", "-c", "true", "--", "true"}},
      {"invalid_argument", {"run", "--timeout", "-1", "--", "true"}},
      {"invalid_argument", {"run", "--env", "novalue", "--", "true"}},
      {"invalid_argument", {"rm", "-r", "."}},
      {"invalid_argument", {"no-such-verb"}},
      {"invalid_argument", {"read", "file", "--no-such-option"}},
      {"invalid_argument", {"read"}},
      {"offset_out_of_range", {"read", "file", "--offset", "5"}},
      {"revision_mismatch", {"rm", "file", "--if-revision", "sha256:0"}},
      {"empty_anchor", {"edit", "file", "--old", "", "--new", "x"}},
      {"match_not_found", {"edit", "file", "--old", "zzz", "--new", "x"}},
      {"ambiguous_match", {"edit", "file", "--old", "a", "--new", "x"}},
      {"not_found", {"edit", "file", "--edits", "/nonexistent"}},
      {"foreign_ref", {"-w", "local:nonsense", "read", "file"}},
      {"not_found", {"-w", "/nonexistent", "read", "file"}},
      {"not_a_directory", {"-w", "/etc/passwd", "read", "file"}},
  };
  for (const auto& refusal : refusals) {
    const auto code = try_error_code(refusal.code);
    ASSERT_TRUE(code);
    auto object = berth.json(refusal.words, error_info(*code).exit_code);
    ASSERT_TRUE(object.contains("error")) << ::testing::PrintToString(refusal.words) << object;
    EXPECT_EQ(object["error"]["code"], refusal.code) << ::testing::PrintToString(refusal.words) << object;
    EXPECT_NE(object["error"]["message"], "");
    EXPECT_NE(object["error"]["hint"], "");
  }
}

TEST(Errors, for_people_name_the_path_what_is_wrong_and_what_to_do) {
  const auto ended = Berth()({"read", "../x"});
  EXPECT_EQ(ended.status, 21);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, StartsWith("berth: ../x: "));
  EXPECT_THAT(ended.err, HasSubstr("\n  next: "));
}

/// What the person is told to do next.
std::string next_step(const Berth& berth, const std::vector<std::string>& words) {
  const auto ended = berth(words);
  const auto mark = ended.err.find("\n  next: ");
  return mark == std::string::npos ? "" : ended.err.substr(mark + 9);
}

TEST(Errors, the_next_step_fits_what_was_asked) {
  const Berth berth;
  berth.directory.make_directory("directory");
  berth.directory.write(".env", "secret");
  EXPECT_THAT(next_step(berth, {"rm", "directory"}), StartsWith("`rm -r` removes"));
  EXPECT_THAT(next_step(berth, {"-w", "/nonexistent", "ls"}), HasSubstr("never made"));
  EXPECT_THAT(next_step(berth, {"-w", "state:/nonexistent/notes.json", "ls"}), HasSubstr("never made"));
  EXPECT_THAT(next_step(berth, {"--audit", "/nonexistent/log", "ls"}), HasSubstr("never made"));
  EXPECT_THAT(next_step(berth, {"-w", "state:notes.json", "run", "--", "true"}), HasSubstr("berth ref --json"));
  EXPECT_THAT(next_step(berth, {"--read-only", "mkdir", "new"}), StartsWith("open the workspace for writing"));
  EXPECT_THAT(next_step(berth, {"--protect", "read", ".env"}), StartsWith("work without it"));
}

TEST(Errors, facts_are_fields_beside_the_message) {
  const Berth berth;
  berth.directory.write("file", "1234");
  auto error = berth.json({"read", "file", "--offset", "5"}, 25)["error"];
  EXPECT_EQ(error["offset"], 5);
  EXPECT_EQ(error["total_bytes"], 4);
  EXPECT_EQ(error["path"], "file");
}

TEST(Errors, output_that_cannot_be_written_is_no_success) {
  const Berth berth;
  berth.directory.write("file", "x");
  const auto full = run_program(
      {"/bin/sh", "-c", "exec \"$0\" -w \"$1\" read file >/dev/full", BERTH_PROGRAM, berth.directory.path()});
  EXPECT_EQ(full.status, 67);
  EXPECT_THAT(full.err, HasSubstr("cannot write the output"));
}

TEST(Errors, names_that_a_message_quotes_do_not_reach_the_terminal_raw) {
  const Berth berth;
  berth.directory.write("document.json", R"({"files": {"/\u001b[2Jx": {"content": [1]}}, "directories": []})");
  const auto ended =
      berth.on_terminal({"--color", "never", "-w", "state:" + berth.directory.at("document.json"), "ls"});
  EXPECT_NE(ended.status, 0);
  EXPECT_THAT(ended.out, HasSubstr("\\x1b[2Jx"));
  EXPECT_THAT(ended.out, Not(HasSubstr("\x1b")));
}

/// Run with standard output on a pipe that does not block; how many bytes came out.
std::size_t bytes_through_a_pipe_that_does_not_block(const Berth& berth, const std::vector<std::string>& words) {
  int ends[2];
  if (pipe(ends) != 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0) return 0;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    std::vector<std::string> all = {BERTH_PROGRAM, "-w", berth.directory.path()};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> argv;
    for (auto& word : all) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(99);
  }
  close(ends[1]);
  std::size_t total = 0;
  char some[1000];
  for (ssize_t got = 0; (got = read(ends[0], some, sizeof some)) > 0;) total += static_cast<std::size_t>(got);
  close(ends[0]);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return total;
}

TEST(Output, waits_for_room_in_a_pipe_that_does_not_block) {
  const Berth berth;
  berth.directory.write("file", std::string(3'000'000, 'x'));
  EXPECT_EQ(bytes_through_a_pipe_that_does_not_block(berth, {"read", "file"}), 3'000'000U);
  EXPECT_EQ(bytes_through_a_pipe_that_does_not_block(berth, {"run", "--", "cat", "file"}), 3'000'000U);
  EXPECT_GT(bytes_through_a_pipe_that_does_not_block(berth, {"--json", "read", "file"}), 3'000'000U);
}

TEST(Errors, a_closed_standard_stream_is_not_taken_for_one_of_our_files) {
  const Berth berth;
  berth.directory.write("file", "x");
  const auto shell = [&](const std::string& command) {
    return run_program(
        {"/bin/sh", "-c", "timeout 10 \"$0\" -w \"$1\" " + command, BERTH_PROGRAM, berth.directory.path()});
  };
  const auto no_input = shell("write new <&-");
  EXPECT_EQ(no_input.status, 69);
  EXPECT_THAT(no_input.err, HasSubstr("cannot read the input"));
  EXPECT_THAT(shell("ls <&-").out, HasSubstr("file"));
  const auto no_output = shell("--json ls <&- >&-");
  EXPECT_EQ(no_output.status, 69);
  EXPECT_THAT(no_output.err, HasSubstr("cannot write the output"));
  EXPECT_EQ(shell("run -- cat file <&- 2>&-").out, "x");
  EXPECT_EQ(shell("run -- cat file <&- >&- 2>&-").status, 69);
  EXPECT_EQ(berth({"read", "new"}).status, 10);
}

TEST(Ref, names_the_directory_for_good) {
  const Berth berth;
  berth.directory.write("file", "x");
  auto object = berth.json({"ref"});
  EXPECT_EQ(object["provider"], "local");
  EXPECT_EQ(object["capabilities"]["run_commands"], true);
  const std::string ref = object["ref"];
  EXPECT_EQ(berth({"-w", ref, "read", "file"}).out, "x");
  EXPECT_EQ(run_program({BERTH_PROGRAM, "-w", ref, "read", "file"}), (Ended{0, "x", ""}));
}

TEST(Ref, of_a_directory_that_is_gone_is_environment_gone) {
  std::string ref;
  {
    const Berth berth;
    ref = berth.json({"ref"})["ref"];
  }
  EXPECT_EQ(run_program({BERTH_PROGRAM, "-w", ref, "ls"}).status, 62);
}

}  // namespace
}  // namespace berth::testing
