#include "recorded_case.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>

#include "base/base64.h"
#include "testing/cases.h"

namespace berth::recorded {
namespace {

using Outcome = tools::ToolResult::Outcome;

[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "recorded cases: %s\n", what.c_str());
  std::abort();
}

Kind kind_named(const std::string& name) {
  if (name == "sentence") return Kind::sentence;
  if (name == "fault") return Kind::fault;
  if (name == "more") return Kind::more;
  if (name == "choice") return Kind::choice;
  if (name == "framework") return Kind::framework;
  if (name == "missing") return Kind::missing;
  give_up("no kind of deviation: " + name);
}

Outcome outcome_named(const std::string& name) {
  if (name == "success") return Outcome::success;
  if (name == "retry") return Outcome::retry;
  if (name == "failed") return Outcome::failed;
  give_up("no outcome: " + name);
}

void read_text(const Json& text, Call& call, Answer& answer) {
  if (text.is_string()) {
    answer.text = text.get<std::string>();
  } else if (text.is_array()) {
    for (const auto& part : text) {
      if (part.is_string())
        answer.text += part.get<std::string>();
      else
        read_text(part, call, answer);
    }
  } else if (text.contains("binary")) {
    answer.media.push_back(text["binary"].get<std::string>() + " " + std::to_string(text["bytes"].get<int>()) +
                           " bytes");
  } else {
    answer.text = text.at("head").get<std::string>();
    call.text_tail = text.at("tail").get<std::string>();
    call.text_bytes = text.at("chars").get<std::size_t>();
  }
}

/// What the recorded outcome is in our three. A framework that knows only results and retries returns a failure which
/// is no retry as an ordinary text that begins with `Error`, and so it does with a retry when no attempt is left.
Outcome our_outcome(const std::string& recorded, const Answer& answer, const std::vector<Call>& before,
                    const Call& call) {
  if (recorded == "retried") return Outcome::retry;
  if (recorded != "success") return Outcome::failed;
  for (const auto& earlier : before) {
    if (earlier.recorded.outcome == Outcome::retry && earlier.tool == call.tool &&
        earlier.arguments == call.arguments && earlier.recorded.text == answer.text) {
      return Outcome::retry;
    }
  }
  for (const char* start : {"Error: ", "[Error: ", "Path not found: "}) {
    if (answer.text.starts_with(start)) return Outcome::failed;
  }
  return Outcome::success;
}

Case read_case(const Json& json) {
  Case result;
  result.workspace = json.at("workspace").get<std::string>();
  result.json = json;
  result.files_after = json.value("files_after", Json::object());
  for (const auto& recorded : json.at("calls")) {
    Call call;
    call.tool = recorded.at("tool").get<std::string>();
    call.arguments = recorded.at("args");
    read_text(recorded.at("text"), call, call.recorded);
    call.recorded.outcome = our_outcome(recorded.at("outcome").get<std::string>(), call.recorded, result.calls, call);
    call.expected = call.recorded;
    result.calls.push_back(std::move(call));
  }
  return result;
}

void deviate(Case& one, const Json& deviation) {
  const auto kind = kind_named(deviation.at("kind").get<std::string>());
  const auto why = deviation.at("why").get<std::string>();
  if (why.empty()) give_up(one.name + " deviates without a reason");
  if (deviation.contains("files_after")) {
    if (one.files_deviate) give_up(one.name + " has two deviations of its files");
    if (kind == Kind::sentence) give_up(one.name + ": files are no sentence");
    if (one.files_after == deviation["files_after"]) give_up(one.name + " leaves the recorded files by now");
    one.files_deviate = kind;
    one.files_after = deviation["files_after"];
    return;
  }
  const auto number = deviation.at("call").get<std::size_t>();
  if (number >= one.calls.size()) give_up(one.name + " has no call " + std::to_string(number));
  Call& call = one.calls[number];
  if (call.deviates) give_up(one.name + " has two deviations of call " + std::to_string(number));
  call.deviates = kind;
  call.why = why;
  call.expected.outcome = outcome_named(deviation.at("outcome").get<std::string>());
  call.text_bytes.reset();
  call.expected.text.clear();
  read_text(deviation.at("text"), call, call.expected);
  call.expected.media = deviation.value("media", std::vector<std::string>{});
  if (call.expected == call.recorded) give_up(one.name + " gives the recorded answer by now");
  if (kind == Kind::sentence && call.expected.outcome != call.recorded.outcome) {
    give_up(one.name + ": another outcome is no sentence");
  }
  if (kind == Kind::sentence && structural_lines(call.expected.text) != structural_lines(call.recorded.text)) {
    give_up(one.name + ": another layout is no sentence");
  }
}

}  // namespace

void PrintTo(const Answer& answer, std::ostream* stream) {
  *stream << outcome_name(answer.outcome) << " " << Json(answer.text).dump();
  for (const auto& media : answer.media) *stream << " + " << media;
}

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::success: return "success";
    case Outcome::retry: return "retry";
    case Outcome::failed: return "failed";
  }
  return "";
}

std::string content_of(const Json& file) {
  if (file.is_string()) return file.get<std::string>();
  if (file.contains("b64")) return *try_decode_base64(file["b64"].get<std::string>());
  std::string content;
  const auto piece = file.at("repeat").get<std::string>();
  while (content.size() < file.at("bytes").get<std::size_t>()) content += piece;
  return content;
}

std::vector<std::string> structural_lines(std::string_view text) {
  // Numbered lines, lines with hashes, indented entries, bracketed headers and markers, counts, `path:line:`, `key: v`.
  static const std::regex shape(
      R"(^( *\d+\t|\d+:[0-9a-f]{2}\||  |\[|\.\.\. \(|Contents of |Found \d|Files containing |Matches for |No matches |No files )"
      R"(|Command failed \(|Wrote \d|Edited |[^ ]+[:-]\d+[:-]|(path|type|size|binary|lines|hash|symlink_target|ID|PID): ))");
  std::vector<std::string> result;
  std::size_t from = 0;
  while (from <= text.size()) {
    const auto end = std::min(text.find('\n', from), text.size());
    std::string line(text.substr(from, end - from));
    if (std::regex_search(line, shape) && !line.starts_with("[Error: ")) {
      // In a bracketed line what follows the fact is advice.
      if (line.starts_with('[')) line.resize(std::min(line.find(';'), line.size()));
      if (line.ends_with(']')) line.pop_back();
      result.push_back(std::move(line));
    }
    from = end + 1;
  }
  return result;
}

std::vector<Case> read_recorded_cases(std::string_view name) {
  const auto table = Json::parse(testing::read_cases(std::string(name) + "_results.json"));
  std::vector<Case> cases;
  std::map<std::string, std::size_t> by_name;
  for (const auto& json : table.at("cases")) {
    Case one = read_case(json);
    // One id was recorded on several kinds of workspaces.
    one.name = json.at("id").get<std::string>();
    if (json.contains("via")) one.name += "/" + one.workspace;
    if (!by_name.emplace(one.name, cases.size()).second) give_up("two cases are called " + one.name);
    cases.push_back(std::move(one));
  }
  const auto deviations = Json::parse(testing::read_cases(std::string(name) + "_deviations.json"));
  for (const auto& deviation : deviations.at("deviations")) {
    const auto found = by_name.find(deviation.at("case").get<std::string>());
    if (found == by_name.end()) give_up("no case is called " + deviation["case"].get<std::string>());
    deviate(cases[found->second], deviation);
  }
  return cases;
}

}  // namespace berth::recorded
