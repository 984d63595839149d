#pragma once

#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "surface/cli/json_internal.h"
#include "workspace/edit/edit.h"

namespace berth::cli {

/// Read a JSON text; anything else is `invalid_argument` and says what `what` is not.
Result<Json> parse_json(BytesView text, std::string_view what);

/// Read a string member, or bytes under the same name with `_b64` behind it. False when the key is neither. Errors do
/// not say where the object stands.
Result<bool> take_bytes(std::string_view key, const Json& value, std::string_view name, std::optional<Bytes>& into);

/// Read `[{"old": …, "new": …, "count": N or "all": true}, …]`. A key that is not known is `invalid_argument`.
Result<std::vector<Edit>> edits_from_json(const Json& list);

}  // namespace berth::cli
