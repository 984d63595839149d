#include "guest/client/guest_backend.h"

#include <sys/stat.h>

#include <atomic>

#include "guest/client/guest_fixture.h"

namespace berth::guest {
namespace {

using testing::FailsWith;
using testing::IsOk;
using namespace std::chrono_literals;

/// An environment served by a guest in a thread of this process.
class GuestBackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("XDG_STATE_HOME", state_.path().c_str(), 1);
    auto opened = open_backend(soon(), guest_.channel(), on(dir_.path()));
    ASSERT_THAT(opened, IsOk());
    backend_ = std::move(opened).value();
  }

  Backend& backend() { return *backend_; }

  testing::TempDir dir_;
  testing::TempDir state_;
  InThread guest_;
  std::unique_ptr<Backend> backend_;
};

TEST_F(GuestBackendTest, KnowsWhatItServes) {
  EXPECT_EQ(backend().info().provider, "guest");
  EXPECT_EQ(backend().info().root_names.back(), dir_.path());
  ASSERT_TRUE(backend().ref());
  EXPECT_TRUE(backend().ref()->id.ends_with(":" + dir_.path())) << backend().ref()->id;
  EXPECT_THAT(backend().ensure(soon()), IsOk());
}

TEST_F(GuestBackendTest, MegabytesGoBothWaysUnderCredit) {
  Bytes content;
  for (std::uint32_t i = 0; content.size() < 5 * kWindow; ++i) content += std::to_string(i * 2654435761U);
  const auto written = backend().writes()->write(soon(), path("large"), content, {});
  ASSERT_THAT(written, IsOk());
  const auto page = backend().reads()->read(soon(), path("large"), {});
  ASSERT_THAT(page, IsOk());
  EXPECT_TRUE(page->content == content);
  EXPECT_EQ(page->revision, written->revision);
}

TEST_F(GuestBackendTest, ManyCallsAreAtWorkAtOnce) {
  constexpr int kThreads = 24;
  constexpr int kRounds = 20;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const auto mine = path("f" + std::to_string(i));
      for (int round = 0; round < kRounds; ++round) {
        const Bytes content(static_cast<std::size_t>(round * 1000 + i), static_cast<char>('a' + i % 26));
        ASSERT_THAT(backend().writes()->write(soon(), mine, content, {}), IsOk());
        const auto page = backend().reads()->read(soon(), mine, {});
        ASSERT_THAT(page, IsOk());
        ASSERT_EQ(page->content, content);
      }
    });
  }
}

/// Collects output, and may take its time.
class Collector final : public OutputSink {
 public:
  void write(Stream stream, BytesView bytes) override {
    (stream == Stream::out ? out : err) += bytes;
    if (on_write) on_write();
  }
  Bytes out;
  Bytes err;
  std::function<void()> on_write;
};

TEST_F(GuestBackendTest, OutputIsSeenWhileTheCommandRuns) {
  CommandSpec spec;
  spec.script = "echo begun; echo oops >&2; read line < go; echo $line";
  ASSERT_EQ(::mkfifo(dir_.at("go").c_str(), 0600), 0);
  Collector seen;
  std::jthread writer;
  seen.on_write = [&] {
    if (writer.joinable()) return;
    writer = std::jthread([&] {
      const os::Fd go(::open(dir_.at("go").c_str(), O_WRONLY | O_CLOEXEC));
      EXPECT_EQ(::write(go.get(), "went\n", 5), 5);
    });
  };
  const auto outcome = backend().commands()->run(soon(), spec, &seen);
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->exit_code, 0);
  EXPECT_EQ(seen.out, "begun\nwent\n");
  EXPECT_EQ(seen.err, "oops\n");
  EXPECT_EQ(outcome->out.head, seen.out);
}

TEST_F(GuestBackendTest, AReaderThatIsSlowLosesNothingAndHoldsUpNoOtherCall) {
  CommandSpec spec;
  spec.script = "head -c 4000000 /dev/zero";
  spec.output = {.kind = OutputPolicy::Kind::keep, .head = 10, .tail = 10};
  Collector seen;
  int calls = 0;
  // As long as the command is held up by its reader, others are served.
  seen.on_write = [&] {
    if (++calls > 5) return;
    for (int i = 0; i < 20; ++i) EXPECT_THAT(backend().reads()->stat(soon(), Path(), FollowLeaf::yes), IsOk());
  };
  const auto outcome = backend().commands()->run(soon(), spec, &seen);
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->out.total_bytes, 4000000);
  EXPECT_EQ(seen.out.size(), 4000000U);
}

/// Leaves out one name, by asking the guest itself what stands there.
class AskingFilter final : public PathFilter {
 public:
  explicit AskingFilter(FileReads& reads) : reads_(reads) {}
  bool leaves_out(std::string_view text) const override {
    ++asked;
    const auto stat = reads_.stat(soon(), path(text), FollowLeaf::no);
    return stat && stat->size == 6;
  }
  mutable std::atomic<int> asked = 0;

 private:
  FileReads& reads_;
};

TEST_F(GuestBackendTest, AFilterIsAskedAboutEveryPathAndMayAskTheGuestItself) {
  for (int i = 0; i < 30; ++i) dir_.write("d/" + std::to_string(i), "x");
  dir_.write("d/secret", "secret");
  const AskingFilter filter(*backend().reads());
  const auto listed = backend().search()->list(soon(), {.filter_out = &filter});
  ASSERT_THAT(listed, IsOk());
  EXPECT_EQ(listed->total, 30);
  EXPECT_GE(filter.asked, 31);
  const auto found = backend().search()->search(soon(), {.pattern = "secret|x", .filter_out = &filter});
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->lines.size(), 30U);
}

TEST_F(GuestBackendTest, AStopReachesTheCommandInTheGuest) {
  CommandSpec spec;
  spec.script = "echo begun; exec sleep 600";
  std::stop_source stop;
  Collector seen;
  seen.on_write = [&] { stop.request_stop(); };
  const auto begin = Clock::now();
  const auto outcome = backend().commands()->run({Deadline::never(), stop.get_token(), {}}, spec, &seen);
  EXPECT_LT(Clock::now() - begin, 2s + kSlack);
  ASSERT_THAT(outcome, IsOk());
  EXPECT_EQ(outcome->kind, CommandOutcome::Kind::cancelled);
  EXPECT_EQ(outcome->out.head, "begun\n");
}

TEST_F(GuestBackendTest, RegularExpressionsOfEverySizeAreAnsweredOrRefused) {
  dir_.write("f", "aaaa\n");
  EXPECT_EQ(backend().search()->search(soon(), {.pattern = "a{3}"})->lines.size(), 1U);
  for (const char* const bad : {"(", "a{1000}{1000}{1000}", "[z-a]", "\\", "(?P<x"}) {
    EXPECT_THAT(backend().search()->search(soon(), {.pattern = bad}), FailsWith(ErrorCode::invalid_argument)) << bad;
  }
}

TEST(OpenBackend, ADirectoryThatIsMissingIsNotFound) {
  InThread guest;
  const testing::TempDir dir;
  EXPECT_THAT(open_backend(soon(), guest.channel(), on(dir.at("missing"))), FailsWith(ErrorCode::not_found));
}

TEST(OpenBackend, AnotherIncarnationIsEnvironmentGone) {
  InThread guest;
  const testing::TempDir dir;
  auto options = on(dir.path());
  options.open.incarnation = "0123456789abcdef";
  EXPECT_THAT(open_backend(soon(), guest.channel(), options), FailsWith(ErrorCode::environment_gone));
}

}  // namespace
}  // namespace berth::guest
