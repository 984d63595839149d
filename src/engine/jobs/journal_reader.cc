#include "engine/jobs/journal_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "engine/jobs/job_store.h"
#include "engine/jobs/job_wire.h"
#include "os/fd.h"

namespace berth::engine {
namespace {

struct Segment {
  std::string name;
  std::int64_t begin = 0;
};

/// By offset: the names sort so.
Result<std::vector<Segment>> segments_of(int job_directory, JobStream stream) {
  const std::string_view prefix = job_wire::kSegmentPrefix[static_cast<std::size_t>(stream)];
  BERTH_TRY(const auto names, names_in(job_directory));
  std::vector<Segment> segments;
  for (const auto& name : names) {
    if (!name.starts_with(prefix) || name.size() != prefix.size() + job_wire::kSegmentDigits) continue;
    Segment segment{.name = name};
    const char* end = name.data() + name.size();
    const auto number = std::from_chars(name.data() + prefix.size(), end, segment.begin);
    if (number.ec == std::errc() && number.ptr == end) segments.push_back(std::move(segment));
  }
  return segments;
}

os::Fd open_segment(int job_directory, const std::string& name) {
  return os::Fd(::openat(job_directory, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

/// Append what a segment holds from a position in it on.
Result<void> append(Bytes& to, int file, std::int64_t position, std::int64_t max_bytes) {
  while (max_bytes > 0) {
    const auto before = to.size();
    const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(max_bytes, 256 * 1024));
    to.resize(before + wanted);
    const ssize_t got = ::pread(file, to.data() + before, wanted, position);
    to.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error(errno, "read the journal of the job");
    if (got == 0) return {};
    position += got;
    max_bytes -= got;
  }
  return {};
}

}  // namespace

Result<JournalPage> read_journal(int job_directory, JobStream stream, std::int64_t offset, std::int64_t max_bytes,
                                 std::int64_t end) {
  BERTH_TRY(const auto segments, segments_of(job_directory, stream));
  JournalPage page{.content = {}, .offset = offset};
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto at = page.offset + static_cast<std::int64_t>(page.content.size());
    const auto room = max_bytes - static_cast<std::int64_t>(page.content.size());
    // A segment that ends before is told by the beginning of the next.
    if (i + 1 < segments.size() && segments[i + 1].begin <= at) continue;
    const auto from = std::max(at, segments[i].begin);
    if (room <= 0 || from >= end || (from > at && !page.content.empty())) break;
    const os::Fd file = open_segment(job_directory, segments[i].name);
    if (!file && errno == ENOENT) continue;
    if (!file) return errno_error(errno, "read the journal of the job");
    if (page.content.empty()) page.offset = from;
    const auto before = page.content.size();
    BERTH_CHECK(append(page.content, file.get(), from - segments[i].begin, std::min(room, end - from)));
    // It ended before the offset: what is asked for begins in the next one, if anywhere.
    if (page.content.size() == before && page.content.empty()) page.offset = at;
  }
  if (page.content.empty()) page.offset = end;
  return page;
}

Result<JobStreamTotals> measure_journal(int job_directory, JobStream stream) {
  BERTH_TRY(const auto segments, segments_of(job_directory, stream));
  JobStreamTotals totals;
  std::int64_t held = 0;
  for (const auto& segment : segments) {
    struct stat status {};
    const os::Fd file = open_segment(job_directory, segment.name);
    if (!file || ::fstat(file.get(), &status) != 0) continue;
    held += status.st_size;
    totals.total_bytes = segment.begin + status.st_size;
  }
  totals.dropped_bytes = totals.total_bytes - held;
  return totals;
}

}  // namespace berth::engine
