#pragma once

#include <sys/types.h>

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/call.h"
#include "os/fd.h"
#include "os/features.h"

namespace berth::engine {

/// The channel to one keeper: one command at a time (see wire.h).
struct KeeperChannel {
  os::Fd socket;
  std::uint64_t number = 0;
};

/// Send one message with descriptors; 0, or the errno value. Never waits and never raises SIGPIPE.
int send_with_descriptors(int socket, BytesView message, std::span<const int> descriptors);

/// The supervisor process and its keepers. Started on first use, started again when it was killed, ended with this
/// object. Safe from many threads. In a process forked from the one that made it, it starts a supervisor of its own.
class SupervisorClient final {
 public:
  explicit SupervisorClient(const os::Features& features);
  ~SupervisorClient();
  SupervisorClient(const SupervisorClient&) = delete;
  SupervisorClient& operator=(const SupervisorClient&) = delete;

  /// Hand a run request to an idle keeper, or to a new one. Nothing was started when this fails: `unavailable`.
  Result<KeeperChannel> start(BytesView request, std::span<const int> descriptors);

  /// Take back a keeper that has nothing left to do.
  void give_back(KeeperChannel keeper);

  /// After a keeper died: wait until what it left behind has been ended. False when that is not certain.
  bool settle(const KeeperChannel& keeper, const Deadline& deadline);

 private:
  Result<KeeperChannel> new_keeper();
  Result<void> start_process();
  void end_process();
  void forget_after_fork();

  const os::Features features_;

  std::mutex mutex_;
  pid_t owner_;
  pid_t pid_ = -1;
  os::Fd socket_;
  std::vector<KeeperChannel> idle_;
  std::uint64_t next_number_ = 1;
};

}  // namespace berth::engine
