#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "path/path.h"
#include "tools/json_values.h"
#include "tools/tool.h"

/// How a struct looks in JSON, said once. From a table of fields come the parsing of arguments, the JSON of an answer,
/// and the JSON Schema of both.
///
///     struct LsRequest {
///       Bytes path = ".";
///       std::optional<std::int64_t> limit;
///       static const Fields<LsRequest>& fields();
///     };
///     const Fields<LsRequest>& LsRequest::fields() {
///       static const auto table = Fields<LsRequest>()
///           .bytes("path", &LsRequest::path, "The directory")
///           .field("limit", &LsRequest::limit, "At most this many entries", {.minimum = 1, .maximum = 500});
///       return table;
///     }
///
/// A member's type says what its JSON is: `bool`, `std::int64_t`, `double`, `std::string` (text), an enumeration with
/// `enum_names`, a struct with `fields`, and `std::vector`, `std::map<std::string, …>` and `std::optional` of these.
namespace berth::tools {

/// Which way the values go: arguments or answers.
enum class Direction { input, output };

/// What an argument must be besides its type.
struct Rule {
  enum class Need { optional, required };

  Need need = Need::optional;  ///< arguments only; the default of an optional one is the member's initial value
  std::optional<std::int64_t> minimum;  ///< of a number; of items in a list; of bytes in a text
  std::optional<std::int64_t> maximum;
};

inline constexpr Rule kRequired{.need = Rule::Need::required};

/// The spelling of one value of an enumeration. `std::span<const EnumName<E>> enum_names(E)` beside the enumeration
/// (found by its namespace) lists them all.
template <typename E>
struct EnumName {
  E value;
  std::string_view name;
};

template <typename E>
concept NamedEnum = std::is_enum_v<E> && requires(E value) { enum_names(value); };

template <NamedEnum E>
std::string_view enum_name(E value) {
  for (const auto& one : enum_names(value)) {
    if (one.value == value) return one.name;
  }
  return "";
}

// Reading and describing what has no template parameters; `where` names the argument in errors, as `edits[2].old`.
Error wrong_argument(std::string_view where, std::string_view should_be, const Json& given);
Result<bool> read_boolean(const Json& json, std::string_view where);
Result<std::int64_t> read_integer(const Json& json, std::string_view where, const Rule& rule);
Result<double> read_number(const Json& json, std::string_view where, const Rule& rule);
Result<std::string> read_text(const Json& json, std::string_view where, const Rule& rule);
Result<Bytes> read_base64(const Json& json, std::string_view where);
Error wrong_choice(std::string_view where, std::span<const std::string_view> names, const Json& given);
Result<void> check_items(std::size_t count, std::string_view where, const Rule& rule);
Result<void> check_names(const Json& object, std::string_view where, std::span<const std::string> known);
Error missing_argument(std::string_view where);
std::string inside(std::string_view where, std::string_view name);
std::string item_of(std::string_view where, std::size_t index);
Json integer_schema(const Rule& rule);
Json number_schema(const Rule& rule);
Json text_schema(const Rule& rule);
Json list_schema(Json items, const Rule& rule);

template <typename T>
class Fields;

/// The table of a struct: its own `fields()`, or `json_fields(const T*)` in its namespace.
template <typename T>
concept HasFields = requires { T::fields(); } || requires(const T* none) { json_fields(none); };

template <HasFields T>
const Fields<T>& fields_of() {
  if constexpr (requires { T::fields(); })
    return T::fields();
  else
    return json_fields(static_cast<const T*>(nullptr));
}

/// The JSON of one type.
template <typename T>
struct Shape;

template <>
struct Shape<bool> {
  static Json schema(Direction, const Rule&) { return {{"type", "boolean"}}; }
  static Result<bool> read(const Json& json, std::string_view where, const Rule&) { return read_boolean(json, where); }
  static Json write(bool value) { return value; }
};

template <>
struct Shape<std::int64_t> {
  static Json schema(Direction, const Rule& rule) { return integer_schema(rule); }
  static Result<std::int64_t> read(const Json& json, std::string_view where, const Rule& rule) {
    return read_integer(json, where, rule);
  }
  static Json write(std::int64_t value) { return value; }
};

template <>
struct Shape<double> {
  static Json schema(Direction, const Rule& rule) { return number_schema(rule); }
  static Result<double> read(const Json& json, std::string_view where, const Rule& rule) {
    return read_number(json, where, rule);
  }
  static Json write(double value) { return value; }
};

template <>
struct Shape<std::string> {
  static Json schema(Direction, const Rule& rule) { return text_schema(rule); }
  static Result<std::string> read(const Json& json, std::string_view where, const Rule& rule) {
    return read_text(json, where, rule);
  }
  static Json write(const std::string& value) { return decode_utf8(value).text; }
};

/// Opaque to callers, as change tokens are.
template <>
struct Shape<Revision> {
  static Json schema(Direction, const Rule& rule) { return text_schema(rule); }
  static Result<Revision> read(const Json& json, std::string_view where, const Rule& rule) {
    BERTH_TRY(auto text, read_text(json, where, rule));
    return Revision{std::move(text)};
  }
  static Json write(const Revision& value) { return value.text; }
};

template <>
struct Shape<ChangeToken> {
  static Json schema(Direction, const Rule& rule) { return text_schema(rule); }
  static Result<ChangeToken> read(const Json& json, std::string_view where, const Rule& rule) {
    BERTH_TRY(const auto text, read_text(json, where, rule));
    if (const auto token = ChangeToken::try_parse(text)) return *token;
    return wrong_argument(where, "a change token", json);
  }
  static Json write(const ChangeToken& value) { return value.text(); }
};

template <NamedEnum E>
struct Shape<E> {
  static std::vector<std::string_view> names() {
    std::vector<std::string_view> all;
    for (const auto& one : enum_names(E{})) all.push_back(one.name);
    return all;
  }
  static Json schema(Direction, const Rule&) { return {{"type", "string"}, {"enum", names()}}; }
  static Result<E> read(const Json& json, std::string_view where, const Rule&) {
    if (const auto* text = json.get_ptr<const std::string*>()) {
      for (const auto& one : enum_names(E{})) {
        if (one.name == *text) return one.value;
      }
    }
    return wrong_choice(where, names(), json);
  }
  static Json write(E value) { return enum_name(value); }
};

template <typename T>
struct Shape<std::vector<T>> {
  static Json schema(Direction direction, const Rule& rule) {
    return list_schema(Shape<T>::schema(direction, {}), rule);
  }
  static Result<std::vector<T>> read(const Json& json, std::string_view where, const Rule& rule) {
    if (!json.is_array()) return wrong_argument(where, "a list", json);
    BERTH_CHECK(check_items(json.size(), where, rule));
    std::vector<T> all;
    for (std::size_t i = 0; i < json.size(); ++i) {
      BERTH_TRY(auto one, Shape<T>::read(json[i], item_of(where, i), {}));
      all.push_back(std::move(one));
    }
    return all;
  }
  static Json write(const std::vector<T>& all) {
    Json list = Json::array();
    for (const auto& one : all) list.push_back(Shape<T>::write(one));
    return list;
  }
};

template <typename T>
struct Shape<std::map<std::string, T>> {
  static Json schema(Direction direction, const Rule&) {
    return {{"type", "object"}, {"additionalProperties", Shape<T>::schema(direction, {})}};
  }
  static Result<std::map<std::string, T>> read(const Json& json, std::string_view where, const Rule&) {
    if (!json.is_object()) return wrong_argument(where, "an object", json);
    std::map<std::string, T> all;
    for (const auto& [name, value] : json.items()) {
      BERTH_TRY(auto one, Shape<T>::read(value, inside(where, name), {}));
      all.emplace(name, std::move(one));
    }
    return all;
  }
  static Json write(const std::map<std::string, T>& all) {
    Json object = Json::object();
    for (const auto& [name, value] : all) object[decode_utf8(name).text] = Shape<T>::write(value);
    return object;
  }
};

template <typename T>
struct Shape<std::optional<T>> {
  static Json schema(Direction direction, const Rule& rule) { return Shape<T>::schema(direction, rule); }
  static Result<std::optional<T>> read(const Json& json, std::string_view where, const Rule& rule) {
    BERTH_TRY(auto value, Shape<T>::read(json, where, rule));
    return std::optional<T>(std::move(value));
  }
  static Json write(const std::optional<T>& value) { return value ? Shape<T>::write(*value) : Json(nullptr); }
};

template <HasFields T>
struct Shape<T> {
  static Json schema(Direction direction, const Rule&) { return fields_of<T>().schema(direction); }
  static Result<T> read(const Json& json, std::string_view where, const Rule&) {
    return fields_of<T>().read(json, where);
  }
  static Json write(const T& value) { return fields_of<T>().write(value); }
};

template <typename M>
inline constexpr bool kIsOptional = false;
template <typename M>
inline constexpr bool kIsOptional<std::optional<M>> = true;

/// The table of one struct, filled once and then only read.
template <typename T>
class Fields {
 public:
  /// A member whose type says its JSON. Absent in an answer when it is an empty `std::optional`.
  template <typename M>
  Fields field(std::string name, M T::*member, std::string_view description, const Rule& rule = {}) && {
    Field one;
    one.names = {name};
    if (rule.need == Rule::Need::required) one.needed = {name};
    if (!kIsOptional<M>) one.always = {name};
    one.describe = [=, text = std::string(description)](Json& properties, Direction direction) {
      Json schema = Shape<M>::schema(direction, rule);
      if (!text.empty()) schema["description"] = text;
      if constexpr (!kIsOptional<M>) {
        if (direction == Direction::input) put_default(schema, Shape<M>::write(T{}.*member), rule);
      }
      properties[name] = std::move(schema);
    };
    one.read = [=](const Json& object, std::string_view where, T& into) -> Result<void> {
      const auto found = object.find(name);
      if (found == object.end()) return absent(inside(where, name), rule);
      if (found->is_null() && rule.need == Rule::Need::optional) return {};
      BERTH_TRY(into.*member, Shape<M>::read(*found, inside(where, name), rule));
      return {};
    };
    one.write = [=](const T& from, Json& object) {
      if constexpr (kIsOptional<M>) {
        if (!(from.*member)) return;
      }
      object[name] = Shape<M>::write(from.*member);
    };
    return std::move(*this).with(std::move(one));
  }

