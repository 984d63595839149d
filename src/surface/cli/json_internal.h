#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "contract/commands.h"
#include "contract/files.h"
#include "contract/search.h"
#include "surface/cli/session.h"

/// How values look in the JSON that the command prints. Keys are the members' names in C++ and Python too.
namespace berth::cli {

/// Keeps keys in the order they were written in: readers are people too.
using Json = nlohmann::ordered_json;

/// Set `key` to bytes as text; when they are not UTF-8, `key_b64` holds them exactly (C-PATH-7).
void put_bytes(Json& object, std::string_view key, BytesView bytes);

/// An object with the path as the caller gave it or as a listing names it.
Json path_object(std::string_view path);

Json to_json(const FileStat& stat);
Json to_json(const Error& error);
Json to_json(const StreamOutput& output);
Json to_json(const std::vector<Unreadable>& unreadable);

std::string_view kind_name(FileKind kind);
std::string_view git_mode_name(GitMode mode);

/// Print one object and a newline.
void print_json(Session& session, const Json& object);

}  // namespace berth::cli
