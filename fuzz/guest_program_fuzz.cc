// What a guest makes of a client that says anything: the frames, the requests, their decoding. It opens no directory,
// so nothing is done; answers are read and let go.

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <thread>

#include "fuzz/require.h"
#include "guest/program/dispatch.h"
#include "guest/program/server.h"

using namespace berth;

namespace {

/// Reads every kind of request out of bytes, with nothing to do it on.
void decode_all(BytesView bytes) {
  for (int number = 0; number < 64; ++number) {
    const auto method = static_cast<guest::Method>(number);
    guest::Decoder arguments(bytes);
    const auto answer = guest::dispatch({}, {}, method, arguments, nullptr);
    FUZZ_REQUIRE(!answer);
    FUZZ_REQUIRE(answer.error().code == ErrorCode::protocol || answer.error().code == ErrorCode::unsupported);
    (void)guest::timeout_of(method, bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kFits = 100'000;  // in the socket's buffer
  if (size > kFits) return 0;
  const BytesView given(reinterpret_cast<const char*>(data), size);
  decode_all(given);
  // Threads are dear: what does not begin like frames of the protocol is told by its first header.
  guest::FrameParser parser;
  parser.add(given);
  const auto first = parser.next();
  if (!first || !*first) return 0;

  ::signal(SIGPIPE, SIG_IGN);
  int pair[2];
  FUZZ_REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
  const os::Fd client(pair[0]);
  os::Fd in(pair[1]);
  os::Fd out(::fcntl(pair[1], F_DUPFD_CLOEXEC, 0));
  Bytes bytes;
  if (data[0] % 8 != 0) guest::append_frame(bytes, guest::FrameKind::hello, 0, 0, guest::encode_hello({}));
  bytes += given;
  FUZZ_REQUIRE(::send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
  ::shutdown(client.get(), SHUT_WR);
  guest::Server server(std::move(in), std::move(out), [](const guest::OpenRequest&) {
    return make_error(ErrorCode::not_found, "there is no directory here");
  });
  FUZZ_REQUIRE(server.serve(std::chrono::seconds(60)));
  return 0;
}
