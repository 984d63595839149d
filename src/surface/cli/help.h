#pragma once

namespace CLI {
class App;
}

namespace berth::cli {

/// Give an app, and the verbs added to it later, our form of help: purpose, usage, verbs, options, examples.
void use_help(CLI::App& app);

}  // namespace berth::cli
