#include "operation.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include "arguments.h"
#include "worker_pool.h"

namespace berth::python {
namespace {

/// How often a thread that waits for a call looks for signals.
constexpr std::chrono::milliseconds kSignals{20};

/// The pool of this process. A child that was forked has none of its threads and gets one of its own.
struct Pool {
  std::unique_ptr<WorkerPool> workers = std::make_unique<WorkerPool>();
  pid_t process = getpid();
  std::thread::id main_thread = std::this_thread::get_id();
};

Pool* pool = nullptr;  // made when the module is imported

WorkerPool& workers() {
  if (pool->process != getpid()) {
    (void)pool->workers.release();  // its threads are in the parent; joining them here would wait for ever
    pool->workers = std::make_unique<WorkerPool>();
    pool->process = getpid();
    pool->main_thread = std::this_thread::get_id();
  }
  return *pool->workers;
}

}  // namespace

Completions::Completions() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_.get() < 0) throw nb::python_error();
}

void Completions::put(Operation& ended) {
  const std::lock_guard lock(mutex_);
  ended_.push_back(&ended);
  if (ended_.size() > 1) return;  // the loop was told of the first one and takes them all
  const std::uint64_t one = 1;
  (void)!write(event_.get(), &one, sizeof one);
}

void Completions::forget(Operation& gone) {
  const std::lock_guard lock(mutex_);
  std::erase(ended_, &gone);
}

nb::list Completions::drain() {
  std::vector<nb::object> ended;
  {
    // Nothing here can make Python collect garbage, and with it one of these calls.
    const std::lock_guard lock(mutex_);
    std::uint64_t count = 0;
    (void)!read(event_.get(), &count, sizeof count);
    ended.reserve(ended_.size());
    for (const Operation* operation : ended_) ended.push_back(operation->waiter_);
    ended_.clear();
  }
  nb::list waiters;
  for (auto& waiter : ended) waiters.append(waiter);
  return waiters;
}

Operation::~Operation() = default;

void Operation::finish() noexcept {
  if (!threaded_) return;
  stop_.request_stop();
  {
    const nb::gil_scoped_release without_gil;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return state_ == State::ended; });
  }
  if (completions_ != nullptr) completions_->forget(*this);
}

void Operation::begin(std::optional<double> timeout) {
  if (state_ != State::fresh) throw nb::value_error("a call runs once");
  if (timeout) deadline_ = Deadline::after(seconds_arg(*timeout, "timeout"));
  state_ = State::running;
}

void Operation::ended() noexcept {
  const std::lock_guard lock(mutex_);
  state_ = State::ended;
  // Under the lock, because whoever sees the end may destroy this object at once.
  if (completions_ != nullptr && waiter_.is_valid()) completions_->put(*this);
  changed_.notify_all();
}

void Operation::hand_over() {
  threaded_ = true;
  const bool taken = workers().submit([this] {
    perform(Call{deadline_, stop_.get_token(), {}});
    ended();
  });
  threaded_ = taken;
  if (!taken) {
    raise(make_error(ErrorCode::unavailable, "no thread can be made for the call"));
  }
}

bool Operation::wait_until(Clock::time_point when) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, when, [this] { return state_ == State::ended; });
}

nb::object Operation::run(std::optional<double> timeout) {
  begin(timeout);
  if (takes_ == Takes::a_moment || std::this_thread::get_id() != pool->main_thread) {
    nb::gil_scoped_release without_gil;
    perform(Call{deadline_, takes_ == Takes::a_while ? stop_.get_token() : std::stop_token(), {}});
    state_ = State::ended;
  } else {
    hand_over();
    for (bool ended = false; !ended;) {
      {
        nb::gil_scoped_release without_gil;
        ended = wait_until(Clock::now() + kSignals);
      }
      if (!ended && PyErr_CheckSignals() != 0) {
        nb::python_error raised;
        finish();
        throw raised;
      }
    }
  }
  return take();
}

void Operation::start(std::optional<double> timeout, std::shared_ptr<Completions> completions, nb::object waiter) {
  begin(timeout);
  completions_ = std::move(completions);
  waiter_ = std::move(waiter);
  hand_over();
}

bool Operation::wait_for_end(nb::object waiter) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::ended) return false;
  waiter_ = std::move(waiter);
  return true;
}

void bind_operations(nb::module_& module) {
  // Never destroyed: a thread may still be in a call when the interpreter ends, and is ended with the process.
  pool = new Pool();

  nb::class_<Completions>(module, "Completions")
      .def(nb::init<>())
      .def("fileno", &Completions::fileno)
      .def("drain", &Completions::drain);

  nb::class_<Operation>(module, "Operation")
      .def("run", &Operation::run, nb::arg("timeout").none())
      .def("start", &Operation::start, nb::arg("timeout").none(), nb::arg("completions"), nb::arg("waiter"))
      .def("wait_for_end", &Operation::wait_for_end)
      .def("stop", &Operation::stop)
      .def("take", &Operation::take);
}

}  // namespace berth::python
