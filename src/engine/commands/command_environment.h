#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "contract/commands.h"

namespace berth::engine {

/// Strings as a run request carries them: each ended by NUL.
struct StringBlock {
  Bytes bytes;
  std::uint32_t count = 0;

  void add(BytesView text);
  void add(BytesView name, BytesView value);  ///< as name=value

  bool operator==(const StringBlock&) const = default;
};

/// What commands find in their environment (C-RUN-1): the allow-listed variables of this process as they were when this
/// object was made, the workspace's own over them, then what the command takes away and sets.
class CommandEnvironment final {
 public:
  using Variables = std::vector<std::pair<std::string, Bytes>>;

  /// `inherited` is an environ array, null after clearenv(3); `own` may hold bad names, which `build` reports.
  CommandEnvironment(const char* const* inherited, Variables own);

  /// Errors: `invalid_argument` for a name that is empty or holds `=` or NUL, and for a value with NUL.
  Result<StringBlock> build(const CommandSpec& spec) const;

  /// Whether a variable of this process is passed on.
  static bool is_inherited(std::string_view name) noexcept;

 private:
  Variables inherited_;
  Variables own_;
};

}  // namespace berth::engine