  /// Bytes as text; `NAME_b64` beside it holds them exactly, in answers when they are not UTF-8, in arguments when the
  /// caller says so (C-PATH-7). The member is `Bytes`, `Path`, or an optional of one.
  template <typename M>
  Fields bytes(std::string name, M T::*member, std::string_view description, const Rule& rule = {}) && {
    constexpr bool is_optional = kIsOptional<M>;
    Field one;
    const std::string exact = name + "_b64";
    one.names = {name, exact};
    if (rule.need == Rule::Need::required) one.needed = {name};
    if (!is_optional) one.always = {name};
    one.describe = [=, text = std::string(description)](Json& properties, Direction direction) {
      Json schema = text_schema(rule);
      if (!text.empty()) schema["description"] = text;
      if constexpr (std::same_as<M, Bytes>) {
        if (direction == Direction::input) put_default(schema, T{}.*member, rule);
      }
      properties[name] = std::move(schema);
      properties[exact] = base64_schema(name, direction);
    };
    if constexpr (std::same_as<M, Bytes> || std::same_as<M, std::optional<Bytes>>) {
      one.read = [=](const Json& object, std::string_view where, T& into) -> Result<void> {
        if (const auto given = object.find(exact); given != object.end() && !given->is_null()) {
          BERTH_TRY(into.*member, read_base64(*given, inside(where, exact)));
          return {};
        }
        const auto found = object.find(name);
        if (found == object.end()) return absent(inside(where, name), rule);
        if (found->is_null() && rule.need == Rule::Need::optional) return {};
        BERTH_TRY(into.*member, read_text(*found, inside(where, name), rule));
        return {};
      };
    }
    one.write = [=](const T& from, Json& object) {
      if constexpr (is_optional) {
        if (from.*member) put_bytes(object, name, view_of(*(from.*member)));
      } else {
        put_bytes(object, name, view_of(from.*member));
      }
    };
    return std::move(*this).with(std::move(one));
  }

