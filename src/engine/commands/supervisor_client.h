#pragma once

#include <sys/types.h>

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/call.h"
#include "engine/commands/wire.h"
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

  /// Whether the keeper has not taken the request it was sent.
  static bool is_untaken(const KeeperChannel& keeper) noexcept;

  /// Give up a keeper that does not take its request: have it killed, and the supervisor with it when that does not
  /// answer either, so that the next command gets new ones. Takes no longer than a second after the deadline.
  void abandon(KeeperChannel keeper, const Deadline& deadline);

 private:
  bool ask_to_settle(wire::Kind kind, const KeeperChannel& keeper, const Deadline& deadline);
  Result<KeeperChannel> new_keeper();
  Result<void> start_process();
  void end_process();
  void collect_dead();
  void forget_after_fork();

  const os::Features features_;

  std::mutex mutex_;
  pid_t owner_;
  pid_t pid_ = -1;
  os::Fd socket_;
  std::vector<KeeperChannel> idle_;
  std::vector<pid_t> dead_;  ///< killed, and kept from being collected by who traces them
  std::uint64_t next_number_ = 1;
};

}  // namespace berth::engine
