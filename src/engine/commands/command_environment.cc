#include "engine/commands/command_environment.h"

#include <algorithm>
#include <array>

namespace berth::engine {
namespace {

constexpr std::array<std::string_view, 9> kInherited = {"PATH", "HOME", "LANG",    "TERM", "TMPDIR",
                                                        "TZ",   "USER", "LOGNAME", "SHELL"};

Result<void> check_name(std::string_view name) {
  if (name.empty()) return make_error(ErrorCode::invalid_argument, "an environment variable has no name");
  if (name.find_first_of(std::string_view("=\0", 2)) != std::string_view::npos) {
    return make_error(ErrorCode::invalid_argument, "the name of an environment variable holds '=' or a NUL byte");
  }
  return {};
}

Result<void> set(CommandEnvironment::Variables& variables, const std::string& name, const Bytes& value) {
  BERTH_CHECK(check_name(name));
  if (value.find('\0') != Bytes::npos) {
    return make_error(ErrorCode::invalid_argument, "the value of an environment variable holds a NUL byte")
        .with("variable", name);
  }
  const auto known = std::ranges::find(variables, name, &std::pair<std::string, Bytes>::first);
  if (known != variables.end()) {
    known->second = value;
  } else {
    variables.emplace_back(name, value);
  }
  return {};
}

}  // namespace

void StringBlock::add(BytesView text) {
  bytes.append(text);
  bytes.push_back('\0');
  ++count;
}

void StringBlock::add(BytesView name, BytesView value) {
  bytes.append(name);
  bytes.push_back('=');
  bytes.append(value);
  bytes.push_back('\0');
  ++count;
}

bool CommandEnvironment::is_inherited(std::string_view name) noexcept {
  return name.starts_with("LC_") || std::ranges::find(kInherited, name) != kInherited.end();
}

CommandEnvironment::CommandEnvironment(const char* const* inherited, Variables own) : own_(std::move(own)) {
  for (; inherited != nullptr && *inherited != nullptr; ++inherited) {
    const std::string_view entry(*inherited);
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos || !is_inherited(entry.substr(0, equals))) continue;
    inherited_.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
}

Result<StringBlock> CommandEnvironment::build(const CommandSpec& spec) const {
  Variables variables = inherited_;
  for (const auto& [name, value] : own_) BERTH_CHECK(set(variables, name, value));
  for (const auto& name : spec.env_remove) {
    BERTH_CHECK(check_name(name));
    std::erase_if(variables, [&](const auto& variable) { return variable.first == name; });
  }
  for (const auto& [name, value] : spec.env) BERTH_CHECK(set(variables, name, value));

  StringBlock block;
  for (const auto& [name, value] : variables) block.add(name, value);
  return block;
}

}  // namespace berth::engine
