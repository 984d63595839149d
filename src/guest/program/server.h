#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/host/host_environment.h"
#include "guest/program/served_call.h"
#include "guest/protocol/frame.h"
#include "guest/protocol/hello.h"
#include "guest/protocol/operations.h"
#include "os/fd.h"

namespace berth::guest {

/// Opens the directory that a client names.
using OpenEnvironment = std::function<Result<std::unique_ptr<engine::HostEnvironment>>(const OpenRequest& request)>;

/// Open it on this host, with every feature that the kernel has.
Result<std::unique_ptr<engine::HostEnvironment>> open_on_host(const OpenRequest& request);

/// The guest's side of a connection: reads requests from one descriptor and answers them on another, many at once.
///
/// A thread that reads a request goes on to serve it, and another one reads on: no request is handed from thread to
/// thread. There are as many threads as calls were ever at work at once, and one more. SIGPIPE must be ignored.
class Server final : private Wire {
 public:
  Server(os::Fd in, os::Fd out, OpenEnvironment open);
  /// Waits for the calls at work; ends commands that are still running.
  ~Server() override;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Serve until the stream ends or breaks the protocol, then stop what is at work and wait for it, not longer than
  /// given. Whether everything had ended by then. Once.
  bool serve(std::chrono::milliseconds patience);

  /// Why the stream was given up; nothing when it just ended. After `serve`.
  const std::string& complaint() const noexcept { return complaint_; }

 private:
  void send(BytesView frames) override;

  void work();
  bool add_thread();
  std::shared_ptr<ServedCall> next_call();
  Result<std::shared_ptr<ServedCall>> on_frame(const Frame& frame);
  Result<std::shared_ptr<ServedCall>> on_request(const Frame& frame);
  Result<std::shared_ptr<ServedCall>> on_data(ServedCall& call, const Frame& frame, BytesView chunk);
  void on_cancel(const std::shared_ptr<ServedCall>& call, bool abandoned);
  void end_stream(std::string complaint);
  void serve_call(const std::shared_ptr<ServedCall>& call);
  void answer(ServedCall& call, const Result<Bytes>& result);
  Result<Bytes> open(const Call& call, Decoder& arguments);
  engine::HostEnvironment* environment();

  const os::Fd in_;
  const os::Fd out_;
  const OpenEnvironment open_;

  std::mutex reading_;  ///< held by the thread that reads; guards the next three
  FrameParser parser_;
  std::unique_ptr<char[]> buffer_;
  std::uint64_t last_stream_ = 0;

  std::mutex writing_;
  bool write_failed_ = false;  ///< guarded by writing_

  std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  bool ended_ = false;
  std::string complaint_;
  std::uint32_t window_ = 0;  ///< of the client; 0 until its hello
  std::map<std::uint64_t, std::shared_ptr<ServedCall>> calls_;
  std::unique_ptr<engine::HostEnvironment> environment_;
  bool opening_ = false;
  std::size_t idle_ = 0;
  std::size_t busy_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace berth::guest
