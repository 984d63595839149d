#pragma once

namespace berth::cli {

/// Give a program that was started with a standard stream closed one that fails: else the next file it opens takes the
/// stream's number, and is read as input or written as output.
void occupy_closed_streams();

}  // namespace berth::cli
