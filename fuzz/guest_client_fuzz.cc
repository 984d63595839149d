// What a client makes of a guest that says anything: the frames, the answers, their decoding. No descriptor is read:
// the connection is fed through a socket pair that is closed behind the bytes.

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

#include "fuzz/require.h"
#include "guest/client/guest_backend.h"
#include "guest/client/remote_faces.h"

using namespace berth;

namespace {

/// Does not care what it hears.
class Deaf final : public OutputSink {
 public:
  void write(Stream, BytesView bytes) override { heard += bytes.size(); }
  std::size_t heard = 0;
};

class Everything final : public PathFilter {
 public:
  bool leaves_out(std::string_view path) const override { return path.size() % 2 == 0; }
};

/// The codes with which a connection may end.
void require_ended(const Error& error) {
  FUZZ_REQUIRE(error.code == ErrorCode::protocol || error.code == ErrorCode::environment_gone);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kFits = 100'000;  // in the socket's buffer
  if (size > kFits) return 0;
  int pair[2];
  FUZZ_REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
  const os::Fd guest(pair[1]);
  guest::Channel channel;
  channel.in.reset(pair[0]);
  channel.out.reset(::fcntl(pair[0], F_DUPFD_CLOEXEC, 0));
  Bytes bytes;
  guest::append_frame(bytes, guest::FrameKind::hello, 0, 0, guest::encode_hello({}));
  // The first byte says whether it greets well.
  if (size > 0 && data[0] % 8 == 0) bytes.clear();
  bytes.append(reinterpret_cast<const char*>(data), size);
  FUZZ_REQUIRE(::send(guest.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
  ::shutdown(guest.get(), SHUT_WR);

  const auto connection = guest::Connection::open({}, std::move(channel));
  if (!connection) {
    require_ended(connection.error());
    return 0;
  }
  Deaf sink;
  const Everything filter;
  const guest::Remote remote(*connection, 0);
  for (int number = 0; number < 64; ++number) {
    bool is_known = guest::with_operation(static_cast<guest::Method>(number), [&]<typename Op>(Op) {
      const auto answer = (*connection)->exchange({}, {.method = Op::kMethod, .sink = &sink, .filter = &filter});
      if (!answer) return require_ended(answer.error());
      guest::Decoder from(answer->message);
      const auto value = guest::get<typename Op::Answer>(from);
      if (!from.done()) return;
      // What can be read at all has one spelling.
      guest::Encoder to;
      guest::put(to, value);
      FUZZ_REQUIRE(to.take() == answer->message);
    });
    (void)is_known;
  }
  return 0;
}
