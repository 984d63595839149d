#include "search/trial.h"

#include <algorithm>

namespace berth::search {

Result<void> try_out(const Call& call, const Matcher& matcher, BytesView piece) {
  if (piece.size() <= kStepBytes || (call.deadline.is_never() && !call.stop.stop_possible())) return {};
  const auto begin = Clock::now();
  while (!piece.empty()) {
    const BytesView step = piece.substr(0, kStepBytes);
    (void)matcher.count_lines(step);
    piece.remove_prefix(step.size());
    BERTH_CHECK(call.check());
  }
  if (Clock::now() - begin < call.deadline.remaining()) return {};
  return make_error(ErrorCode::timed_out, "the call's deadline is too near for a line this long");
}

}  // namespace berth::search
