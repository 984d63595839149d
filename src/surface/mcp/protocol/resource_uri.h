#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace berth::mcp {

/// Resources are the files of the workspace: `workspace:///src/a.cc`. The path is root-relative and percent-encoded
/// byte by byte, so every name has a URI, also one that is not UTF-8. No host path appears in it.
inline constexpr std::string_view kFileTemplate = "workspace:///{+path}";

std::string uri_of_path(BytesView path);

/// The path; nothing when the URI is of another kind or badly encoded. It is not checked further: the workspace does.
std::optional<Bytes> path_of_uri(std::string_view uri);

/// By the ending of the name; empty when it tells nothing.
std::string_view media_type_of(std::string_view path);

}  // namespace berth::mcp
