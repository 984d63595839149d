#pragma once

#include <functional>
#include <string>

namespace berth::testing {

bool is_root() noexcept;

/// Run checks in a process of their own, for what cannot be undone in this one. Its failed expectations fail the test.
void in_child(const std::function<void()>& checks);

/// The same in several processes at once, which are told their number.
void in_children(int count, const std::function<void(int number)>& checks);

/// Whether this process may mount file systems of its own.
bool can_mount();

/// Let this process have mounts of its own, which end with it. What was opened before goes on showing the old ones.
void enter_own_mounts();

/// Mount an empty file system of at most `size_bytes`, or make what is mounted there read-only. For `enter_own_mounts`.
void mount_small_disk(const std::string& directory, int size_bytes);
void make_read_only(const std::string& directory);

/// Interrupts the system calls of this process every 100 µs while it lives.
class SignalStorm {
 public:
  SignalStorm();
  ~SignalStorm();
  SignalStorm(const SignalStorm&) = delete;
  SignalStorm& operator=(const SignalStorm&) = delete;
};

}  // namespace berth::testing
