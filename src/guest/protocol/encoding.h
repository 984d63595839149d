#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "path/path.h"

/// How values become bytes and values again, said once for both sides (docs/protocol/guest.md, "Values").
///
/// A struct is its members in order; which ones, a line of `values.h` says. There are no tags and no padding: both
/// sides have agreed on a version before the first value is sent.
namespace berth {

class PathFilter;

namespace guest {

/// Builds the encoding of values, one after the other.
class Encoder final {
 public:
  void byte(std::uint8_t value) { out_.push_back(static_cast<char>(value)); }
  /// Seven bits a byte, the lowest first.
  void number(std::uint64_t value);
  /// Small magnitudes in few bytes, whatever the sign.
  void integer(std::int64_t value) {
    number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void bytes(BytesView value) {
    number(value.size());
    out_ += value;
  }
  void reserve(std::size_t bytes) { out_.reserve(bytes); }
  Bytes take() { return std::move(out_); }

 private:
  Bytes out_;
};

/// Reads values back from bytes that anybody may have made. A failure is remembered, and everything after it reads as
/// zero: callers check once, with `done`. Never takes more memory than a small multiple of the bytes it was given.
class Decoder final {
 public:
  /// `filter` is what a query's `filter_out` becomes when the sender had one.
  explicit Decoder(BytesView bytes, const PathFilter* filter = nullptr) : left_(bytes), filter_(filter) {}

  std::uint8_t byte();
  std::uint64_t number();
  std::int64_t integer() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }
  BytesView bytes();
  /// The number of items that follow, each at least one byte long.
  std::size_t count();
  const PathFilter* filter() const noexcept { return filter_; }

  void fail() noexcept {
    failed_ = true;
    left_ = {};
  }
  bool failed() const noexcept { return failed_; }
  /// Everything was read, and all of it was as it should be.
  bool done() const noexcept { return !failed_ && left_.empty(); }

 private:
  BytesView left_;
  const PathFilter* filter_;
  bool failed_ = false;
};

/// The members of a struct, by a line of `values.h`.
template <typename T>
concept HasMembers = requires(T& value) { members_of(value); };

/// An enumeration whose values are 0 to `last_of`.
template <typename E>
concept ClosedEnum = std::is_enum_v<E> && requires(E value) { last_of(value); };

/// Whether an enumeration has a name for a value, told by how the compilers write one that has none: `(Type)7`.
template <auto V>
consteval bool is_named() {
  const std::string_view text = __PRETTY_FUNCTION__;
  return text[text.rfind("V = ") + 4] != '(';
}

template <typename T>
struct Codec;

template <typename T>
void put(Encoder& to, const T& value) {
  Codec<T>::put(to, value);
}

template <typename T>
T get(Decoder& from) {
  return Codec<T>::get(from);
}

template <>
struct Codec<bool> {
  static void put(Encoder& to, bool value) { to.byte(value ? 1 : 0); }
  static bool get(Decoder& from) {
    const auto value = from.byte();
    if (value > 1) from.fail();
    return value == 1;
  }
};

template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>)
struct Codec<T> {
  static void put(Encoder& to, T value) { to.number(value); }
  static T get(Decoder& from) {
    const auto value = from.number();
    if (!std::in_range<T>(value)) from.fail();
    return std::in_range<T>(value) ? static_cast<T>(value) : T{};
  }
};

template <std::signed_integral T>
struct Codec<T> {
  static void put(Encoder& to, T value) { to.integer(value); }
  static T get(Decoder& from) {
    const auto value = from.integer();
    if (!std::in_range<T>(value)) from.fail();
    return std::in_range<T>(value) ? static_cast<T>(value) : T{};
  }
};

template <ClosedEnum T>
struct Codec<T> {
  static constexpr auto kLast = static_cast<std::uint8_t>(last_of(T{}));
  static_assert(is_named<last_of(T{})>() && !is_named<static_cast<T>(kLast + 1)>(), "this is not its last value");