  /// A value of answers only that is made from the whole struct; a `get` that returns an optional may give none.
  template <typename Get>
  Fields computed(std::string name, Get get, std::string_view description) && {
    using M = std::invoke_result_t<Get, const T&>;
    Field one;
    one.names = {name};
    if (!kIsOptional<M>) one.always = {name};
    one.describe = [=, text = std::string(description)](Json& properties, Direction direction) {
      properties[name] = Shape<M>::schema(direction, {});
      if (!text.empty()) properties[name]["description"] = text;
    };
    one.write = [=](const T& from, Json& object) {
      const M value = get(from);
      if constexpr (kIsOptional<M>) {
        if (!value) return;
      }
      object[name] = Shape<M>::write(value);
    };
    return std::move(*this).with(std::move(one));
  }

  /// The same for bytes, with `NAME_b64` beside it.
  template <typename Get>
  Fields computed_bytes(std::string name, Get get, std::string_view description) && {
    constexpr bool is_optional = kIsOptional<std::invoke_result_t<Get, const T&>>;
    Field one;
    one.names = {name, name + "_b64"};
    if (!is_optional) one.always = {name};
    one.describe = [=, text = std::string(description)](Json& properties, Direction direction) {
      properties[name] = text_schema({});
      if (!text.empty()) properties[name]["description"] = text;
      properties[name + "_b64"] = base64_schema(name, direction);
    };
    one.write = [=](const T& from, Json& object) {
      if constexpr (is_optional) {
        if (const auto value = get(from)) put_bytes(object, name, view_of(*value));
      } else {
        put_bytes(object, name, view_of(get(from)));
      }
    };
    return std::move(*this).with(std::move(one));
  }

