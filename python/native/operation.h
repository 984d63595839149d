#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "base/call.h"
#include "os/fd.h"
#include "raise.h"
#include "values.h"

namespace berth::python {

namespace nb = nanobind;

class Operation;

/// Where calls that have ended are put for an event loop, which waits for `fileno` to become readable and then takes
/// them. The thread that ran a call needs no GIL for this, so it never waits for Python.
class Completions final {
 public:
  Completions();

  int fileno() const noexcept { return event_.get(); }
  /// The waiters of the calls that have ended since.
  nb::list drain();

 private:
  friend class Operation;

  void put(Operation& ended);
  void forget(Operation& gone);

  std::mutex mutex_;
  std::vector<Operation*> ended_;
  os::Fd event_;
};

/// Whether a call may take long by itself: then it can be interrupted by a signal.
enum class Takes : std::uint8_t { a_moment, a_while };

/// One call: its arguments, then its outcome. Runs once, on the thread that asks or on one of the pool, never with the
/// GIL. What it refers to lives as long as it does.
class Operation {
 public:
  explicit Operation(Takes takes) : takes_(takes) {}
  /// A call that still runs is stopped and waited for.
  virtual ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// Run to the end on this thread. A call that takes a while is stopped by a signal whose handler raises.
  nb::object run(std::optional<double> timeout);

  /// Begin on a thread of the pool; `waiter` turns up in `completions` when the call has ended.
  void start(std::optional<double> timeout, std::shared_ptr<Completions> completions, nb::object waiter);
  /// Have this one told instead; false when the call has ended.
  bool wait_for_end(nb::object waiter);
  /// Ask for the end.
  void stop() { stop_.request_stop(); }
  /// Raise the error or give the value, once, when the call has ended.
  virtual nb::object take() = 0;

 protected:
  virtual void perform(const Call& call) noexcept = 0;
  /// Stop and wait: for the destructors of those who own what `perform` uses.
  void finish() noexcept;

 private:
  friend class Completions;

  enum class State : std::uint8_t { fresh, running, ended };

  void begin(std::optional<double> timeout);
  void ended() noexcept;
  void hand_over();
  bool wait_until(Clock::time_point when);

  const Takes takes_;
  Deadline deadline_ = Deadline::never();
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::fresh;
  bool threaded_ = false;  // a thread of the pool has, or had, this object
  std::shared_ptr<Completions> completions_;
  nb::object waiter_;
};

/// `Work` is called with a Call and gives a Result; a `to_python` for its value must be found.
template <typename Work>
class WorkOperation final : public Operation {
 public:
  using Outcome = std::invoke_result_t<Work&, const Call&>;

  WorkOperation(Takes takes, Work work) : Operation(takes), work_(std::move(work)) {}
  ~WorkOperation() override { finish(); }

  nb::object take() override {
    if (!outcome_) throw nb::value_error("the call has not ended, or its outcome was taken");
    Outcome outcome = std::move(*outcome_);
    outcome_.reset();
    if (!outcome) raise(outcome.error());
    if constexpr (std::is_void_v<typename Outcome::value_type>) {
      return nb::none();
    } else {
      return to_python(std::move(outcome).value());
    }
  }

 protected:
  void perform(const Call& call) noexcept override {
    try {
      outcome_.emplace(work_(call));
    } catch (const std::bad_alloc&) {
      outcome_.emplace(make_error(ErrorCode::too_large, "there is not enough memory for this"));
    } catch (const std::exception&) {
      outcome_.emplace(make_error(ErrorCode::internal, "a call failed in a way that it should not"));
    }
  }

 private:
  Work work_;
  std::optional<Outcome> outcome_;
};

template <typename Work>
std::unique_ptr<Operation> operation(Takes takes, Work work) {
  return std::make_unique<WorkOperation<Work>>(takes, std::move(work));
}

void bind_operations(nb::module_& module);

}  // namespace berth::python
