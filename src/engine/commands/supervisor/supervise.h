#pragma once

namespace berth::supervisor {

/// The whole of the supervisor program. Started by the engine with the engine's socket as descriptor 0; `features` are
/// those that it may use, a letter each: `p` pidfds, `c` cgroups. It forks keepers on request and ends what killed
/// keepers leave behind; each keeper serves one command at a time. It ends when the engine closes the socket or dies.
/// With `j` among the features it starts one job instead and leaves. Returns the exit status.
int supervise(const char* features);

}  // namespace berth::supervisor
