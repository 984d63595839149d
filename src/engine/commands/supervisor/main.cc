// berth-supervisor: the process from which commands are started, so that the engine's own process never forks.

#include "engine/commands/supervisor/supervise.h"

int main(int argc, char** argv) { return berth::supervisor::supervise(argc > 1 ? argv[1] : ""); }
