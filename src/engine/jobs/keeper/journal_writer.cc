#include "engine/jobs/keeper/journal_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/jobs/job_wire.h"

namespace berth::supervisor {
namespace {

constexpr std::int64_t kSmallestSegment = 4096;

void name_segment(char (&name)[32], int stream, std::int64_t begin) {
  snprintf(name, sizeof name, "%s%0*lld", job_wire::kSegmentPrefix[stream], job_wire::kSegmentDigits,
           static_cast<long long>(begin));
}

}  // namespace

void JournalWriter::open(int directory, int stream, std::int64_t limit) {
  static_assert(kMaxSegments == job_wire::kSegments);
  directory_ = directory;
  stream_ = stream;
  segment_bytes_ = limit / kMaxSegments;
  if (segment_bytes_ < kSmallestSegment) segment_bytes_ = kSmallestSegment;
}

void JournalWriter::write(const char* bytes, std::size_t size) {
  while (size > 0) {
    if (file_ >= 0 && segments_[count_ - 1].size >= segment_bytes_) close_segment();
    if (file_ < 0 && !open_segment()) break;
    Segment& segment = segments_[count_ - 1];
    const std::int64_t room = segment_bytes_ - segment.size;
    const std::size_t wanted = room < static_cast<std::int64_t>(size) ? static_cast<std::size_t>(room) : size;
    const ssize_t written = ::write(file_, bytes, wanted);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      // What comes next is not at the end of this segment any more.
      close_segment();
      break;
    }
    segment.size += written;
    total_ += written;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  total_ += static_cast<std::int64_t>(size);
  dropped_ += static_cast<std::int64_t>(size);
}

void JournalWriter::close_segment() {
  if (file_ < 0) return;
  close(file_);
  file_ = -1;
  if (segments_[count_ - 1].size > 0) return;
  char name[32];
  name_segment(name, stream_, segments_[count_ - 1].begin);
  unlinkat(directory_, name, 0);
  --count_;
}

bool JournalWriter::open_segment() {
  if (count_ == kMaxSegments) drop_oldest();
  char name[32];
  name_segment(name, stream_, total_);
  file_ = openat(directory_, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file_ < 0) return false;
  segments_[count_++] = {.begin = total_, .size = 0};
  return true;
}

/// The beginning of an output is worth keeping as much as its end.
void JournalWriter::drop_oldest() {
  char name[32];
  name_segment(name, stream_, segments_[1].begin);
  unlinkat(directory_, name, 0);
  dropped_ += segments_[1].size;
  --count_;
  memmove(&segments_[1], &segments_[2], static_cast<std::size_t>(count_ - 1) * sizeof(Segment));
}

}  // namespace berth::supervisor
