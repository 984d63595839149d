#include "tools/job_output.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "tools/text.h"

namespace berth::tools {
namespace {

constexpr std::size_t kLongestCharacter = 4;

bool continues_a_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

/// Where the last character begins that is not all there; the size when all are.
std::size_t whole_characters(BytesView bytes) {
  const std::size_t most = std::min(kLongestCharacter - 1, bytes.size());
  for (std::size_t back = 1; back <= most; ++back) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if (continues_a_character(static_cast<char>(byte))) continue;
    const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.size() - back : bytes.size();
  }
  return bytes.size();
}

}  // namespace

const Fields<JobText>& JobText::fields() {
  static const auto table =
      Fields<JobText>()
          .bytes("content", &JobText::content, "")
          .field("offset", &JobText::offset, "Of `content`, in bytes from the start")
          .field("next_offset", &JobText::next_offset, "Where to read on")
          .field("total_bytes", &JobText::total_bytes, "Printed so far")
          .field("dropped_bytes", &JobText::dropped_bytes, "Before `content`: printed, and no longer kept");
  return table;
}

Result<JobText> job_text(const Call& call, ToolSession& session, const JobId& id, JobStream stream,
                         std::optional<std::int64_t> offset, std::int64_t max_bytes) {
  auto& workspace = session.workspace();
  JobRead request{.stream = stream, .offset = offset.value_or(0), .max_bytes = max_bytes};
  if (!offset) {
    BERTH_TRY(const auto job, workspace.job(call, id));
    const auto& totals = stream == JobStream::out ? job.out : job.err;
    request.offset = std::max<std::int64_t>(0, totals.total_bytes - max_bytes);
  }
  BERTH_TRY(auto page, workspace.read_job(call, id, request));
  JobText text{.content = std::move(page.content),
               .offset = page.offset,
               .next_offset = page.next_offset,
               .total_bytes = page.total_bytes,
               .dropped_bytes = page.dropped_bytes};
  // The end of an output begins anywhere.
  std::size_t partial = 0;
  while (!offset && text.offset > 0 && partial < std::min(kLongestCharacter - 1, text.content.size()) &&
         continues_a_character(text.content[partial])) {
    ++partial;
  }
  text.content.erase(0, partial);
  text.offset += static_cast<std::int64_t>(partial);
  // The rest of a last character comes with the next page, unless nothing comes.
  const auto whole = whole_characters(text.content);
  if (!page.ended && whole > 0) {
    text.next_offset -= static_cast<std::int64_t>(text.content.size() - whole);
    text.content.resize(whole);
  }
  return text;
}

std::string job_state_text(const JobInfo& job) {
  const double seconds = std::chrono::duration<double>(job.duration).count();
  std::string text;
  switch (job.state) {
    case JobState::running: return fmt::format("running for {:.1f} s", seconds);
    case JobState::exited: text = fmt::format("exit code {} after {:.1f} s", job.exit_code, seconds); break;
    case JobState::signaled: text = fmt::format("ended by signal {} after {:.1f} s", job.signal, seconds); break;
    case JobState::lost: text = "its end is not known: " + job.reason; break;
  }
  if (job.ended_by == JobEndedBy::timeout) text += "; it was ended at its timeout";
  if (job.ended_by == JobEndedBy::stop) text += "; it was stopped";
  if (job.survivors > 0) text += fmt::format("; {} could not be ended", counted(job.survivors, "process", "processes"));
  if (job.left_processes) text += "; something that it started still runs";
  return text;
}

std::string job_title(const JobInfo& job) {
  return job.name.empty() ? job.id.text : fmt::format("{} ({})", job.id.text, shown_name(job.name));
}

}  // namespace berth::tools
