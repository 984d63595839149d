#pragma once

#include "contract/jobs.h"

namespace berth::engine {

/// What a journal holds from an offset on.
struct JournalPage {
  Bytes content;
  std::int64_t offset = 0;  ///< of `content`; `end` when nothing is held from the offset on

  bool operator==(const JournalPage&) const = default;
};

/// Read from a stream's journal in a job's directory: the first bytes that are held at `offset` or later and before
/// `end`, as far as they follow each other, at most `max_bytes`. What is dropped meanwhile is passed over.
Result<JournalPage> read_journal(int job_directory, JobStream stream, std::int64_t offset, std::int64_t max_bytes,
                                 std::int64_t end);

/// What the journal of a stream holds, when nobody is left who counted.
Result<JobStreamTotals> measure_journal(int job_directory, JobStream stream);

}  // namespace berth::engine
