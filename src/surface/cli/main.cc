#include "surface/cli/app.h"

int main(int argc, char** argv) { return berth::cli::run_program(argc, argv); }
