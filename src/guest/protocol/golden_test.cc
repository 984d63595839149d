// The protocol's bytes, as they are written down in the tree: a change here is a change of the protocol, and its
// version goes up with it.

#include <gtest/gtest.h>

#include "guest/protocol/frame.h"
#include "guest/protocol/hello.h"
#include "guest/protocol/operations.h"
#include "testing/golden_file.h"

namespace berth::guest {
namespace {

Path path(std::string_view text) { return parse_path(text, {}).value(); }

/// Sixteen bytes a line, in hexadecimal and as text.
std::string dump(BytesView bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 16) {
    const auto line = bytes.substr(at, 16);
    std::string shown;
    for (const char c : line) {
      const auto byte = static_cast<unsigned char>(c);
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
      text += ' ';
      shown += byte >= 0x20 && byte < 0x7f ? c : '.';
    }
    text.append(3 * (16 - line.size()), ' ');
    text += " " + shown + "\n";
  }
  return text;
}

class Script final {
 public:
  void say(std::string_view what, FrameKind kind, std::uint8_t flags, std::uint64_t stream, BytesView first,
           BytesView second = {}, BytesView third = {}) {
    Bytes frame;
    append_frame(frame, kind, flags, stream, first, second, third);
    text_ += "# " + std::string(what) + "\n" + dump(frame) + "\n";
  }
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

Bytes count(std::uint64_t bytes) {
  Bytes number;
  append_u64(number, bytes);
  return number;
}

Bytes head(Method method, std::uint8_t flags, std::uint64_t deadline_ns) {
  Bytes bytes;
  append_head(bytes, {.method = static_cast<std::uint8_t>(method), .flags = flags, .deadline_ns = deadline_ns});
  return bytes;
}

template <typename T>
Bytes encoded(const T& value) {
  Encoder to;
  put(to, value);
  return to.take();
}

TEST(GoldenFrames, AreWhatTheTreeSays) {
  Script script;
  script.say("either side: hello", FrameKind::hello, 0, 0, encode_hello({}));

  const auto open = operations::Open::encode(OpenRequest{.directory = "/work"});
  script.say("client: open /work", FrameKind::request, kFinal, 1, head(Method::open, 0, RequestHead::kNever), open,
             count(open.size()));
  const auto opened = encoded(OpenAnswer{"0123456789abcdef", "local:1:2", {"/work"}, true});
  script.say("guest: it is open", FrameKind::response, kFinal, 1, BytesView("\0", 1), opened, count(opened.size()));

  const auto read = operations::Read::encode(path("a.txt"), ReadRange{.offset = 1, .max_bytes = 300});
  script.say("client: read a.txt within a second", FrameKind::request, kFinal, 2, head(Method::read, 0, 1'000'000'000),
             read, count(read.size()));
  const auto page =
      encoded(ReadPage{.content = "content", .offset = 1, .total_bytes = 8, .token = {{1, 2, 3, 4, 5, 6}}});
  script.say("guest: the page", FrameKind::response, kFinal, 2, BytesView("\0", 1), page, count(page.size()));

  const auto missing =
      encoded(make_error(ErrorCode::not_found, "there is nothing here").with("errno", std::int64_t{2}));
  script.say("guest: an error", FrameKind::response, kFinal, 3, "\1", missing, count(missing.size()));

  const auto write =
      operations::Write::encode(path("b"), BytesView("0123456789"), WriteSpec{.git_mode = GitMode::executable});
  script.say("client: the beginning of a write, to a path without links", FrameKind::request, 0, 4,
             head(Method::write, RequestHead::kLinkFree, RequestHead::kNever), BytesView(write).substr(0, 6));
  script.say("client: its end", FrameKind::data, kFinal, 4, BytesView(write).substr(6), count(write.size()));
  script.say("guest: a grant of 262144 bytes", FrameKind::credit, 0, 4, BytesView("\0\0\4\0", 4));

  CommandSpec command;
  command.script = "echo hello";
  const auto run = operations::Run::encode(command);
  script.say("client: run, output wanted", FrameKind::request, kFinal, 5,
             head(Method::run, RequestHead::kWantsOutput, RequestHead::kNever), run, count(run.size()));
  script.say("guest: output", FrameKind::output, 0, 5, BytesView("\0hello\n", 7));
  script.say("client: stop it", FrameKind::cancel, 0, 5, {});
  script.say("client: forget it", FrameKind::cancel, kFinal, 5, {});

  script.say("guest: is a path left out?", FrameKind::question, 0, 6, count(1), ".env");
  script.say("client: it is", FrameKind::verdict, 0, 6, count(1), "\1");
  testing::expect_golden("src/guest/protocol/golden/frames.txt", script.text());
}

}  // namespace
}  // namespace berth::guest
