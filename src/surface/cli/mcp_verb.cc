#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "os/wait.h"
#include "surface/cli/json_internal.h"
#include "surface/cli/verbs.h"
#include "surface/cli/version.h"
#include "surface/mcp/conformance_fixtures.h"
#include "surface/mcp/http_transport.h"
#include "surface/mcp/service.h"
#include "surface/mcp/stdio.h"
#include "tools/catalogue.h"

namespace berth::cli {
namespace {

struct McpArguments {
  std::string profile = "plain";
  std::string http;
  std::string token_file;
  std::vector<std::string> hosts;
  bool public_address = false;
  bool fixtures = false;
};

Error wrong(std::string message, std::string hint = {}) {
  auto error = make_error(ErrorCode::invalid_argument, std::move(message));
  error.hint = std::move(hint);
  return error;
}

std::string instructions_for(const Workspace& workspace) {
  std::string text =
      "These tools work in one workspace. Paths are relative to its root; nothing outside it can be reached.";
  if (workspace.info().access == Access::read_only) text += " It is read-only.";
  return text;
}

Result<std::string> read_token(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string token{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad()) return wrong("the token's file cannot be read");
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  const bool printable = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 127; });
  if (token.size() < 16 || !printable)
    return wrong("the token must be at least 16 printable characters without spaces");
  return token;
}

/// `HOST:PORT`, `[IPV6]:PORT`, `:PORT` or `PORT`.
Result<net::HostAndPort> address_of(const std::string& text) {
  std::string full = text;
  if (full.starts_with(':')) full.insert(0, "127.0.0.1");
  if (full.find_first_not_of("0123456789") == std::string::npos) full.insert(0, "127.0.0.1:");
  const auto address = net::parse_host_and_port(full);
  if (!address || address->port.empty() || std::stoi(address->port) > 65535) {
    return wrong(fmt::format("`{}` is no address to listen on", text),
                 "write HOST:PORT, :PORT or PORT; 0 is any free port");
  }
  return *address;
}

Result<mcp::HttpOptions> http_options(const McpArguments& arguments) {
  BERTH_TRY(const auto address, address_of(arguments.http));
  mcp::HttpOptions options;
  options.server.host = address.host;
  options.server.port = static_cast<std::uint16_t>(std::stoi(address.port));
  if (!arguments.token_file.empty()) {
    BERTH_TRY(options.gate.token, read_token(arguments.token_file));
  }
  if (!net::is_loopback_host(address.host)) {
    if (!arguments.public_address) {
      return wrong("others than this machine could reach that address",
                   "listen on 127.0.0.1, or add --public and --token-file FILE");
    }
    if (options.gate.token.empty()) {
      return wrong("a public address needs a token", "add --token-file FILE; clients send it as a bearer token");
    }
    options.gate.hosts.push_back(address.host);
  }
  for (const auto& name : arguments.hosts) {
    const auto host = net::parse_host_and_port(name);
    if (!host || !host->port.empty()) return wrong(fmt::format("`{}` is no host name", name));
    options.gate.hosts.push_back(host->host);
  }
  return options;
}

Result<void> serve_http(Session& session, mcp::Service& service, const McpArguments& arguments) {
  BERTH_TRY(auto options, http_options(arguments));
  const auto host = options.server.host;
  const auto path = options.gate.path;
  BERTH_TRY(const auto transport, mcp::HttpTransport::start(service, std::move(options)));
  session.console.note(fmt::format("berth: serving http://{}:{}{}",
                                   host.find(':') == std::string::npos ? host : "[" + host + "]", transport->port(),
                                   path));
  // Until a signal comes.
  while (os::pause(session.call(), std::chrono::hours(24))) {
  }
  transport->stop();
  return {};
}

Result<int> serve(Session& session, const McpArguments& arguments) {
  const auto profile = tools::profile_named(arguments.profile);
  if (!profile) {
    return wrong(fmt::format("there is no profile `{}`", arguments.profile),
                 "plain, console, harness and filesystem are");
  }
  if (arguments.http.empty() &&
      (arguments.public_address || !arguments.token_file.empty() || !arguments.hosts.empty())) {
    return wrong("--public, --token-file and --allow-host need --http");
  }
  BERTH_TRY(Workspace * workspace, session.workspace_for_tools());
  BERTH_CHECK(workspace->ensure(session.call()));
  BERTH_TRY(const auto catalogue,
            tools::Catalogue::make({.profile = *profile, .rules = session.config.rules}, workspace->capabilities()));
  std::vector<const tools::Tool*> offered;
  for (const auto& tool : catalogue->tools()) offered.push_back(tool.get());
  mcp::ServiceOptions options;
  options.version = kVersion;
  options.tools.rules = session.config.rules;
  options.instructions = instructions_for(*workspace);
  const mcp::ConformanceFixtures fixtures;
  if (arguments.fixtures) options.default_level = mcp::LogLevel::info;
  mcp::Service service(*workspace, std::move(offered), std::move(options), arguments.fixtures ? &fixtures : nullptr);
  if (arguments.http.empty()) {
    BERTH_CHECK(mcp::serve_stdio(service, {}, session.signals.token()));
  } else {
    BERTH_CHECK(serve_http(session, service, arguments));
  }
  return 0;
}

}  // namespace

void add_mcp_verb(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<McpArguments>();
  auto* verb = app.add_subcommand("mcp", "Serve the workspace's tools by the Model Context Protocol");
  verb->add_option("--profile", arguments->profile,
                   "Whose tool names and arguments: plain, console, harness or filesystem")
      ->type_name("P");
  verb->add_option("--http", arguments->http, "Serve streamable HTTP there instead of standard input and output")
      ->type_name("ADDR");
  verb->add_option("--token-file", arguments->token_file, "Demand the bearer token that this file holds")
      ->type_name("FILE");
  verb->add_option("--allow-host", arguments->hosts, "Answer for this Host name too; may be repeated")
      ->type_name("NAME")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  verb->add_flag("--public", arguments->public_address, "Allow an address that others can reach; needs a token");
  verb->add_flag("--conformance-fixtures", arguments->fixtures,
                 "For tests: what the protocol's conformance runner calls")
      ->group("");
  verb->footer(
      "Speaks on standard input and output, one JSON message a line, until the input ends; or, with --http, at\n"
      "http://ADDR/mcp until SIGINT or SIGTERM. Revisions 2024-11-05 to 2025-11-25 and 2026-07-28 of the protocol.\n"
      "A client's configuration:\n"
      "  {\"mcpServers\": {\"berth\": {\"command\": \"berth\",\n"
      "                            \"args\": [\"-w\", \"/srv/project\", \"mcp\"]}}}\n"
      "  berth --read-only mcp --http 8000");
  verb->callback(
      [&session, arguments] { session.action = [&session, arguments] { return serve(session, *arguments); }; });
}

}  // namespace berth::cli
