#include "providers/state/json_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/matchers.h"

namespace berth::state {
namespace {

const Call kCall;

using berth::testing::FailsWith;

Result<Bytes> read_string(BytesView json) {
  JsonReader reader(kCall, json);
  Bytes bytes;
  BERTH_CHECK(reader.read_string(bytes));
  BERTH_CHECK(reader.finish());
  return bytes;
}

Result<BytesView> read_raw(BytesView json) {
  JsonReader reader(kCall, json);
  BERTH_TRY(const BytesView raw, reader.read_raw());
  BERTH_CHECK(reader.finish());
  return raw;
}

TEST(JsonReader, reads_strings_with_every_escape) {
  EXPECT_EQ(read_string(R"("a\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00")").value(), "a\"\\/\b\f\n\r\tAé€😀");
  EXPECT_EQ(read_string(R"("\u0000")").value(), Bytes(1, '\0'));
}

TEST(JsonReader, turns_lone_surrogates_into_the_bytes_they_stand_for) {
  EXPECT_EQ(read_string(R"("caf\udce9\udcff")").value(), "caf\xe9\xff");
  EXPECT_THAT(read_string(R"("\udc7f")"), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(read_string(R"("\ud83d")"), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(read_string(R"("\ud83d\u0041")"), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(read_string(R"("\ud83d\udc80x\udd00")"), FailsWith(ErrorCode::invalid_argument));
}

TEST(JsonReader, names_the_byte_where_it_stopped) {
  const auto failed = read_raw(R"({"a": [1, 2,, 3]})");
  ASSERT_THAT(failed, FailsWith(ErrorCode::invalid_argument));
  EXPECT_EQ(*failed.error().field("offset"), ErrorField::Value(std::int64_t{12}));
}

TEST(JsonReader, keeps_values_as_they_were_written) {
  const BytesView json = R"({"big": 123456789012345678901234567890.5e-400, "x": [true, null, {"k": "\udc00"}]})";
  EXPECT_EQ(read_raw(json).value(), json);
  EXPECT_EQ(read_raw("  7 ").value(), "7");
}

TEST(JsonReader, gives_the_text_of_the_last_member) {
  JsonReader reader(kCall, R"( {"a" : [1, {"x": 2}] , "b":3})");
  Bytes key;
  ASSERT_TRUE(reader.open_object());
  ASSERT_TRUE(reader.next_member(key).value());
  ASSERT_TRUE(reader.read_raw());
  EXPECT_EQ(reader.last_member(), R"("a" : [1, {"x": 2}])");
  ASSERT_TRUE(reader.next_member(key).value());
  ASSERT_TRUE(reader.read_raw());
  EXPECT_EQ(reader.last_member(), R"("b":3)");
  EXPECT_FALSE(reader.next_member(key).value());
}

TEST(JsonReader, refuses_values_nested_too_deep) {
  EXPECT_TRUE(read_raw(std::string(64, '[') + std::string(64, ']')));
  EXPECT_THAT(read_raw(std::string(65, '[') + std::string(65, ']')), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(read_raw(std::string(1'000'000, '[')), FailsWith(ErrorCode::invalid_argument));
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  EXPECT_THAT(read_raw(objects), FailsWith(ErrorCode::invalid_argument));
}

TEST(JsonReader, refuses_what_is_not_json) {
  for (const char* json : {"",      " ",          "nul", "tru",     "+1",          "01",       "-",         "1.",
                           ".5",    "1e",         "1e+", "[1,]",    "[,1]",        "[1 2]",    "{\"a\" 1}", "{\"a\":}",
                           "{a:1}", "{\"a\":1,}", "\"a", "\"\\x\"", "\"\\u12g4\"", "\"a\nb\"", "[1]]",      "{]",
                           "[}",    "NaN",        "'a'", "//",      "\\"}) {
    EXPECT_THAT(read_raw(json), FailsWith(ErrorCode::invalid_argument)) << json;
  }
}

/// JSON texts and texts that are nearly JSON.
rc::Gen<std::string> json_like() {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
                          "{", "}", "[", "]", ",", ":", "\"a\"", "\"\\n\"", "\"\\ud83d\\ude00\"", "1", "-0", "0",
                          "1.5e3", "true", "null", " ", "\"", "\\", "e", ".", "\n", "\"k\":", "[]", "{}")),
                      [](const std::vector<std::string>& pieces) {
                        std::string text;
                        for (const auto& piece : pieces) text += piece;
                        return text;
                      });
}

RC_GTEST_PROP(JsonReader, accepts_exactly_what_another_parser_accepts, ()) {
  const std::string json = *json_like();
  RC_ASSERT(read_raw(json).has_value() == nlohmann::json::accept(json));
}

RC_GTEST_PROP(JsonReader, reads_back_any_string, (const std::string& bytes)) {
  Bytes json;
  append_json_bytes(json, bytes);
  RC_ASSERT(read_string(json).value() == bytes);
  RC_ASSERT(is_utf8(json));
  if (is_utf8(bytes)) {
    Bytes same;
    append_json_string(same, bytes);
    RC_ASSERT(same == json);
    RC_ASSERT(nlohmann::json::parse(json).get<std::string>() == bytes);
  }
}

}  // namespace
}  // namespace berth::state
