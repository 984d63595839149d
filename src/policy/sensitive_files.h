#pragma once

#include <memory>

#include "policy/path_verdicts.h"
#include "policy/real_targets.h"

namespace berth {

/// The faces of a backend behind `make_sensitive`. The verdicts must outlive them.
std::unique_ptr<FileReads> make_sensitive_reads(RealTargets targets, const PathVerdicts& verdicts);
std::unique_ptr<FileWrites> make_sensitive_writes(RealTargets targets, const PathVerdicts& verdicts);
std::unique_ptr<TreeSearch> make_sensitive_search(RealTargets targets, const PathVerdicts& verdicts);
std::unique_ptr<FileTransactions> make_sensitive_transactions(RealTargets targets, const PathVerdicts& verdicts);

/// The checks of a real path, as RealTargets takes them.
inline auto may_read(const PathVerdicts& verdicts) {
  return [&verdicts](const Path& real) { return verdicts.check_read(real); };
}
inline auto may_write(const PathVerdicts& verdicts, PathVerdicts::Makes makes) {
  return [&verdicts, makes](const Path& real) { return verdicts.check_write(real, makes); };
}

/// Whether a link at a real path leads to a place that is kept back, or through one.
bool leads_to_kept_back(const Call& call, const RealTargets& targets, const PathVerdicts& verdicts, const Path& link);

}  // namespace berth
