#pragma once

#include "surface/cli/session.h"

namespace CLI {
class App;
}

/// The verbs, one function a group. Each adds its subcommands to the tree; a chosen verb sets `session.action`.
namespace berth::cli {

void add_listing_verbs(CLI::App& app, Session& session);  // ls, list, glob
void add_grep_verb(CLI::App& app, Session& session);
void add_reading_verbs(CLI::App& app, Session& session);   // read, stat
void add_changing_verbs(CLI::App& app, Session& session);  // write, mv, rm, mkdir
void add_edit_verb(CLI::App& app, Session& session);
void add_patch_verb(CLI::App& app, Session& session);
void add_git_verbs(CLI::App& app, Session& session);  // diff, status
void add_run_verb(CLI::App& app, Session& session);
void add_jobs_verb(CLI::App& app, Session& session);
void add_tools_verb(CLI::App& app, Session& session);
void add_mcp_verb(CLI::App& app, Session& session);
void add_about_verbs(CLI::App& app, Session& session);  // help, ref, version, completion, man
void add_rules_verb(CLI::App& app, Session& session);
void add_doctor_verb(CLI::App& app, Session& session);

}  // namespace berth::cli
