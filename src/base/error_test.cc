#include "base/error.h"

#include <cerrno>
#include <set>

#include <gtest/gtest.h>

#include "base/result.h"

namespace berth {
namespace {

TEST(ErrorTable, EveryColumnOfEveryRowIsFilled) {
  std::set<int> exit_codes;
  std::set<int> rpc_codes;
  std::set<std::string_view> names;
  for (const auto& row : error_table()) {
    SCOPED_TRACE(row.name);
    EXPECT_FALSE(row.name.empty());
    EXPECT_GE(row.http_status, 400);
    EXPECT_LT(row.http_status, 600);
    EXPECT_GT(row.errno_value, 0);
    EXPECT_FALSE(row.python_class.empty());
    EXPECT_FALSE(row.python_base.empty());
    EXPECT_LT(row.json_rpc_code, -31999);
    EXPECT_GT(row.exit_code, 1);
    EXPECT_LT(row.exit_code, 255);
    EXPECT_FALSE(row.hint.empty());
    EXPECT_TRUE(names.insert(row.name).second);
    EXPECT_TRUE(exit_codes.insert(row.exit_code).second);
    EXPECT_TRUE(rpc_codes.insert(row.json_rpc_code).second);
    EXPECT_EQ(try_error_code(row.name), row.code);
    EXPECT_EQ(&error_info(row.code), &row);
  }
  EXPECT_EQ(error_table().size(), 39U);
  EXPECT_EQ(try_error_code("nope"), std::nullopt);
}

TEST(ErrorTable, EveryHintSaysWhatToDoNext) {
  const std::set<std::string_view> verbs = {"add",     "allow",   "ask",  "call",   "change", "check", "choose",
                                            "commit",  "correct", "free", "give",   "let",    "look",  "make",
                                            "name",    "open",    "read", "remove", "report", "run",   "see",
                                            "shorten", "start",   "try",  "use",    "wait"};
  for (const auto& row : error_table()) {
    EXPECT_TRUE(verbs.contains(row.hint.substr(0, row.hint.find_first_of(" ;:")))) << row.name << ": " << row.hint;
  }
}

TEST(ErrnoError, MapsWhatCallersTellApart) {
  EXPECT_EQ(errno_error(ENOENT, "open the file").code, ErrorCode::not_found);
  EXPECT_EQ(errno_error(EDQUOT, "write").code, ErrorCode::no_space);
  EXPECT_EQ(errno_error(EXDEV, "open").code, ErrorCode::path_escape);
  EXPECT_EQ(errno_error(EIO, "read").code, ErrorCode::io);
  EXPECT_EQ(*errno_error(EIO, "read").field("errno"), ErrorField::Value(std::int64_t{EIO}));
}

TEST(Error, RendersPathMessageAndNextStep) {
  auto error = make_error(ErrorCode::not_found, "no such file").at("a.txt");
  EXPECT_EQ(to_string(error), "a.txt: no such file; check the spelling with `ls` or `glob`");
  error.hint = "make it first";
  EXPECT_EQ(to_string(error), "a.txt: no such file; make it first");
}

TEST(Error, AFactIsReplacedByOneOfItsName) {
  const auto error = make_error(ErrorCode::io, "x").with("n", std::int64_t{1}).with("n", std::int64_t{2});
  ASSERT_EQ(error.fields.size(), 1U);
  EXPECT_EQ(*error.field("n"), ErrorField::Value(std::int64_t{2}));
}

Result<int> half(int n) {
  if (n % 2 != 0) return make_error(ErrorCode::invalid_argument, "odd");
  return n / 2;
}

Result<int> quarter(int n) {
  BERTH_TRY(const int once, half(n));
  BERTH_TRY(const int twice, half(once));
  return twice;
}

TEST(Result, TryPassesTheErrorUp) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace berth
