#include <thread>
#include <vector>

#include "tests/tools/tools_fixture.h"

namespace berth::tools {
namespace {

class Staleness : public ToolsTest {
 protected:
  void SetUp() override {
    dir.write("f", "one\ntwo\n");
    dir.make_link("link", "f");
  }
};

TEST_F(Staleness, is_keyed_by_the_file_itself_whatever_the_spelling) {
  for (const char* spelling : {"f", "./f", "x/../f", "link"}) {
    dir.write("f", "one\ntwo\n");
    text("read_file", R"({"path": "f"})");
    dir.write("f", "other\n");
    const std::string path = std::string(R"({"path": ")") + spelling + "\"";
    EXPECT_EQ(refused("edit_file", path + R"(, "old": "other", "new": "x"})"), "revision_mismatch") << spelling;
    EXPECT_EQ(refused("write_file", path + R"(, "content": "x"})"), "revision_mismatch") << spelling;
    EXPECT_EQ(dir.read("f"), "other\n");
  }
}

TEST_F(Staleness, refuses_every_kind_of_change) {
  text("read_file", R"({"path": "link"})");
  dir.write("f", "other\n");
  for (const auto& [tool, arguments] : std::vector<std::pair<std::string, std::string>>{
           {"edit_file", R"({"path": "f", "old": "other", "new": "x"})"},
           {"multi_edit", R"({"path": "f", "edits": [{"old": "other", "new": "x"}]})"},
           {"hashline_edit", R"({"path": "f", "start_line": 1, "start_hash": "79", "content": "x"})"},
           {"write_file", R"({"path": "f", "content": "x"})"},
           {"delete_file", R"({"path": "f"})"},
           {"move_file", R"({"from": "f", "to": "g"})"},
           {"apply_patch", R"({"patch": "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-other\n+x\n"})"}}) {
    const auto result = call(tool, arguments);
    EXPECT_EQ(result.outcome, Outcome::retry) << tool;
    EXPECT_EQ(result.structured["error"]["code"], "revision_mismatch") << tool << result.text;
    EXPECT_NE(result.text.find("read it again"), std::string::npos) << tool << result.text;
    EXPECT_EQ(dir.read("f"), "other\n") << tool;
  }
}

TEST_F(Staleness, does_not_mind_a_file_that_was_touched_or_never_read) {
  EXPECT_EQ(call("edit_file", R"({"path": "f", "old": "one", "new": "1"})").outcome, Outcome::success);
  dir.write("f", dir.read("f"));
  EXPECT_EQ(call("edit_file", R"({"path": "f", "old": "two", "new": "2"})").outcome, Outcome::success);
  EXPECT_EQ(dir.read("f"), "1\n2\n");
}

TEST_F(Staleness, counts_a_change_of_ones_own_as_a_read) {
  text("read_file", R"({"path": "f"})");
  text("edit_file", R"({"path": "f", "old": "one", "new": "1"})");
  text("hashline_edit", R"({"path": "f", "start_line": 2, "start_hash": "b8", "content": "2\n"})");
  text("apply_patch", R"({"patch": "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-1\n+eins\n 2\n"})");
  text("move_file", R"({"from": "f", "to": "g"})");
  text("edit_file", R"({"path": "g", "old": "eins", "new": "uno"})");
  dir.write("g", "other\n");
  EXPECT_EQ(refused("delete_file", R"({"path": "g"})"), "revision_mismatch");
}

TEST_F(Staleness, knows_a_large_file_of_which_a_part_was_read) {
  const std::string large(3 * 1024 * 1024, 'x');
  dir.write("large", "head\n" + large);
  text("read_file", R"({"path": "large", "limit": 1})");
  dir.write("large", "Head\n" + large);
  EXPECT_EQ(refused("edit_file", R"({"path": "large", "old": "Head", "new": "h"})"), "revision_mismatch");
  EXPECT_EQ(refused("write_file", R"({"path": "large", "content": ""})"), "revision_mismatch");
  EXPECT_EQ(refused("delete_file", R"({"path": "large"})"), "revision_mismatch");
  text("read_file", R"({"path": "large", "limit": 1})");
  text("edit_file", R"({"path": "large", "old": "Head", "new": "h"})");
  text("delete_file", R"({"path": "large"})");
}

TEST_F(Staleness, lets_a_file_be_made_again_that_is_gone) {
  text("read_file", R"({"path": "f"})");
  std::remove(dir.at("f").c_str());
  EXPECT_EQ(text("write_file", R"({"path": "f", "content": "new\n"})"), "Created f (1 line, 4 bytes)");
}

TEST_F(Staleness, of_one_conversation_is_not_that_of_another) {
  text("read_file", R"({"path": "f"})");
  dir.write("f", "other\n");
  ToolSession another(workspace);
  EXPECT_EQ(call_in(another, "edit_file", Json::parse(R"({"path": "f", "old": "other", "new": "x"})")).outcome,
            Outcome::success);
}

TEST_F(Staleness, removing_a_link_asks_nothing_of_its_target) {
  text("read_file", R"({"path": "f"})");
  dir.write("f", "other\n");
  EXPECT_EQ(text("delete_file", R"({"path": "link"})"), "Deleted the link link");
  EXPECT_TRUE(dir.exists("f"));
}

TEST_F(Staleness, a_conversation_may_be_used_from_many_threads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i] {
      const std::string name = "t" + std::to_string(i);
      for (int round = 0; round < 10; ++round) {
        const auto content = std::to_string(round);
        EXPECT_EQ(call_in(session, "write_file", {{"path", name}, {"content", content}}).outcome, Outcome::success);
        EXPECT_EQ(call_in(session, "read_file", {{"path", name}}).structured["content"], content);
        EXPECT_EQ(call_in(session, "read_file", {{"path", "f"}}).outcome, Outcome::success);
        EXPECT_EQ(call_in(session, "edit_file", {{"path", name}, {"old", content}, {"new", "x"}}).outcome,
                  Outcome::success);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace berth::tools
