#include "testing/json_schema.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace berth::testing {
namespace {

using Json = nlohmann::ordered_json;
using Faults = std::vector<std::string>;

bool is_type(const std::string& type, const Json& value) {
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "null") return value.is_null();
  if (type == "number") return value.is_number();
  if (type == "integer") {
    return value.is_number_integer() ||
           (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>());
  }
  return false;
}

// Characters, not bytes.
double length_of(const std::string& text) {
  return static_cast<double>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

class Check {
 public:
  explicit Check(Faults& faults) : faults_(faults) {}

  void operator()(const Json& schema, const Json& value, const std::string& at) {
    if (schema.is_boolean()) {
      if (!schema.get<bool>()) fault(at, "nothing may stand here");
      return;
    }
    if (!schema.is_object()) return fault(at, "the schema is no object");
    for (const auto& [keyword, rule] : schema.items()) apply(schema, keyword, rule, value, at);
  }

 private:
  void fault(const std::string& at, const std::string& what) {
    faults_.push_back((at.empty() ? "/" : at) + ": " + what);
  }

  void bound(bool holds, const std::string& keyword, const Json& rule, const std::string& at) {
    if (!holds) fault(at, keyword + " is " + rule.dump());
  }

  void apply(const Json& schema, const std::string& keyword, const Json& rule, const Json& value,
             const std::string& at) {
    if (keyword == "type") {
      const auto types = rule.is_array() ? rule : Json::array({rule});
      if (std::none_of(types.begin(), types.end(),
                       [&](const Json& type) { return is_type(type.get<std::string>(), value); })) {
        fault(at, "is no " + rule.dump());
      }
    } else if (keyword == "enum") {
      if (std::find(rule.begin(), rule.end(), value) == rule.end()) fault(at, "is none of " + rule.dump());
    } else if (keyword == "minimum") {
      bound(!value.is_number() || value.get<double>() >= rule.get<double>(), keyword, rule, at);
    } else if (keyword == "maximum") {
      bound(!value.is_number() || value.get<double>() <= rule.get<double>(), keyword, rule, at);
    } else if (keyword == "minLength") {
      bound(!value.is_string() || length_of(value.get<std::string>()) >= rule.get<double>(), keyword, rule, at);
    } else if (keyword == "maxLength") {
      bound(!value.is_string() || length_of(value.get<std::string>()) <= rule.get<double>(), keyword, rule, at);
    } else if (keyword == "minItems") {
      bound(!value.is_array() || value.size() >= rule.get<std::size_t>(), keyword, rule, at);
    } else if (keyword == "maxItems") {
      bound(!value.is_array() || value.size() <= rule.get<std::size_t>(), keyword, rule, at);
    } else if (keyword == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
        (*this)(rule, value[i], at + "/" + std::to_string(i));
      }
    } else if (keyword == "required") {
      for (const auto& name : rule) {
        if (value.is_object() && !value.contains(name.get<std::string>())) fault(at, "lacks " + name.dump());
      }
    } else if (keyword == "properties") {
      for (const auto& [name, inner] : rule.items()) {
        if (value.is_object() && value.contains(name)) (*this)(inner, value[name], at + "/" + name);
      }
    } else if (keyword == "additionalProperties") {
      const auto known = schema.contains("properties") ? schema["properties"] : Json::object();
      if (!value.is_object()) return;
      for (const auto& [name, inner] : value.items()) {
        if (!known.contains(name)) (*this)(rule, inner, at + "/" + name);
      }
    } else if (keyword != "title" && keyword != "description" && keyword != "default" && keyword != "contentEncoding") {
      fault(at, "the schema has the unknown keyword " + keyword);
    }
  }

  Faults& faults_;
};

}  // namespace

std::vector<std::string> schema_faults(const nlohmann::ordered_json& schema, const nlohmann::ordered_json& value) {
  Faults faults;
  Check check(faults);
  check(schema, value, "");
  return faults;
}

}  // namespace berth::testing
