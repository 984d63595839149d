#pragma once

#include "surface/cli/session.h"
#include "tools/value_fields.h"

/// How values look in the JSON that the command prints: as every surface spells them.
namespace berth::cli {

using tools::Json;
using tools::path_object;
using tools::put_bytes;
using tools::to_json;

inline std::string_view kind_name(FileKind kind) { return tools::enum_name(kind); }
inline std::string_view git_mode_name(GitMode mode) { return tools::enum_name(mode); }

/// Print one object and a newline.
void print_json(Session& session, const Json& object);

}  // namespace berth::cli
