#include "testing/json_schema.h"

#include <gmock/gmock.h>

namespace berth::testing {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> faults(std::string_view schema, std::string_view value) {
  return schema_faults(Json::parse(schema), Json::parse(value));
}

TEST(JsonSchema, checks_types) {
  EXPECT_THAT(faults(R"({"type": "integer"})", "1"), IsEmpty());
  EXPECT_THAT(faults(R"({"type": "integer"})", "1.0"), IsEmpty());
  EXPECT_THAT(faults(R"({"type": "integer"})", "1.5"), ElementsAre(R"(/: is no "integer")"));
  EXPECT_THAT(faults(R"({"type": "string"})", "1"), ElementsAre(R"(/: is no "string")"));
  EXPECT_THAT(faults(R"({"type": ["string", "null"]})", "null"), IsEmpty());
  EXPECT_THAT(faults(R"({"type": "boolean"})", "0"), ElementsAre(R"(/: is no "boolean")"));
}

TEST(JsonSchema, checks_bounds) {
  EXPECT_THAT(faults(R"({"minimum": 1, "maximum": 3})", "3"), IsEmpty());
  EXPECT_THAT(faults(R"({"minimum": 1, "maximum": 3})", "0"), ElementsAre("/: minimum is 1"));
  EXPECT_THAT(faults(R"({"minimum": 1, "maximum": 3})", "4"), ElementsAre("/: maximum is 3"));
  EXPECT_THAT(faults(R"({"minLength": 2, "maxLength": 2})", R"("äö")"), IsEmpty());
  EXPECT_THAT(faults(R"({"minLength": 2})", R"("ä")"), ElementsAre("/: minLength is 2"));
  EXPECT_THAT(faults(R"({"maxItems": 1})", "[1, 2]"), ElementsAre("/: maxItems is 1"));
  EXPECT_THAT(faults(R"({"minItems": 1})", "[]"), ElementsAre("/: minItems is 1"));
  EXPECT_THAT(faults(R"({"enum": ["a", "b"]})", R"("c")"), ElementsAre(R"(/: is none of ["a","b"])"));
}

TEST(JsonSchema, checks_objects_and_lists_all_the_way_down) {
  constexpr auto kSchema = R"({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}},
                               "required": ["a"], "additionalProperties": false})";
  EXPECT_THAT(faults(kSchema, R"({"a": [1, 2]})"), IsEmpty());
  EXPECT_THAT(faults(kSchema, R"({"a": [1, "2"]})"), ElementsAre(R"(/a/1: is no "integer")"));
  EXPECT_THAT(faults(kSchema, R"({"a": [], "b": 1})"), ElementsAre("/b: nothing may stand here"));
  EXPECT_THAT(faults(kSchema, "{}"), ElementsAre(R"(/: lacks "a")"));
  EXPECT_THAT(faults(R"({"additionalProperties": {"type": "string"}})", R"({"x": 1})"),
              ElementsAre(R"(/x: is no "string")"));
}

TEST(JsonSchema, an_unknown_keyword_is_a_fault) {
  EXPECT_THAT(faults(R"({"prefixItems": []})", "[]"), ElementsAre("/: the schema has the unknown keyword prefixItems"));
}

}  // namespace
}  // namespace berth::testing
