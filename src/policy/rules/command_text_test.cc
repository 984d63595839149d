#include "policy/rules/command_text.h"

#include <gmock/gmock.h>

namespace berth {
namespace {

using ::testing::ElementsAre;

CommandSpec argv(std::vector<Bytes> words) {
  CommandSpec spec;
  spec.argv = std::move(words);
  return spec;
}

CommandSpec script(Bytes text) {
  CommandSpec spec;
  spec.script = std::move(text);
  return spec;
}

TEST(CommandText, WordsAreJoinedTheWayAShellWouldReadThem) {
  EXPECT_EQ(command_text(argv({"git", "add", "a/b"})), "git add a/b");
  EXPECT_EQ(command_text(argv({"echo", "two words", "it's", "", "$HOME"})), "echo 'two words' 'it'\\''s' '' '$HOME'");
  EXPECT_EQ(command_text(script("a  &&\tb")), "a  &&\tb");
}

TEST(CommandText, WhatAShellIsGivenToRunIsJudgedToo) {
  EXPECT_THAT(command_texts(argv({"/bin/sh", "-c", "rm -rf /"})), ElementsAre("/bin/sh -c 'rm -rf /'", "rm -rf /"));
  EXPECT_THAT(command_texts(argv({"bash", "-e", "-lc", "x", "y"})), ElementsAre("bash -e -lc x y", "x"));
  EXPECT_THAT(command_texts(argv({"bash", "file.sh", "-c"})), ElementsAre("bash file.sh -c"));
  EXPECT_THAT(command_texts(argv({"git", "-c", "a"})), ElementsAre("git -c a"));
  EXPECT_THAT(command_texts(argv({"sh", "--rcfile", "-c", "x"})), ElementsAre("sh --rcfile -c x", "x"));
}

TEST(CommandWords, AreThoseAShellWouldSeeWithoutExpandingThem) {
  EXPECT_THAT(command_words(script("cat 'a b' \"c\\\"d\" e\\ f <.env;ls $(x) g='h i'")),
              ElementsAre("cat", "a b", "c\"d", "e f", ".env", "ls", "$", "x", "g=h i", "h i"));
  EXPECT_THAT(command_words(script("cat 'it")), ElementsAre("cat", "it"));
  EXPECT_THAT(command_words(script("dd if=.env of=")), ElementsAre("dd", "if=.env", "of=", ".env"));
  EXPECT_THAT(command_words(script("echo ''")), ElementsAre("echo", ""));
  EXPECT_THAT(command_words(argv({"cp", "--to=x y", "a"})), ElementsAre("cp", "--to=x y", "a", "x y"));
  EXPECT_THAT(command_words(argv({"sh", "-c", "cat .env"})), ElementsAre("sh", "-c", "cat .env", "cat", ".env"));
}

}  // namespace
}  // namespace berth
