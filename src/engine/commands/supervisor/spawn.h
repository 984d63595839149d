#pragma once

#include <sys/types.h>

namespace berth::supervisor {

/// A program to start, ready for exec: all memory is laid out before the process is made.
struct Program {
  char* const* argv = nullptr;
  char* const* envp = nullptr;
  int standard[3] = {-1, -1, -1};  ///< descriptors that become 0, 1 and 2
  int directory = -1;              ///< to work in
  int cgroup = -1;                 ///< to be born in; -1: this process's own
  bool terminal = false;           ///< `standard` is a terminal, to become its controlling one
};

struct Spawned {
  pid_t pid = -1;
  int error = 0;             ///< errno value when nothing runs
  bool in_directory = true;  ///< false: the directory was what failed
};

/// Start a program in a session of its own with no signal blocked. This process handles and ignores none, so the
/// program finds every one at its default.
///
/// A program that cannot be executed still becomes a process, as under a shell: it exits with 127 when there is no such
/// program and with 126 when there is one that cannot be executed, and says which on its standard error. A file
/// without a format the kernel knows is run by /bin/sh. Names without a slash are looked up in the PATH of `envp`.
Spawned spawn(const Program& program);

/// Whether a process can really be born in a cgroup and live there.
bool can_spawn_into(int cgroup);

}  // namespace berth::supervisor
