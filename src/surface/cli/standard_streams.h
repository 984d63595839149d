#pragma once

#include <string_view>

namespace berth::cli {

/// Give a program that was started with a standard stream closed one that fails: else the next file it opens takes the
/// stream's number, and is read as input or written as output.
void occupy_closed_streams();

/// Write everything to a standard stream; 0, or the errno value of the failure. Waits for room also where the stream
/// does not block, which any program that shares it may have asked for.
int write_whole(int stream, std::string_view bytes);

}  // namespace berth::cli
