#pragma once

namespace berth::supervisor {

/// A pseudo-terminal: the keeper's end and the job's; closed by their owner.
struct Terminal {
  int ours = -1;
  int theirs = -1;
};

/// Make one of this size; `ours` stays -1 with errno when there is none to be had.
Terminal open_terminal(unsigned short rows, unsigned short columns);

bool resize_terminal(int ours, unsigned short rows, unsigned short columns);

}  // namespace berth::supervisor
