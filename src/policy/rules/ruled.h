#pragma once

#include <memory>

#include "policy/rules/rule_set.h"
#include "workspace/backend.h"

namespace berth {

/// Enforce what permission rules deny, on every path as it is opened (C-POL-3).
///
/// A path counts by its name as given and by its real name, and what was checked is what is opened (see RealTargets):
/// a link exchanged after a tool call was permitted leads nowhere else. Refusals are `policy_denied` with the fields
/// `policy` (`rules`), `operation` and `rule`; for a move the field `destination` is "true" when the destination is
/// refused. What rules say to ask about is not decided here: see PermissionGate.
///
/// Reading is `read`. Writing what may be absent, making directories, removing and both ends of a move are `write`;
/// replacing what was compared by revision is `edit`. A directory is not removed while it holds something whose
/// `write` is denied. Listing a directory is `ls`, and leaves out what `ls` denies; listing a tree is `glob` likewise;
/// a search is `grep`, and leaves out what `grep` or `read` denies. Totals do not count what is left out, but for links
/// to it on other pages, and for files that a default denies while a rule that begins with a wildcard passes others. A
/// directory is listed and searched when only a default denies it and rules pass something below. What can be read,
/// written, edited or listed can be described (`stat`, `real_path`).
///
/// Commands, and those of jobs, that `execute` denies are refused, and, as a defence in depth that is no boundary,
/// commands with a word that is a path whose `read` or `write` a rule denies. Words are looked up in the workspace from
/// the command's directory, links followed there, never on the host; a word is taken for a path when something stands
/// there, or when it is spelled like one. A command can name a path in many ways that are no word of it.
///
/// Not covered: hard links, and what commands do.
std::unique_ptr<Backend> make_ruled(std::unique_ptr<Backend> inner, const RuleSet& rules);

}  // namespace berth
