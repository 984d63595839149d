#include "engine/commands/run_payload.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace berth::engine {
namespace {

StringBlock words_of(const CommandSpec& spec) {
  StringBlock words;
  if (spec.argv.empty()) {
    for (const BytesView word : {BytesView("/bin/sh"), BytesView("-c"), BytesView("--"), BytesView(spec.script)}) {
      words.add(word);
    }
  } else {
    for (const auto& word : spec.argv) words.add(word);
  }
  return words;
}

}  // namespace

Result<RunPayload> make_run_payload(const CommandSpec& spec, const StringBlock& environment) {
  const StringBlock words = words_of(spec);
  RunPayload payload;
  payload.request.words = words.count;
  payload.request.variables = environment.count;
  payload.request.payload_bytes = words.bytes.size() + environment.bytes.size();
  if (payload.request.payload_bytes > wire::kInlinePayload) {
    payload.request.in_file = 1;
    BERTH_TRY(payload.file, file_in_memory(words.bytes + environment.bytes));
  } else {
    payload.inline_bytes = words.bytes + environment.bytes;
  }
  return payload;
}

Result<os::Fd> file_in_memory(BytesView bytes) {
  os::Fd file(::memfd_create("berth-command", MFD_CLOEXEC));
  if (!file) return errno_error(errno, "pass the command on");
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return errno_error(errno, "pass the command on");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

}  // namespace berth::engine
