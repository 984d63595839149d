#include "command_arguments.h"

#include <tuple>

#include <nanobind/stl/tuple.h>

#include "arguments.h"

namespace berth::python {
namespace {

Bytes word(nb::handle object, const char* what) {
  Bytes bytes;
  if (!read_text(object, bytes)) throw nb::type_error(what);
  return bytes;
}

}  // namespace

CommandArg command_arg(nb::handle command, bool shell, nb::handle env, nb::handle env_remove, nb::handle cwd,
                       nb::handle stdin_bytes, std::optional<double> timeout, nb::handle output, bool end_group,
                       std::string run_id) {
  CommandArg given;
  CommandSpec& spec = given.spec;
  const bool is_text = PyUnicode_Check(command.ptr()) || PyBytes_Check(command.ptr());
  if (is_text && !shell)
    throw nb::type_error("a string is a command for the shell: pass shell=True, or a list of words");
  if (!is_text && shell) throw nb::type_error("a list of words is no command for the shell: pass one string");
  if (is_text) {
    spec.script = word(command, "");
  } else {
    if (!PySequence_Check(command.ptr()))
      throw nb::type_error("a command is a list of words, or a string with shell=True");
    for (nb::handle item : command) spec.argv.push_back(word(item, "the words of a command are str or bytes"));
    if (spec.argv.empty()) throw nb::value_error("the command has no words");
  }
  if (!env.is_none()) {
    for (const auto [name, value] : nb::cast<nb::dict>(env)) {
      spec.env.emplace_back(word(name, "names in env are str"), word(value, "values in env are str or bytes"));
    }
  }
  if (!env_remove.is_none()) {
    for (nb::handle name : env_remove) spec.env_remove.push_back(word(name, "names in env_remove are str"));
  }
  given.cwd = word(cwd, "cwd is a path");
  if (!stdin_bytes.is_none()) {
    Bytes content;
    if (!read_content(stdin_bytes, content)) throw nb::type_error("stdin is bytes or str");
    spec.stdin_bytes = std::move(content);
  }
  spec.timeout = milliseconds_arg(timeout, "timeout");
  const auto [stops, first, second] = nb::cast<std::tuple<bool, std::int64_t, std::int64_t>>(output);
  if (stops) {
    spec.output = {.kind = OutputPolicy::Kind::stop_at, .limit = first, .kept = second};
  } else {
    spec.output = {.kind = OutputPolicy::Kind::keep, .head = first, .tail = second};
  }
  if (end_group) spec.end_scope = EndScope::group;
  spec.run_id = std::move(run_id);
  return given;
}

}  // namespace berth::python
