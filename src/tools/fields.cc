#include "tools/fields.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/base64.h"

namespace berth::tools {
namespace {

constexpr std::size_t kShownBytes = 60;

// What was given, short enough for a sentence.
std::string shown(const Json& json) {
  if (json.is_object()) return "an object";
  if (json.is_array()) return "a list";
  if (json.is_null()) return "null";
  const auto text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= kShownBytes) return text;
  return std::string(utf8_prefix(text, kShownBytes)) + "…";
}

std::string range_of(const Rule& rule) {
  if (rule.minimum && rule.maximum) return fmt::format(" from {} to {}", *rule.minimum, *rule.maximum);
  if (rule.minimum) return fmt::format(" of at least {}", *rule.minimum);
  if (rule.maximum) return fmt::format(" of at most {}", *rule.maximum);
  return "";
}

bool fits(double value, const Rule& rule) {
  return (!rule.minimum || value >= static_cast<double>(*rule.minimum)) &&
         (!rule.maximum || value <= static_cast<double>(*rule.maximum));
}

bool fits(std::int64_t value, const Rule& rule) {
  return (!rule.minimum || value >= *rule.minimum) && (!rule.maximum || value <= *rule.maximum);
}

Error argument_error(std::string_view where, std::string message) {
  auto error = make_error(ErrorCode::invalid_argument, decode_utf8(message).text);
  if (where.empty()) return error;
  return std::move(error).with("argument", std::string(where));
}

std::string named(std::string_view where) {
  return where.empty() ? std::string("the arguments") : fmt::format("`{}`", where);
}

void put_bounds(Json& schema, const Rule& rule, const char* minimum, const char* maximum) {
  if (rule.minimum) schema[minimum] = *rule.minimum;
  if (rule.maximum) schema[maximum] = *rule.maximum;
}

}  // namespace

std::string inside(std::string_view where, std::string_view name) {
  return where.empty() ? std::string(name) : fmt::format("{}.{}", where, name);
}

std::string item_of(std::string_view where, std::size_t index) { return fmt::format("{}[{}]", where, index); }

Error wrong_argument(std::string_view where, std::string_view should_be, const Json& given) {
  return argument_error(where, fmt::format("{} must be {}, not {}", named(where), should_be, shown(given)));
}

Error missing_argument(std::string_view where) {
  return argument_error(where, fmt::format("the argument `{}` is missing", where));
}

Result<bool> read_boolean(const Json& json, std::string_view where) {
  if (!json.is_boolean()) return wrong_argument(where, "true or false", json);
  return json.get<bool>();
}

Result<std::int64_t> read_integer(const Json& json, std::string_view where, const Rule& rule) {
  const auto wrong = [&] { return wrong_argument(where, "a whole number" + range_of(rule), json); };
  std::int64_t value = 0;
  if (json.is_number_unsigned()) {
    const auto wide = json.get<std::uint64_t>();
    if (wide > static_cast<std::uint64_t>(INT64_MAX)) return wrong();
    value = static_cast<std::int64_t>(wide);
  } else if (json.is_number_integer()) {
    value = json.get<std::int64_t>();
  } else if (json.is_number_float()) {
    // 5.0 is a whole number to JSON.
    const double wide = json.get<double>();
    constexpr double kExact = 9007199254740992.0;
    if (!(std::abs(wide) <= kExact) || std::trunc(wide) != wide) return wrong();
    value = static_cast<std::int64_t>(wide);
  } else {
    return wrong();
  }
  if (!fits(value, rule)) return wrong();
  return value;
}

Result<double> read_number(const Json& json, std::string_view where, const Rule& rule) {
  if (!json.is_number() || !std::isfinite(json.get<double>()) || !fits(json.get<double>(), rule)) {
    return wrong_argument(where, "a number" + range_of(rule), json);
  }
  return json.get<double>();
}

Result<std::string> read_text(const Json& json, std::string_view where, const Rule& rule) {
  const auto* text = json.get_ptr<const std::string*>();
  if (text == nullptr) return wrong_argument(where, "a string", json);
  if (!fits(static_cast<std::int64_t>(text->size()), rule)) {
    return argument_error(where,
                          fmt::format("`{}` must have a length{} bytes, not {}", where, range_of(rule), text->size()));
  }
  return *text;
}

Result<Bytes> read_base64(const Json& json, std::string_view where) {
  const auto* text = json.get_ptr<const std::string*>();
  if (text == nullptr) return wrong_argument(where, "a string in base64", json);
  auto bytes = try_decode_base64(*text);
  if (!bytes) return wrong_argument(where, "a string in base64 with its padding", json);
  return std::move(*bytes);
}

Error wrong_choice(std::string_view where, std::span<const std::string_view> names, const Json& given) {
  return wrong_argument(where, fmt::format("one of {}", fmt::join(names, ", ")), given);
}

Result<void> check_items(std::size_t count, std::string_view where, const Rule& rule) {
  if (fits(static_cast<std::int64_t>(count), rule)) return {};
  return argument_error(where, fmt::format("`{}` must be a list{} items, not {}", where, range_of(rule), count));
}

Result<void> check_names(const Json& object, std::string_view where, std::span<const std::string> known) {
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::vector<std::string_view> wanted;
    for (const auto& one : known) {
      if (!one.ends_with("_b64")) wanted.push_back(one);
    }
    const auto place = where.empty() ? std::string("this tool") : fmt::format("`{}`", where);
    return argument_error(
        inside(where, decode_utf8(name).text),
        wanted.empty() ? fmt::format("{} takes no arguments, so not `{}`", place, name)
                       : fmt::format("{} has no argument `{}`; it takes {}", place, name, fmt::join(wanted, ", ")));
  }
  return {};
}

Json integer_schema(const Rule& rule) {
  Json schema = {{"type", "integer"}};
  put_bounds(schema, rule, "minimum", "maximum");
  return schema;
}

Json number_schema(const Rule& rule) {
  Json schema = {{"type", "number"}};
  put_bounds(schema, rule, "minimum", "maximum");
  return schema;
}

Json text_schema(const Rule& rule) {
  Json schema = {{"type", "string"}};
  put_bounds(schema, rule, "minLength", "maxLength");
  return schema;
}

Json list_schema(Json items, const Rule& rule) {
  Json schema = {{"type", "array"}, {"items", std::move(items)}};
  put_bounds(schema, rule, "minItems", "maxItems");
  return schema;
}

}  // namespace berth::tools
