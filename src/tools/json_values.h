#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "contract/commands.h"
#include "contract/files.h"
#include "contract/search.h"

/// How values of the contract look in JSON, on every surface. Keys are the members' names in C++ and Python too; their
/// schemas are in value_fields.h.
namespace berth::tools {

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

}  // namespace berth::tools
