#pragma once

#include <cstddef>

#include "base/bytes.h"

namespace berth::engine {

/// Count the LF bytes. Written so that the compiler uses vector registers, which it does not for std::count.
std::size_t count_newlines(BytesView bytes) noexcept;

}  // namespace berth::engine
