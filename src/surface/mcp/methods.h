#pragma once

#include "surface/mcp/conversation.h"

namespace berth::mcp {

/// Whether a method is answered from memory, so that it needs no thread of its own.
bool answers_at_once(Method method) noexcept;

/// Do what a request asks. Its `_meta` was admitted and its method is one of its era.
Answer answer_request(Work& work, Method method);

}  // namespace berth::mcp
