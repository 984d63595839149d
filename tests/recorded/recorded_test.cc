#include "recorded_test.h"

#include <string>

namespace berth::recorded {
namespace {

/// What a maintainer would put into the table of deviations.
std::string as_deviation(const Case& one, std::size_t number, const Answer& answer) {
  Json entry{{"case", one.name}, {"call", number}, {"kind", ""}, {"why", ""}};
  entry["outcome"] = outcome_name(answer.outcome);
  constexpr std::size_t kShown = 300;
  if (answer.text.size() > 20 * kShown) {
    entry["text"] = {{"head", answer.text.substr(0, kShown)},
                     {"tail", answer.text.substr(answer.text.size() - kShown)},
                     {"chars", answer.text.size()}};
  } else {
    entry["text"] = answer.text;
  }
  if (!answer.media.empty()) entry["media"] = answer.media;
  return "as a deviation: " + entry.dump();
}

/// The answer with its middle taken out, where the table holds only head and tail.
Answer shortened(Answer answer, const Call& call) {
  if (!call.text_bytes || answer.text.size() != *call.text_bytes) return answer;
  if (answer.text.ends_with(call.text_tail)) answer.text.resize(call.expected.text.size());
  return answer;
}

}  // namespace

void run_case(const Case& one, World& world) {
  const auto before = world.files();
  auto external = one.json.value("external_change", Json());
  auto expected_files = one.files_after;
  for (std::size_t number = 0; number < one.calls.size(); ++number) {
    const Call& call = one.calls[number];
    const Answer answer = shortened(world.call(call), call);
    EXPECT_EQ(answer, call.expected) << one.name << ", call " << number << ": " << call.tool << " "
                                     << call.arguments.dump() << "\n"
                                     << "recorded: " << ::testing::PrintToString(call.recorded) << "\n"
                                     << as_deviation(one, number, answer);
    if (!external.is_null() && external.at("after") == number + 1) {
      world.change(external.at("path").get<std::string>(), content_of(external.at("content")));
      const auto path = external["path"].get<std::string>();
      if (!expected_files.contains(path)) expected_files[path] = external["content"];
    }
  }
  Json expected = Json::object();
  for (const auto& [path, file] : expected_files.items()) {
    expected[path] = file.is_null() ? file : file_json(content_of(file));
  }
  const Json left = differences(before, world.files());
  EXPECT_EQ(nlohmann::json(left), nlohmann::json(expected))
      << one.name << ": files after the calls\n"
      << "as a deviation: " << Json{{"case", one.name}, {"kind", ""}, {"why", ""}, {"files_after", left}}.dump();
  if (one.json.contains("tools_offered")) {
    EXPECT_EQ(Json(world.offered()), one.json["tools_offered"]);
  }
}

}  // namespace berth::recorded
