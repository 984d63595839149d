#pragma once

namespace berth::os {

/// Which kernel features may be used. Injected, so that tests run every fallback on one machine.
///
/// `probe()` tries each feature for real. A feature that is present here may still be refused at a later call (a
/// seccomp filter installed meanwhile); the code that uses it falls back then too.
struct Features {
  bool openat2 = false;     ///< RESOLVE_BENEATH path resolution (Linux 5.6); else: component walk
  bool pidfd = false;       ///< race-free signals to processes that are not children; else: by pid, re-checked
  bool cgroup2 = false;     ///< a cgroup of our own can be made; else: the process tree is walked
  bool o_tmpfile = false;   ///< nameless temporary files; else: a named one
  bool renameat2 = false;   ///< RENAME_NOREPLACE; else: linkat and unlinkat
  bool memfd_exec = false;  ///< a program can be run from memory; else: from a private temporary file

  /// Costs well under a millisecond; makes and removes a cgroup and a file in the temporary directory.
  static Features probe();
  /// Nothing beyond what every kernel has: all fallbacks are taken.
  static Features none() noexcept { return {}; }

  bool operator==(const Features&) const = default;
};

}  // namespace berth::os
