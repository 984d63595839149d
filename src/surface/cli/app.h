#pragma once

#include <memory>

#include "surface/cli/session.h"

namespace CLI {
class App;
}

namespace berth::cli {

/// Build the tree of verbs and options around a session, which must outlive it.
std::unique_ptr<CLI::App, void (*)(CLI::App*)> make_app(Session& session);

/// Run the program: read the words, do the verb, print. Gives the exit code.
int run_program(int argc, const char* const* argv);

}  // namespace berth::cli
