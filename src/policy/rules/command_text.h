#pragma once

#include <string>
#include <vector>

#include "contract/commands.h"

namespace berth {

/// The one string that rules for `execute` are matched against: a script as it is; words joined by spaces, each in
/// single quotes when a shell would not take it as it stands. NUL bytes cannot be in it: `check_command` refuses them.
std::string command_text(const CommandSpec& spec);

/// The texts a command is judged by: the whole, and what `sh -c` (also bash, dash, …) is given to run.
std::vector<std::string> command_texts(const CommandSpec& spec);

/// The words of a command, and what stands right of a `=` in each. Of a script those that quotes, blanks and operators
/// of a shell divide it into; where a quote is not closed: those that blanks and quotes do. Nothing is expanded.
std::vector<std::string> command_words(const CommandSpec& spec);

}  // namespace berth
