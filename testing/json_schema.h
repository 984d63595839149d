#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace berth::testing {

/// Say where a value does not fit a JSON Schema (2020-12), as `/path: what is wrong`; nothing when it fits.
///
/// Knows what our schemas use: type, enum, properties, required, additionalProperties, items, minimum, maximum,
/// minLength, maxLength, minItems, maxItems. A keyword that it does not know is a fault too, so that none goes
/// unchecked; title, description, default and contentEncoding say nothing about validity.
std::vector<std::string> schema_faults(const nlohmann::ordered_json& schema, const nlohmann::ordered_json& value);

}  // namespace berth::testing
