#include <ctime>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "policy/audit_log.h"

namespace berth {
namespace {

std::string utc(std::chrono::sys_time<std::chrono::nanoseconds> time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto micros = std::chrono::floor<std::chrono::microseconds>(time - seconds).count();
  const std::time_t clock = std::chrono::system_clock::to_time_t(seconds);
  std::tm parts{};
  gmtime_r(&clock, &parts);
  char text[32];
  const auto length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  const std::string fraction = std::to_string(1'000'000 + micros).substr(1);
  return std::string(text, length) + "." + fraction + "Z";
}

void put_bytes(nlohmann::ordered_json& line, const std::string& name, BytesView bytes) {
  auto decoded = decode_utf8(bytes);
  line[name] = std::move(decoded.text);
  if (decoded.was_lossy) line[name + "_b64"] = encode_base64(bytes);
}

}  // namespace

std::string to_json_line(const AuditEvent& event) {
  nlohmann::ordered_json line;
  line["time"] = utc(event.time);
  if (!event.actor.empty()) put_bytes(line, "actor", event.actor);
  if (!event.trace_id.empty()) put_bytes(line, "trace_id", event.trace_id);
  line["operation"] = event.operation;
  put_bytes(line, "path", event.path.text());
  if (event.to) put_bytes(line, "to", event.to->text());
  if (event.before) put_bytes(line, "before", event.before->text);
  if (event.after) put_bytes(line, "after", event.after->text);
  line["outcome"] = event.outcome;
  if (event.status) line["status"] = *event.status;
  line["duration_us"] = std::chrono::duration_cast<std::chrono::microseconds>(event.duration).count();
  if (!event.job.empty()) line["job"] = event.job;
  if (!event.program.empty()) put_bytes(line, "program", event.program);
  if (!event.command_sha256.empty()) line["command_sha256"] = event.command_sha256;
  if (!event.words.empty()) {
    auto& words = line["words"] = nlohmann::ordered_json::array();
    for (const auto& word : event.words) words.push_back(decode_utf8(word).text);
  }
  return line.dump();
}

}  // namespace berth
