#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "guest/client/guest_backend.h"
#include "guest/client/guest_process.h"
#include "guest/program/server.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace berth::guest {

inline Path path(std::string_view text) { return parse_path(text, {}).value(); }

inline Call within(std::chrono::milliseconds time) { return {Deadline::after(time), {}, {}}; }
inline Call soon() { return within(std::chrono::seconds(60)); }

/// What a machine under load may add to the times the contract promises.
inline constexpr std::chrono::milliseconds kSlack{1000};

struct Ends {
  Channel client;
  os::Fd in;  ///< of the guest
  os::Fd out;
};

inline Ends make_ends() {
  Ends ends;
  int pair[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  ends.client.in.reset(pair[0]);
  ends.client.out.reset(::fcntl(pair[0], F_DUPFD_CLOEXEC, 0));
  ends.in.reset(pair[1]);
  ends.out.reset(::fcntl(pair[1], F_DUPFD_CLOEXEC, 0));
  return ends;
}

inline BackendOptions on(const std::string& directory) {
  return {.provider = "guest",
          .isolation = "none",
          .confinement = Confinement::root,
          .ref = {},
          .resource_key = {},
          .open = {.directory = directory}};
}

/// A guest in a thread of this process, so that sanitizers see both sides.
class InThread final {
 public:
  InThread() {
    ::signal(SIGPIPE, SIG_IGN);
    auto ends = make_ends();
    channel_ = std::move(ends.client);
    server_ = std::make_unique<Server>(std::move(ends.in), std::move(ends.out), open_on_host);
    thread_ = std::jthread([this] { server_->serve(std::chrono::seconds(60)); });
  }

  /// Once.
  Channel channel() { return std::move(channel_); }

 private:
  Channel channel_;
  std::unique_ptr<Server> server_;
  std::jthread thread_;
};

/// What is said by somebody who only pretends to be a guest.
class Pretender final {
 public:
  explicit Pretender(std::function<void(int in, int out)> act) {
    auto ends = make_ends();
    channel_ = std::move(ends.client);
    thread_ = std::jthread([act = std::move(act), in = std::move(ends.in), out = std::move(ends.out)]() mutable {
      act(in.get(), out.get());
      in.reset();
      out.reset();
    });
  }

  Channel channel() { return std::move(channel_); }

 private:
  Channel channel_;
  std::jthread thread_;
};

/// Write everything; the other side may have gone.
inline void say(int fd, BytesView bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

inline Bytes greeting() {
  Bytes frame;
  append_frame(frame, FrameKind::hello, 0, 0, encode_hello({}));
  return frame;
}

/// Read until a frame of a kind has come, or the end.
inline bool hear(int fd, FrameKind kind, FrameParser& parser) {
  char buffer[4096];
  while (true) {
    while (true) {
      const auto frame = parser.next();
      if (!frame) return false;
      if (!*frame) break;
      if ((*frame)->kind == kind) return true;
    }
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got <= 0) return false;
    parser.add({buffer, static_cast<std::size_t>(got)});
  }
}

}  // namespace berth::guest
