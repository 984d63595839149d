#include <gtest/gtest.h>

#include "policy/rules/rule_set.h"
#include "surface/mcp/fake_tools_fixture.h"

namespace berth::mcp {
namespace {

/// Writes nothing, but asks whether it may, as every tool does.
class PlantTool final : public tools::Tool {
 public:
  PlantTool() {
    info_.name = "plant";
    info_.description = "Plants a file.";
    info_.input_schema = {{"type", "object"}};
    info_.output_schema = {{"type", "object"}};
  }

  const tools::ToolInfo& info() const noexcept override { return info_; }

  tools::ToolResult call(const Call& call, tools::ToolSession& session, const Json& arguments,
                         tools::ProgressSink* /*progress*/) const override {
    tools::ToolResult result;
    const Call shielded{.trace_id = call.trace_id};
    const auto& asking = arguments.contains("shielded") ? shielded : call;
    if (const auto permitted = session.permit(asking, Operation::write, arguments["path"].get<std::string>());
        !permitted) {
      result.outcome = tools::ToolResult::Outcome::failed;
      result.text = to_string(permitted.error());
      result.structured = {{"error", {{"code", error_info(permitted.error().code).name}}}};
      return result;
    }
    ++planted;
    result.text = "planted";
    result.structured = Json::object();
    return result;
  }

  mutable std::atomic<int> planted{0};

 private:
  tools::ToolInfo info_;
};

/// A service whose rules ask about writing, and one client.
class Approvals : public ::testing::Test {
 protected:
  static ServiceOptions asking_options() {
    auto options = ServiceFixture::quick_options();
    options.tools.rules =
        std::make_shared<const RuleSet>(std::move(RuleSet::compile(rule_preset("default").value())).value());
    return options;
  }

  ~Approvals() override {
    if (!client) return;
    client->close();
    client->wait_until_idle(Deadline::never());
  }

  void begin(ServiceOptions options = asking_options()) {
    service.emplace(workspace, std::vector<const tools::Tool*>{&plant, &echo}, std::move(options), nullptr);
    client = Conversation::begin(*service, std::make_shared<FramesOutlet>(frames));
  }
  /// Open the conversation of a client of the older era.
  void open(const char* capabilities = R"({"elicitation": {}})") {
    ask(service->legacy(), 0, "initialize",
        {{"protocolVersion", "2025-11-25"}, {"capabilities", Json::parse(capabilities)}});
    next();
  }
  void ask(const Era& era, Json id, std::string method, Json params) {
    auto key = dump(id);
    client->request({std::move(id), std::move(method), std::move(params)},
                    {era, std::move(key), std::make_shared<FramesReply>(frames), nullptr});
  }
  void plant_at(const char* path, Json id = 1) {
    ask(service->legacy(), std::move(id), "tools/call", {{"name", "plant"}, {"arguments", {{"path", path}}}});
  }
  Json plant_modern(const char* path, Json more = Json::object(), const char* capabilities = R"({"elicitation": {}})") {
    Json params = {{"name", "plant"}, {"arguments", {{"path", path}}}};
    params["_meta"][std::string(meta::kVersion)] = kModernVersion;
    params["_meta"][std::string(meta::kClientCapabilities)] = Json::parse(capabilities);
    params.update(more);
    ask(service->modern(), ++modern_id, "tools/call", std::move(params));
    return next()["result"];
  }
  /// The next frame.
  Json next() {
    const auto all = frames->wait(++taken);
    return all.size() >= taken ? all[taken - 1] : Json();
  }
  void answer(const Json& question, const char* result) {
    client->response({question["id"], Json::parse(result), std::nullopt});
  }
  static std::string code_of(const Json& result) {
    return result.contains("_meta") ? result["_meta"]["berth/error"].value("code", "none") : "none";
  }
  static std::string text_of(const Json& result) { return result["content"][0]["text"].get<std::string>(); }

  static std::unique_ptr<Backend> small_backend() {
    auto backend = std::make_unique<testing::MemoryBackend>();
    backend->file("a.txt", "alpha");
    return backend;
  }

  static Json retry(const Json& asked, const char* response) {
    return {{"inputResponses", {{"approval", Json::parse(response)}}}, {"requestState", asked["requestState"]}};
  }

