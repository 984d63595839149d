#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/call.h"
#include "base/error.h"
#include "policy/rules/rule_spec.h"
#include "tools/json_values.h"

/// What agents can ask for. A tool reads JSON arguments, works through a `Workspace`, and answers for models (text) and
/// for programs (JSON) at once. Nothing here knows a transport or a provider.
namespace berth::tools {

class ToolSession;

/// Hints for clients that ask their users before a call. The names are those of the Model Context Protocol.
struct ToolAnnotations {
  bool read_only = false;
  bool destructive = false;  ///< may overwrite or remove what was there; only told of tools that change something
  bool idempotent = false;   ///< a second call with the same arguments changes nothing more
  bool open_world = false;   ///< reaches beyond the workspace: commands do

  bool operator==(const ToolAnnotations&) const = default;
};

/// What a workspace must be able to do for a tool to be offered.
struct ToolNeeds {
  bool reads = false;
  bool writes = false;
  bool commands = false;
  bool search = false;
  bool jobs = false;
  bool transactions = false;

  bool operator==(const ToolNeeds&) const = default;
};

struct ToolInfo {
  std::string name;         ///< `[A-Za-z0-9_.-]{1,128}`
  std::string title;        ///< for people
  std::string description;  ///< for models: what it does, what it answers, what to do when it refuses
  Json input_schema;        ///< JSON Schema 2020-12 without `prefixItems`; unknown arguments are refused
  Json output_schema;       ///< of `ToolResult::structured` when the outcome is success
  ToolAnnotations annotations;
  ToolNeeds needs;
  /// What it does, in the words of permission rules. Where rules deny all of these it is not offered.
  std::vector<Operation> uses;
};

/// An image, a sound or a document that a result carries beside its text.
struct Media {
  enum class Kind { image, audio, document };

  Kind kind = Kind::image;
  std::string media_type;  ///< "image/png", "audio/mpeg", "application/pdf", …
  Bytes content;

  bool operator==(const Media&) const = default;
};

struct ToolResult {
  /// `retry`: the arguments can be mended, and the text says how. `failed`: asking again in other words does not help.
  enum class Outcome { success, retry, failed };

  Outcome outcome = Outcome::success;
  std::string text;  ///< the rendering for models; valid UTF-8, bounded
  Json structured;   ///< success: as `output_schema` says; else `{"error": {"code": …, "message": …, "hint": …}}`
  std::vector<Media> media;

  bool operator==(const ToolResult&) const = default;
};

/// Hears how far a long call has come. Called from the thread of the call, one at a time.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  /// `done` grows from call to call; `total` is 0 while it is not known; `message` says what is going on.
  virtual void progress(double done, double total, std::string_view message) = 0;
};

/// One thing that can be asked. Stateless: what a conversation has seen is in its `ToolSession`. Safe from many
/// threads.
class Tool {
 public:
  Tool() = default;
  virtual ~Tool() = default;
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;

  virtual const ToolInfo& info() const noexcept = 0;

  /// Do it. Arguments that do not fit the schema, and operations that were refused, are results too: `retry` or
  /// `failed`. Returns no later than the call's deadline; a stopped call ends what it started. `progress` may be null.
  virtual ToolResult call(const Call& call, ToolSession& session, const Json& arguments,
                          ProgressSink* progress) const = 0;
};

}  // namespace berth::tools
