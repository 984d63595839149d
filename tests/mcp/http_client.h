#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace berth::testing {

using Json = nlohmann::ordered_json;
using Headers = std::vector<std::pair<std::string, std::string>>;

/// One TCP connection to this machine, with as little HTTP as tests need.
class HttpConnection {
 public:
  explicit HttpConnection(std::uint16_t port);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void send(std::string_view bytes) const;
  /// Everything up to the mark, which is taken too; nothing at the end of the stream or after twenty seconds.
  std::optional<std::string> read_until(std::string_view mark);
  std::optional<std::string> read_bytes(std::size_t count);
  bool at_end();

 private:
  bool more();

  int fd_ = -1;
  std::string held_;
};

struct HttpAnswer {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;

  Json json() const { return body.empty() ? Json() : Json::parse(body, nullptr, false); }
  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

/// A request whose answer is read as it comes: whole, or event by event.
class HttpCall {
 public:
  HttpCall(std::uint16_t port, const std::string& method, const Headers& headers, std::string_view body = {},
           const std::string& target = "/mcp");

  /// Status, headers, and the body unless it is a stream of events.
  const HttpAnswer& answer() const noexcept { return answer_; }
  struct Event {
    std::string id;
    std::string data;
  };
  /// The next event that is no sign of life; nothing at the end.
  std::optional<Event> event();

 private:
  HttpConnection connection_;
  HttpAnswer answer_;
  std::string chunks_;
};

/// Headers of a POST in either era.
Headers legacy_headers(const std::string& session = {});
Headers modern_headers(const std::string& method, const std::string& name = {});
std::string modern_body(const Json& id, const std::string& method, Json params = Json::object());
std::string legacy_body(const Json& id, const std::string& method, const Json& params = Json::object());

}  // namespace berth::testing
