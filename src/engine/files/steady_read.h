#pragma once

#include <cstdint>

#include "base/call.h"
#include "base/limits.h"
#include "engine/files/open_file.h"

namespace berth::engine {

/// How one attempt to read a file of known size went.
enum class Attempt : std::uint8_t { done, changed, ended_early };

/// Read an open file that others may change meanwhile (C-READ-5): again when it changed, three times in all, then
/// `changed_during_read`; and to its end when it has more or fewer bytes than its size says.
///
/// `attempt(file, page)` gives Result<Attempt>, fills the page when done, and moves `file.stat` on to what the file is
/// afterwards. `read_unsized(file)` gives the page.
template <typename Page, typename TryRead, typename ReadUnsized>
Result<Page> read_steadily(const Call& call, OpenFile file, const TryRead& attempt, const ReadUnsized& read_unsized) {
  Attempt outcome = Attempt::changed;
  for (int tries = 0; tries < limits::kReadAttempts; ++tries) {
    if (tries > 0) BERTH_CHECK(call.check());
    if (file.stat.st_size == 0) {
      BERTH_TRY(const bool unsized, is_unsized(file));
      if (unsized) return read_unsized(file);
    }
    Result<Page> page = Page{};
    BERTH_TRY(outcome, attempt(file, page));
    if (outcome == Attempt::done) return page;
  }
  // A file that is cut while it is read shows its new size; one that ends early again and again has no true size.
  if (outcome == Attempt::ended_early) return read_unsized(file);
  return make_error(ErrorCode::changed_during_read, "the file kept changing while it was read");
}

}  // namespace berth::engine