  PlantTool plant;
  EchoTool echo;
  Workspace workspace{small_backend()};
  std::shared_ptr<Frames> frames = std::make_shared<Frames>();
  std::optional<Service> service;
  std::shared_ptr<Conversation> client;
  std::size_t taken = 0;
  int modern_id = 100;
};

TEST_F(Approvals, the_client_is_asked_once_and_an_accepted_call_goes_through) {
  begin();
  open();
  plant_at("docs/a.txt");
  const auto question = next();
  EXPECT_EQ(question["method"], "elicitation/create");
  EXPECT_EQ(question["params"], Json::parse(R"({"message": "Allow plant to do this?\n- write docs/a.txt",
    "requestedSchema": {"type": "object", "properties": {}}})"));
  EXPECT_EQ(plant.planted, 0);
  answer(question, R"({"action": "accept", "content": {}})");
  const auto result = next()["result"];
  EXPECT_EQ(text_of(result), "planted");
  EXPECT_EQ(plant.planted, 1);
  // A yes is for one call.
  plant_at("docs/a.txt", 2);
  EXPECT_EQ(next()["method"], "elicitation/create");
}

TEST_F(Approvals, declining_and_dismissing_are_policy_denied_with_a_clear_text) {
  for (const auto& [action, words] : {std::pair{"decline", "the user refused writing this path"},
                                      {"cancel", "the user refused writing this path: the question was dismissed"}}) {
    begin();
    taken = frames->wait(0).size();
    open();
    plant_at("a.txt");
    answer(next(), Json({{"action", action}}).dump().c_str());
    const auto result = next()["result"];
    EXPECT_EQ(result["isError"], true);
    EXPECT_EQ(code_of(result), "policy_denied");
    EXPECT_NE(text_of(result).find(words), std::string::npos) << text_of(result);
    client->close();
    client->wait_until_idle(Deadline::never());
  }
  EXPECT_EQ(plant.planted, 0);
}

TEST_F(Approvals, a_client_that_offers_no_forms_is_told_so) {
  for (const char* capabilities : {"{}", R"({"elicitation": {"url": {}}})", R"({"sampling": {}})"}) {
    begin();
    taken = frames->wait(0).size();
    open(capabilities);
    plant_at("a.txt");
    const auto legacy = next()["result"];
    EXPECT_EQ(code_of(legacy), "approval_required");
    EXPECT_NE(text_of(legacy).find("this client cannot ask its user"), std::string::npos) << text_of(legacy);
    const auto modern = plant_modern("a.txt", Json::object(), capabilities);
    EXPECT_EQ(modern["resultType"], "complete");
    EXPECT_EQ(code_of(modern), "approval_required");
    client->close();
    client->wait_until_idle(Deadline::never());
  }
  EXPECT_EQ(plant.planted, 0);
}

TEST_F(Approvals, what_is_denied_is_not_asked_about) {
  begin();
  open();
  plant_at(".env");
  EXPECT_EQ(code_of(next()["result"]), "policy_denied");
}

TEST_F(Approvals, a_client_that_never_answers_ends_the_call_and_hears_that_the_question_is_over) {
  auto options = asking_options();
  options.answer_within = std::chrono::milliseconds(20);
  begin(std::move(options));
  open();
  plant_at("a.txt");
  const auto question = next();
  const auto cancelled = next();
  EXPECT_EQ(cancelled["method"], "notifications/cancelled");
  EXPECT_EQ(cancelled["params"]["requestId"], question["id"]);
  const auto result = next()["result"];
  EXPECT_EQ(code_of(result), "approval_required");
  EXPECT_NE(text_of(result).find("the client did not answer in time"), std::string::npos) << text_of(result);
  EXPECT_EQ(plant.planted, 0);
}

TEST_F(Approvals, a_cancelled_call_ends_its_question) {
  begin();
  open();
  plant_at("a.txt");
  next();
  client->cancel("1");
  EXPECT_EQ(next()["method"], "notifications/cancelled");
  EXPECT_EQ(frames->wait_abandoned(1), 1);
  EXPECT_EQ(plant.planted, 0);
}

TEST_F(Approvals, a_question_ends_with_its_request_also_where_the_work_is_shielded_from_that) {
  begin();
  open();
  ask(service->legacy(), 1, "tools/call", {{"name", "plant"}, {"arguments", {{"path", "a.txt"}, {"shielded", true}}}});
  next();
  client->cancel("1");
  EXPECT_EQ(next()["method"], "notifications/cancelled");
  EXPECT_EQ(frames->wait_abandoned(1), 1);
  EXPECT_EQ(plant.planted, 0);
}

TEST_F(Approvals, clients_that_never_answer_leave_threads_for_others) {
  auto options = asking_options();
  options.workers.threads = 2;
  options.max_waiting_questions = 1;
  begin(std::move(options));
  open();
  plant_at("a.txt", 1);
  EXPECT_EQ(next()["method"], "elicitation/create");
  plant_at("b.txt", 2);
  const auto refused = next()["result"];
  EXPECT_EQ(code_of(refused), "approval_required");
  EXPECT_NE(text_of(refused).find("too many questions wait"), std::string::npos) << text_of(refused);
  ask(service->legacy(), 3, "tools/call", {{"name", "echo"}, {"arguments", {{"x", 1}}}});
  EXPECT_EQ(next()["id"], 3);
}

TEST_F(Approvals, an_error_of_the_client_is_no_yes) {
  begin();
  open();
  plant_at("a.txt");
  const auto question = next();
  client->response({question["id"], {}, RpcError{-32601, "what is that", {}}});
  const auto result = next()["result"];
  EXPECT_EQ(code_of(result), "approval_required");
  EXPECT_EQ(plant.planted, 0);
}

TEST_F(Approvals, in_the_newer_era_the_result_asks_and_the_request_is_made_again) {
  begin();
  const auto asked = plant_modern("docs/a.txt");
  EXPECT_EQ(asked["resultType"], "input_required");
  EXPECT_EQ(asked["inputRequests"]["approval"]["method"], "elicitation/create");
  EXPECT_EQ(asked["inputRequests"]["approval"]["params"]["message"], "Allow plant to do this?\n- write docs/a.txt");
  EXPECT_FALSE(asked.contains("content"));
  EXPECT_EQ(plant.planted, 0);
  const auto done = plant_modern("docs/a.txt", retry(asked, R"({"action": "accept", "content": {}})"));
  EXPECT_EQ(done["resultType"], "complete");
  EXPECT_EQ(text_of(done), "planted");
  EXPECT_EQ(plant.planted, 1);
}

TEST_F(Approvals, in_the_newer_era_declining_is_policy_denied) {
  begin();
  for (const char* response : {R"({"action": "decline"})", R"({"action": "cancel"})"}) {
    const auto result = plant_modern("a.txt", retry(plant_modern("a.txt"), response));
    EXPECT_EQ(result["resultType"], "complete");
    EXPECT_EQ(code_of(result), "policy_denied");
  }
  EXPECT_EQ(plant.planted, 0);
}

TEST_F(Approvals, in_the_newer_era_a_yes_is_good_for_one_call_of_what_was_asked) {
  begin();
  const auto asked = plant_modern("a.txt");
  const auto yes = retry(asked, R"({"action": "accept"})");
  EXPECT_EQ(plant_modern("b.txt", yes)["resultType"], "input_required");
  EXPECT_EQ(plant.planted, 0);
  EXPECT_EQ(plant_modern("./a.txt", yes)["resultType"], "complete");
  EXPECT_EQ(plant_modern("a.txt", yes)["resultType"], "input_required");
  auto forged = yes;
  forged["requestState"] = "0123";
  EXPECT_EQ(plant_modern("a.txt", forged)["resultType"], "input_required");
  forged.erase("requestState");
  EXPECT_EQ(plant_modern("a.txt", forged)["resultType"], "input_required");
  EXPECT_EQ(plant_modern("a.txt", retry(plant_modern("a.txt"), "12345"))["resultType"], "input_required");
  EXPECT_EQ(plant.planted, 1);
}

TEST_F(Approvals, a_resource_is_read_once_its_user_said_yes_and_lists_ask_nobody) {
  auto options = asking_options();
  options.tools.rules =
      std::make_shared<const RuleSet>(std::move(RuleSet::compile(rule_preset("strict").value())).value());
  begin(std::move(options));
  open();
  ask(service->legacy(), 1, "resources/list", Json::object());
  EXPECT_EQ(next()["error"]["data"]["code"], "approval_required");
  ask(service->legacy(), 2, "resources/read", {{"uri", "workspace:///a.txt"}});
  const auto question = next();
  EXPECT_EQ(question["params"]["message"], "Allow resources/read to do this?\n- read a.txt");
  answer(question, R"({"action": "accept"})");
  EXPECT_EQ(next()["result"]["contents"][0]["text"], "alpha");
}

}  // namespace
}  // namespace berth::mcp
