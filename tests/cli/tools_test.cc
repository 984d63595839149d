#include <gmock/gmock.h>

#include "tests/cli/program.h"

namespace berth::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Tools, are_listed_with_a_line_each) {
  const auto ended = Berth()({"tools"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  for (const char* name : {"ls ", "read_file ", "edit_file ", "grep ", "execute ", "git_diff "}) {
    EXPECT_THAT(ended.out, HasSubstr(name));
  }
  EXPECT_THAT(Berth()({"--read-only", "tools"}).out, Not(HasSubstr("write_file")));
}

TEST(Tools, schema_describes_one) {
  const auto object = Berth().json({"tools", "schema", "grep"});
  EXPECT_EQ(object["name"], "grep");
  EXPECT_EQ(object["input_schema"]["required"], nlohmann::json::array({"pattern"}));
  EXPECT_EQ(object["annotations"]["read_only"], true);
}

TEST(Tools, call_prints_the_text_or_the_object) {
  const Berth berth;
  berth.directory.write("f", "one\n");
  EXPECT_EQ(berth({"tools", "call", "read_file", "--args", R"({"path": "f"})"}), (Ended{0, "     1\tone\n", ""}));
  EXPECT_EQ(berth.json({"tools", "call", "read_file", "--args", "-"}, 0, R"({"path": "f"})")["content"], "one\n");
  const auto arguments = berth.directory.at("arguments.json");
  berth.directory.write("arguments.json", R"({"path": "f", "content": "two\n"})");
  EXPECT_EQ(berth({"tools", "call", "write_file", "--args", "@" + arguments}),
            (Ended{0, "Wrote f (1 line, 4 bytes)\n", ""}));
  EXPECT_EQ(berth.directory.read("f"), "two\n");
}

TEST(Tools, a_refused_call_exits_as_the_error_table_says) {
  const Berth berth;
  EXPECT_EQ(berth.json({"tools", "call", "read_file", "--args", R"({"path": "none"})"}, 10)["error"]["code"],
            "not_found");
  EXPECT_EQ(berth({"tools", "call", "ls", "--args", R"({"x": 1})"}).status, 2);
  EXPECT_EQ(berth({"tools", "call", "none"}).status, 2);
  EXPECT_EQ(berth({"tools", "call"}).status, 2);
  EXPECT_EQ(berth({"tools", "call", "ls", "--args", "{"}).status, 2);
}

}  // namespace
}  // namespace berth::testing
