#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/call.h"
#include "surface/mcp/protocol/json_rpc.h"
#include "surface/mcp/reply.h"

/// What the server asks its client: a person by elicitation, a model by sampling, the client itself for its roots.
namespace berth::mcp {

struct Question {
  std::string method;  ///< `elicitation/create`, `sampling/createMessage` or `roots/list`
  Json params = Json::object();
};

/// Several, each by a key of its own.
using NamedQuestions = std::vector<std::pair<std::string, Question>>;

/// The capability that answers such a question: "elicitation", "sampling" or "roots".
std::string_view capability_of(const Question& question) noexcept;

/// Whether a client that declares these capabilities can be asked. Elicitation is by form: `{}`, or with a `form`.
bool covers(const Json& capabilities, const Question& question);

/// Whether a value has the shape of an answer to a question of this method.
bool is_answer(const Json& value, const Question& question);

/// The result that asks a client of the newer era: it answers by making the request again. `state` may be empty.
Json input_required(const NamedQuestions& questions, const std::string& state);

/// Requests of ours to one client of the older era, and who waits for the answers. Safe from many threads.
class Questions {
 public:
  /// `waiting` bounds how many wait at once, over all clients: each holds a thread. It must outlive this.
  explicit Questions(std::counting_semaphore<>& waiting) : waiting_(waiting) {}

  /// Send a question by `way` and wait for its answer. A wait that ends without one tells the client so.
  /// Errors: `cancelled`, `timed_out`; `rate_limited` when too many wait; `unavailable` when the client answered with
  /// an error, whose text is the field `client`; `protocol` for an answer of another shape.
  Result<Json> ask(const Call& call, const Question& question, Reply& way);

  /// Take an answer; one that nobody waits for is passed over.
  void answer(Response response);

 private:
  Result<Response> wait_for(const Call& call, const std::string& id);

  std::counting_semaphore<>& waiting_;
  std::mutex mutex_;
  std::condition_variable_any answered_;
  std::uint64_t last_ = 0;
  std::map<std::string, std::optional<Response>> open_;  ///< by id
};

/// What the `requestState` of results stands for: one question each, and good for one answer. Bounded; what is older
/// than `keep`, and the oldest of too many, is forgotten. Safe from many threads.
class RequestStates {
 public:
  RequestStates(std::size_t most, std::chrono::milliseconds keep) : most_(most), keep_(keep) {}

  /// Give out a state that cannot be guessed; nothing when the machine has no randomness.
  std::optional<std::string> add(std::string question);
  /// Whether the state was given out for exactly this question and not used yet. Uses it up.
  bool take(const std::string& state, const std::string& question);

 private:
  struct State {
    std::string question;
    Clock::time_point given;
    std::uint64_t turn = 0;
  };

  void forget_old();
  void forget_first();

  const std::size_t most_;
  const std::chrono::milliseconds keep_;
  std::mutex mutex_;
  std::uint64_t turn_ = 0;
  std::map<std::string, State> states_;
  std::map<std::uint64_t, std::string> by_turn_;  ///< oldest first
};

}  // namespace berth::mcp
