#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workspace/backend.h"

namespace berth {

/// Which paths file tools may not touch (C-POL-2). All lists are globs as `SensitiveGlobs` reads them.
struct SensitivePolicy {
  std::vector<std::string> deny;     ///< not read, written, moved, removed, searched or listed
  std::vector<std::string> allow;    ///< taken back from `deny`
  std::vector<std::string> protect;  ///< read, listed and searched, but not made, written, moved or removed
  std::vector<std::string> hide;     ///< as if they did not exist

  bool operator==(const SensitivePolicy&) const = default;
};

/// The sets that are right for most workspaces.
///
/// `deny`: keys, credentials and environment files. `protect`: what makes a later program run code of the writer's
/// choice: `.git`, our own state, configuration of editors, agents and shells. Not in the set are files that projects
/// change every day although they run too (`Makefile`, `package.json`, `.github`).
SensitivePolicy default_sensitive_policy();

/// Keep sensitive, protected and hidden paths from file tools.
///
/// A path counts by its name as given and by its real name: a link is no way around. What is refused is
/// `policy_denied` with the field `policy` (`sensitive` or `protected`); for a move the field `destination` is "true"
/// when the destination is refused. A hidden path is `not_found` to what reads, replaces, moves or removes it, nothing
/// to do for a deletion that permits absence, and `policy_denied` to what would make it. Directories are not removed
/// while anything in them is sensitive, protected or hidden: `policy_denied`; `prune_empty_directories` then says
/// `not_empty` for what is hidden. Listings and searches leave out what is sensitive or hidden, and so links that lead
/// there; totals do not count it, but for such links on other pages.
///
/// Not covered: other names of the same file that are no links (hard links), and commands: they pass through and are
/// as free as their environment lets them be. A `.git` file that names a repository elsewhere protects itself, not
/// that place. How a race with a program that exchanges links ends: see RealTargets.
/// Errors: `invalid_argument` for a glob that cannot be compiled.
Result<std::unique_ptr<Backend>> make_sensitive(std::unique_ptr<Backend> inner, const SensitivePolicy& policy);

}  // namespace berth
