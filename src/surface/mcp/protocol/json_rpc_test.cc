#include "surface/mcp/protocol/json_rpc.h"

#include <gtest/gtest.h>

namespace berth::mcp {
namespace {

Malformed malformed(const std::string& frame) {
  auto message = parse_frame(frame);
  const auto* found = std::get_if<Malformed>(&message);
  return found != nullptr ? *found : Malformed{"not malformed", {}};
}

TEST(JsonRpc, a_request_has_an_id_and_params_that_are_an_object) {
  EXPECT_EQ(parse_frame(R"({"jsonrpc":"2.0","id":7,"method":"ping"})"), Message(Request{7, "ping", Json::object()}));
  EXPECT_EQ(parse_frame(R"({"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1}})"),
            Message(Request{"a", "m", {{"x", 1}}}));
}

TEST(JsonRpc, a_message_without_an_id_is_a_notification) {
  EXPECT_EQ(parse_frame(R"({"jsonrpc":"2.0","method":"n"})"), Message(Notification{"n", Json::object()}));
}

TEST(JsonRpc, an_answer_is_told_from_a_request) {
  EXPECT_EQ(parse_frame(R"({"jsonrpc":"2.0","id":1,"result":{"a":2}})"), Message(Response{1, {{"a", 2}}, {}}));
  EXPECT_EQ(parse_frame(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}})"),
            Message(Response{1, {}, RpcError{-1, "no", {}}}));
}

TEST(JsonRpc, text_that_is_not_json_is_a_parse_error_without_an_id) {
  for (const std::string frame : {"{", "nonsense", "", R"({"jsonrpc":"2.0","id":1,"method":"m"} x)", "{\"a\":\"\xff\"}",
                                  R"({"a":"\ud800"})", "\"unclosed", "]", "}}}}"}) {
    const auto found = malformed(frame);
    EXPECT_EQ(found.error.code, rpc::kParseError) << frame;
    EXPECT_TRUE(found.id.is_null()) << frame;
  }
}

TEST(JsonRpc, batches_are_refused) {
  EXPECT_EQ(malformed(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])").error.code, rpc::kInvalidRequest);
  EXPECT_EQ(malformed("[]").error.code, rpc::kInvalidRequest);
}

TEST(JsonRpc, what_is_no_message_is_an_invalid_request_with_the_id_it_had) {
  for (const std::string frame : {R"({"id":5,"method":"m"})", R"({"jsonrpc":"1.0","id":5,"method":"m"})",
                                  R"({"jsonrpc":"2.0","id":5})", R"({"jsonrpc":"2.0","id":5,"method":3})"}) {
    const auto found = malformed(frame);
    EXPECT_EQ(found.error.code, rpc::kInvalidRequest) << frame;
    EXPECT_EQ(found.id, Json(5)) << frame;
  }
  EXPECT_EQ(malformed(R"({"jsonrpc":"2.0","id":5,"method":"m","params":[1]})").error.code, rpc::kInvalidParams);
}

TEST(JsonRpc, an_id_is_a_string_or_an_integer) {
  for (const std::string id : {"null", "1.5", "true", "{}", "[1]"}) {
    const auto found = malformed(R"({"jsonrpc":"2.0","method":"m","id":)" + id + "}");
    EXPECT_EQ(found.error.code, rpc::kInvalidRequest) << id;
    EXPECT_TRUE(found.id.is_null()) << id;
  }
}

TEST(JsonRpc, nesting_and_keys_are_bounded_before_anything_is_built) {
  EXPECT_EQ(malformed(std::string(1'000'000, '[')).error.code, rpc::kParseError);
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += R"({"a":)";
  EXPECT_EQ(malformed(deep).error.code, rpc::kParseError);
  std::string wide = R"({"jsonrpc":"2.0","id":1,"method":"m","params":{)";
  for (int i = 0; i < 1'000'000; ++i) wide += '"' + std::to_string(i) + "\":0,";
  wide += R"("z":0}})";
  EXPECT_EQ(malformed(wide).error.code, rpc::kParseError);
}

TEST(JsonRpc, brackets_and_colons_inside_strings_count_for_nothing) {
  const std::string text(5000, '[');
  const auto message = parse_frame(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"t":")" + text + R"(\"::{"}})");
  ASSERT_TRUE(std::holds_alternative<Request>(message));
  EXPECT_EQ(std::get<Request>(message).params["t"], text + "\"::{");
}

TEST(JsonRpc, frames_that_are_built_are_one_line_of_json) {
  EXPECT_EQ(result_frame(1, {{"a", "b\n"}}), R"({"jsonrpc":"2.0","id":1,"result":{"a":"b\n"}})");
  EXPECT_EQ(error_frame("x", {-1, "no", {{"k", 1}}}),
            R"({"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"no","data":{"k":1}}})");
  EXPECT_EQ(error_frame({}, {-32700, "no", {}}), R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}})");
  EXPECT_EQ(notification_frame("n", Json::object()), R"({"jsonrpc":"2.0","method":"n","params":{}})");
}

TEST(JsonRpc, bytes_that_are_not_utf8_are_replaced_on_the_way_out) {
  EXPECT_EQ(dump(Json("a\xff")), "\"a\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace berth::mcp
