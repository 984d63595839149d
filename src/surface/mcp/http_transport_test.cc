#include "surface/mcp/http_transport.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <gtest/gtest.h>

#include <thread>

#include "os/fd.h"
#include "surface/mcp/fake_tools_fixture.h"

namespace berth::mcp {
namespace {

os::Fd connect_to(std::uint16_t port) {
  os::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return socket;
}

void send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ASSERT_GT(sent, 0);
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string read_to_end(int socket) {
  std::string all;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::recv(socket, buffer, sizeof buffer, 0)) > 0;) all.append(buffer, buffer + got);
  return all;
}

TEST(HttpTransport, stop_waits_for_a_large_message_that_is_still_to_be_read) {
  auto options = ServiceFixture::quick_options();
  options.workers.threads = 1;
  ServiceFixture fixture(options);
  fixture.legacy(1, "tools/call", {{"name", "endless"}});
  fixture.endless.wait_begun(1);
  auto transport = HttpTransport::start(fixture.service, {});
  ASSERT_TRUE(transport);
  const auto port = (*transport)->port();

  const Json message = {{"jsonrpc", "2.0"},
                        {"id", 1},
                        {"method", "initialize"},
                        {"params", {{"filler", std::string(std::size_t{100} * 1024, 'x')}}}};
  const auto body = message.dump();
  const auto large = connect_to(port);
  send_all(large.get(),
           "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
           "Accept: application/json, text/event-stream\r\nContent-Length: " +
               std::to_string(body.size()) + "\r\n\r\n" + body);
  // What is answered after it was sent makes it likely that it was taken.
  for (int i = 0; i < 3; ++i) {
    const auto small = connect_to(port);
    send_all(small.get(), "GET /elsewhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_NE(read_to_end(small.get()).find(" 404 "), std::string::npos);
  }

  std::thread stopping([&] { transport->reset(); });
  EXPECT_EQ(read_to_end(large.get()), "") << "the only worker was busy until the end";
  fixture.client->close();
  stopping.join();
  EXPECT_EQ(fixture.endless.stopped, 1);
}

TEST(HttpTransport, every_socket_is_closed_on_exec) {
  ServiceFixture fixture;
  const auto transport = HttpTransport::start(fixture.service, {});
  ASSERT_TRUE(transport);
  const auto client = connect_to((*transport)->port());
  send_all(client.get(), "GET /elsewhere HTTP/1.1\r\nHost: localhost\r\n\r\n");
  char first = 0;
  ASSERT_EQ(::recv(client.get(), &first, 1, 0), 1);
  int sockets = 0;
  for (int fd = 3; fd < 256; ++fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0 || !S_ISSOCK(status.st_mode)) continue;
    ++sockets;
    EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0) << fd;
  }
  EXPECT_GE(sockets, 3) << "the one that listens, and both ends of the connection";
}

}  // namespace
}  // namespace berth::mcp
