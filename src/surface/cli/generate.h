#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

/// Texts made from the tree of verbs and options, so that they never fall behind it.
namespace berth::cli {

/// The completion script for bash, zsh or fish.
std::string completion_script(const CLI::App& app, std::string_view shell);

/// The manual page in man(7) macros.
std::string manual_page(const CLI::App& app);

}  // namespace berth::cli
