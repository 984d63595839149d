#pragma once

#include <string>
#include <vector>

namespace berth::bench {

/// posix_spawn and waitpid, nothing else; the command keeps our streams.
void spawn_and_wait(const char* program);

/// Run a program in a directory and drain its output, as whoever wants an answer from it does. Returns the number of
/// lines; ends the program when it exits with anything but 0.
std::int64_t lines_of_program(const std::string& directory, const std::vector<std::string>& words);
/// The same with an environment of `NAME=VALUE` instead of ours.
std::int64_t lines_of_program(const std::string& directory, const std::vector<std::string>& words,
                              const std::vector<std::string>& environment);

}  // namespace berth::bench
