#pragma once

#include <string>

/// Where a transport takes what the server has to say. Frames are complete messages; every method is safe from any
/// thread, never blocks for long where the client does not read, and does nothing once the client is gone.
namespace berth::mcp {

/// The way back of one request. Exactly one of `answer` and `abandon` is called, once, last.
class Reply {
 public:
  Reply() = default;
  virtual ~Reply() = default;
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;

  /// A notification that belongs to the request.
  virtual void notify(std::string frame) = 0;
  /// The answer. `error_code` is 0 for a result.
  virtual void answer(std::string frame, int error_code) = 0;
  /// The request was cancelled and gets no answer.
  virtual void abandon() = 0;
};

/// The way of notifications that belong to no request.
class Outlet {
 public:
  Outlet() = default;
  virtual ~Outlet() = default;
  Outlet(const Outlet&) = delete;
  Outlet& operator=(const Outlet&) = delete;

  virtual void announce(std::string frame) = 0;
};

}  // namespace berth::mcp