  /// The fields of a struct inside this one, as if they were its own.
  template <typename M>
  Fields inlined(M T::*member) && {
    const auto& inner = fields_of<M>();
    Field one;
    one.names = inner.names();
    one.needed = inner.needed();
    one.always = inner.always();
    one.describe = [&inner](Json& properties, Direction direction) { inner.describe(properties, direction); };
    one.read = [&inner, member](const Json& object, std::string_view where, T& into) {
      return inner.read_into(object, where, into.*member);
    };
    one.write = [&inner, member](const T& from, Json& object) { inner.write_into(from.*member, object); };
    return std::move(*this).with(std::move(one));
  }

  /// Parse an object. Unknown, missing and wrong arguments are `invalid_argument`; the error's field `argument` names
  /// it. An optional argument that is null counts as not given.
  Result<T> read(const Json& json, std::string_view where = {}) const {
    if (!json.is_object()) return wrong_argument(where, "an object", json);
    BERTH_CHECK(check_names(json, where, names_));
    T value{};
    BERTH_CHECK(read_into(json, where, value));
    return value;
  }

  Json write(const T& value) const {
    Json object = Json::object();
    write_into(value, object);
    return object;
  }

  void write_into(const T& value, Json& object) const {
    for (const auto& one : fields_) one.write(value, object);
  }

  Json schema(Direction direction) const {
    Json properties = Json::object();
    describe(properties, direction);
    Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
    const auto& required = direction == Direction::output ? always_ : needed_;
    if (!required.empty()) schema["required"] = required;
    schema["additionalProperties"] = false;
    return schema;
  }

  // The parts, for tables that this one is inlined in.
  Result<void> read_into(const Json& object, std::string_view where, T& value) const {
    for (const auto& one : fields_) {
      if (one.read) BERTH_CHECK(one.read(object, where, value));
    }
    return {};
  }
  void describe(Json& properties, Direction direction) const {
    for (const auto& one : fields_) one.describe(properties, direction);
  }
  const std::vector<std::string>& names() const noexcept { return names_; }
  const std::vector<std::string>& needed() const noexcept { return needed_; }
  const std::vector<std::string>& always() const noexcept { return always_; }

 private:
  struct Field {
    std::vector<std::string> names;   ///< in the object
    std::vector<std::string> needed;  ///< the names that arguments must hold
    std::vector<std::string> always;  ///< the names that every answer holds
    std::function<void(Json& properties, Direction)> describe;
    std::function<Result<void>(const Json& object, std::string_view where, T& into)> read;
    std::function<void(const T& from, Json& object)> write;
  };

  Fields with(Field one) && {
    names_.insert(names_.end(), one.names.begin(), one.names.end());
    needed_.insert(needed_.end(), one.needed.begin(), one.needed.end());
    always_.insert(always_.end(), one.always.begin(), one.always.end());
    fields_.push_back(std::move(one));
    return std::move(*this);
  }

  static Result<void> absent(const std::string& where, const Rule& rule) {
    if (rule.need == Rule::Need::required) return missing_argument(where);
    return {};
  }
  // Defaults that say nothing are left out: models pay for every word.
  static void put_default(Json& schema, Json value, const Rule& rule) {
    if (rule.need == Rule::Need::required || value.empty() || value == Json("")) return;
    schema["default"] = std::move(value);
  }
  static Json base64_schema(const std::string& name, Direction direction) {
    Json schema = {{"type", "string"}, {"contentEncoding", "base64"}};
    schema["description"] = (direction == Direction::input ? "Instead of `" : "When `") + name +
                            (direction == Direction::input ? "`: its exact bytes" : "` is not UTF-8: its exact bytes");
    return schema;
  }
  static BytesView view_of(const Bytes& bytes) { return bytes; }
  static BytesView view_of(const Path& path) { return path.text(); }

  std::vector<Field> fields_;
  std::vector<std::string> names_;
  std::vector<std::string> needed_;
  std::vector<std::string> always_;
};

}  // namespace berth::tools
