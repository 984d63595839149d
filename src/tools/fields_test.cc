#include "tools/fields.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"
#include "tools/value_fields.h"

namespace berth::tools {
namespace {

using testing::FailsWith;
using testing::IsOk;

struct Inner {
  Bytes old_text;
  std::optional<std::int64_t> count;

  static const Fields<Inner>& fields() {
    static const auto table = Fields<Inner>()
                                  .bytes("old", &Inner::old_text, "What stands there", kRequired)
                                  .field("count", &Inner::count, "How often", {.minimum = 1});
    return table;
  }
  bool operator==(const Inner&) const = default;
};

struct Outer {
  Bytes path = ".";
  FileKind kind = FileKind::file;
  double seconds = 1.5;
  bool loud = false;
  std::vector<Inner> edits;
  std::map<std::string, std::string> env;

  static const Fields<Outer>& fields() {
    static const auto table =
        Fields<Outer>()
            .bytes("path", &Outer::path, "Where")
            .field("kind", &Outer::kind, "What")
            .field("seconds", &Outer::seconds, "How long", {.minimum = 0, .maximum = 10})
            .field("loud", &Outer::loud, "")
            .field("edits", &Outer::edits, "Changes", {.need = Rule::Need::required, .minimum = 1, .maximum = 2})
            .field("env", &Outer::env, "");
    return table;
  }
  bool operator==(const Outer&) const = default;
};

Result<Outer> parse(std::string_view text) { return Outer::fields().read(Json::parse(text)); }

// The message and the argument it names.
std::string refusal(std::string_view text) {
  const auto parsed = parse(text);
  if (parsed) return "accepted";
  EXPECT_EQ(parsed.error().code, ErrorCode::invalid_argument);
  const auto* argument = parsed.error().field("argument");
  return (argument != nullptr ? std::get<std::string>(*argument) + ": " : "") + parsed.error().message;
}

TEST(Fields, parse_every_kind_of_value) {
  const auto parsed = parse(R"({"path": "a", "kind": "directory", "seconds": 2, "loud": true,
                                "edits": [{"old": "x", "count": 3.0}, {"old": "", "old_b64": "/w=="}], "env": {"A": "1"}})");
  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(*parsed, (Outer{"a", FileKind::directory, 2, true, {{"x", 3}, {"\xff", {}}}, {{"A", "1"}}}));
}

TEST(Fields, an_optional_argument_that_is_absent_or_null_has_its_default) {
  const auto parsed = parse(R"({"edits": [{"old": "x", "count": null}], "path": null})");
  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(*parsed, (Outer{.edits = {{"x", {}}}}));
}

TEST(Fields, exact_bytes_stand_in_for_a_required_text) {
  const auto parsed = parse(R"({"edits": [{"old_b64": "/w=="}]})");
  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(parsed->edits, (std::vector<Inner>{{"\xff", {}}}));
}

TEST(Fields, refusals_name_the_argument_and_say_what_is_right) {
  EXPECT_EQ(refusal("[]"), "the arguments must be an object, not a list");
  EXPECT_EQ(refusal("{}"), "edits: the argument `edits` is missing");
  EXPECT_EQ(refusal(R"({"edits": [], "x": 1})"),
            "x: this tool has no argument `x`; it takes path, kind, seconds, loud, edits, env");
  EXPECT_EQ(refusal(R"({"edits": []})"), "edits: `edits` must be a list from 1 to 2 items, not 0");
  EXPECT_EQ(refusal(R"({"edits": [{"old": "x"}, {"new": "y"}]})"),
            "edits[1].new: `edits[1]` has no argument `new`; it takes old, count");
  EXPECT_EQ(refusal(R"({"edits": [{"old": 5}]})"), "edits[0].old: `edits[0].old` must be a string, not 5");
  EXPECT_EQ(refusal(R"({"edits": [{"old": "x", "count": 0}]})"),
            "edits[0].count: `edits[0].count` must be a whole number of at least 1, not 0");
  EXPECT_EQ(refusal(R"({"edits": [{"old": "x", "count": 1.5}]})"),
            "edits[0].count: `edits[0].count` must be a whole number of at least 1, not 1.5");
  EXPECT_EQ(refusal(R"({"edits": [{"old_b64": "!"}]})"),
            "edits[0].old_b64: `edits[0].old_b64` must be a string in base64 with its padding, not \"!\"");
  EXPECT_EQ(refusal(R"({"edits": [{"old": "x"}], "kind": "dir"})"),
            "kind: `kind` must be one of file, directory, symlink, other, not \"dir\"");
  EXPECT_EQ(refusal(R"({"edits": [{"old": "x"}], "seconds": 11})"),
            "seconds: `seconds` must be a number from 0 to 10, not 11");
  EXPECT_EQ(refusal(R"({"edits": [{"old": "x"}], "loud": "yes"})"), "loud: `loud` must be true or false, not \"yes\"");
  EXPECT_EQ(refusal(R"({"edits": [{"old": "x"}], "env": {"A": 1}})"), "env.A: `env.A` must be a string, not 1");
}

TEST(Fields, C_PATH_7_bytes_that_are_not_utf8_are_written_exactly_beside_the_text) {
  EXPECT_EQ((Inner{"a\xff", 2}.fields().write({"a\xff", 2}).dump()), R"({"old":"a�","old_b64":"Yf8=","count":2})");
  EXPECT_EQ(Inner::fields().write({"a", {}}).dump(), R"({"old":"a"})");
}

TEST(Fields, the_schema_of_arguments_has_defaults_bounds_and_what_is_required) {
  EXPECT_EQ(Outer::fields().schema(Direction::input), Json::parse(R"({
    "type": "object",
    "properties": {
      "path": {"type": "string", "description": "Where", "default": "."},
      "path_b64": {"type": "string", "contentEncoding": "base64", "description": "Instead of `path`: its exact bytes"},
      "kind": {"type": "string", "enum": ["file", "directory", "symlink", "other"], "description": "What",
               "default": "file"},
      "seconds": {"type": "number", "minimum": 0, "maximum": 10, "description": "How long", "default": 1.5},
      "loud": {"type": "boolean", "default": false},
      "edits": {"type": "array", "items": {
          "type": "object",
          "properties": {
            "old": {"type": "string", "description": "What stands there"},
            "old_b64": {"type": "string", "contentEncoding": "base64",
                        "description": "Instead of `old`: its exact bytes"},
            "count": {"type": "integer", "minimum": 1, "description": "How often"}},
          "required": ["old"], "additionalProperties": false},
        "minItems": 1, "maxItems": 2, "description": "Changes"},
      "env": {"type": "object", "additionalProperties": {"type": "string"}}},
    "required": ["edits"], "additionalProperties": false})"));
}

TEST(Fields, the_schema_of_answers_requires_what_is_always_there) {
  EXPECT_EQ(Inner::fields().schema(Direction::output), Json::parse(R"({
    "type": "object",
    "properties": {
      "old": {"type": "string", "description": "What stands there"},
      "old_b64": {"type": "string", "contentEncoding": "base64",
                  "description": "When `old` is not UTF-8: its exact bytes"},
      "count": {"type": "integer", "minimum": 1, "description": "How often"}},
    "required": ["old"], "additionalProperties": false})"));
}

}  // namespace
}  // namespace berth::tools
