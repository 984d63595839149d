#pragma once

#include "base/call.h"
#include "base/result.h"
#include "engine/host/host_environment.h"
#include "guest/protocol/operations.h"

namespace berth::guest {

/// Do what a request asks for on an environment's faces, and encode the answer. `sink` may be null. Arguments that
/// cannot be read are `protocol`, a face that is null is `unsupported`. Not for `open` and `ensure`, which are about
/// the environment itself.
Result<Bytes> dispatch(const engine::Faces& faces, const Call& call, Method method, Decoder& arguments,
                       OutputSink* sink);

/// When a command's own timeout ends it; never without one. Looks at the arguments of `run` only.
Deadline timeout_of(Method method, BytesView arguments);

/// The arguments of an operation; `protocol` when they cannot be read.
template <typename Op>
Result<typename Op::Arguments> decode_arguments(Decoder& from) {
  auto arguments = Op::decode(from);
  if (from.done()) return arguments;
  return make_error(ErrorCode::protocol, "the request cannot be read");
}

template <typename T>
Bytes encode_answer(const T& answer) {
  Encoder to;
  put(to, answer);
  return to.take();
}

}  // namespace berth::guest