  static void put(Encoder& to, T value) { to.byte(static_cast<std::uint8_t>(value)); }
  static T get(Decoder& from) {
    const auto value = from.byte();
    if (value > kLast) from.fail();
    return from.failed() ? T{} : static_cast<T>(value);
  }
};

template <>
struct Codec<Bytes> {
  static void put(Encoder& to, BytesView value) { to.bytes(value); }
  static Bytes get(Decoder& from) { return Bytes(from.bytes()); }
};

/// As its text, checked when it is read: what is not in the normal form is refused.
template <>
struct Codec<Path> {
  static void put(Encoder& to, const Path& value) { to.bytes(value.text()); }
  static Path get(Decoder& from);
};

/// By its name: numbers of codes may change from version to version, names do not.
template <>
struct Codec<ErrorCode> {
  static void put(Encoder& to, ErrorCode value) { to.bytes(error_info(value).name); }
  static ErrorCode get(Decoder& from);
};

/// Whether there is one: what it says is asked while the call is at work.
template <>
struct Codec<const PathFilter*> {
  static void put(Encoder& to, const PathFilter* value) { to.byte(value != nullptr ? 1 : 0); }
  static const PathFilter* get(Decoder& from) { return Codec<bool>::get(from) ? from.filter() : nullptr; }
};

template <typename Rep, typename Period>
struct Codec<std::chrono::duration<Rep, Period>> {
  using T = std::chrono::duration<Rep, Period>;
  static void put(Encoder& to, T value) { to.integer(value.count()); }
  static T get(Decoder& from) { return T(from.integer()); }
};

template <typename Clock, typename Duration>
struct Codec<std::chrono::time_point<Clock, Duration>> {
  using T = std::chrono::time_point<Clock, Duration>;
  static void put(Encoder& to, T value) { to.integer(value.time_since_epoch().count()); }
  static T get(Decoder& from) { return T(Duration(from.integer())); }
};

template <typename T>
struct Codec<std::optional<T>> {
  static void put(Encoder& to, const std::optional<T>& value) {
    to.byte(value ? 1 : 0);
    if (value) Codec<T>::put(to, *value);
  }
  static std::optional<T> get(Decoder& from) {
    if (!Codec<bool>::get(from)) return std::nullopt;
    return Codec<T>::get(from);
  }
};

template <typename T>
struct Codec<std::vector<T>> {
  static void put(Encoder& to, std::span<const T> values) {
    to.number(values.size());
    for (const T& value : values) Codec<T>::put(to, value);
  }
  static std::vector<T> get(Decoder& from) {
    std::vector<T> values;
    for (std::size_t left = from.count(); left > 0 && !from.failed(); --left) values.push_back(Codec<T>::get(from));
    return values;
  }
};

template <typename T, std::size_t N>
struct Codec<std::array<T, N>> {
  static void put(Encoder& to, const std::array<T, N>& values) {
    for (const T& value : values) Codec<T>::put(to, value);
  }
  static std::array<T, N> get(Decoder& from) {
    std::array<T, N> values{};
    for (T& value : values) value = Codec<T>::get(from);
    return values;
  }
};

template <typename A, typename B>
struct Codec<std::pair<A, B>> {
  static void put(Encoder& to, const std::pair<A, B>& value) {
    Codec<A>::put(to, value.first);
    Codec<B>::put(to, value.second);
  }
  static std::pair<A, B> get(Decoder& from) {
    auto first = Codec<A>::get(from);
    return {std::move(first), Codec<B>::get(from)};
  }
};

/// Which alternative, then its value.
template <typename... Ts>
struct Codec<std::variant<Ts...>> {
  using T = std::variant<Ts...>;
  static void put(Encoder& to, const T& value) {
    to.byte(static_cast<std::uint8_t>(value.index()));
    std::visit([&to]<typename Alternative>(const Alternative& held) { Codec<Alternative>::put(to, held); }, value);
  }
  static T get(Decoder& from) {
    const auto index = from.byte();
    if (index >= sizeof...(Ts)) from.fail();
    return pick(from, index, std::index_sequence_for<Ts...>());
  }

 private:
  template <std::size_t... I>
  static T pick(Decoder& from, std::size_t index, std::index_sequence<I...>) {
    T value;
    (void)((I == index && (value.template emplace<I>(Codec<std::variant_alternative_t<I, T>>::get(from)), true)) ||
           ...);
    return value;
  }
};

template <HasMembers T>
struct Codec<T> {
  static void put(Encoder& to, const T& value) {
    std::apply([&to](const auto&... members) { (guest::put(to, members), ...); }, members_of(value));
  }
  static T get(Decoder& from) {
    T value{};
    std::apply(
        [&from](auto&... members) { ((members = guest::get<std::remove_cvref_t<decltype(members)>>(from)), ...); },
        members_of(value));
    return value;
  }
};

}  // namespace guest
}  // namespace berth
