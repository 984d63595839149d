#include "policy/audit.h"

#include <sys/stat.h>

#include <sstream>
#include <thread>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "policy/policy_fixture.h"
#include "testing/temp_dir.h"

namespace berth {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using ::testing::Not;
using testing::path_of;
using testing::TempDir;

class AuditTest : public PolicyTest {
 protected:
  AuditTest() {
    memory->file("a.txt", "one");
    wrap(make_audited, log, AuditOptions{.actor = "agent 7"});
    open();
    call.trace_id = "trace-1";
  }

  /// The events with what differs from run to run taken out, after a check of it.
  std::vector<AuditEvent> events() {
    auto kept = log->events();
    for (auto& event : kept) {
      EXPECT_GT(event.time.time_since_epoch().count(), 0);
      EXPECT_GE(event.duration.count(), 0);
      EXPECT_EQ(event.actor, "agent 7");
      EXPECT_EQ(event.trace_id, "trace-1");
      event.time = {};
      event.duration = {};
      event.actor.clear();
      event.trace_id.clear();
    }
    return kept;
  }

  std::shared_ptr<MemoryAuditLog> log = std::make_shared<MemoryAuditLog>();
};

Revision content_revision(BytesView content) { return {"sha256:" + to_hex(sha256(content))}; }

TEST_F(AuditTest, C_POL_5_every_mutation_is_recorded) {
  EXPECT_THAT(workspace->write(call, "w", "1"), IsOk());
  EXPECT_THAT(workspace->create(call, "w", "2"), FailsWith(ErrorCode::already_exists));
  EXPECT_THAT(workspace->replace(call, "a.txt", "two", content_revision("one")), IsOk());
  EXPECT_THAT(workspace->move_if(call, "a.txt", "b.txt", content_revision("two")), IsOk());
  EXPECT_THAT(workspace->delete_if(call, "b.txt", content_revision("two")), IsOk());
  EXPECT_THAT(workspace->delete_file(call, "w"), IsOk());
  EXPECT_THAT(workspace->make_directory(call, "d"), IsOk());
  EXPECT_THAT(workspace->prune_empty_directories(call, "d", 1), IsOk());
  EXPECT_THAT(workspace->remove(call, "none"), FailsWith(ErrorCode::not_found));
  const auto one = content_revision("one");
  const auto two = content_revision("two");
  EXPECT_THAT(
      events(),
      ElementsAre(
          AuditEvent{.operation = "write", .path = path_of("w"), .after = content_revision("1"), .outcome = "ok"},
          AuditEvent{.operation = "create", .path = path_of("w"), .outcome = "already_exists"},
          AuditEvent{.operation = "replace", .path = path_of("a.txt"), .before = one, .after = two, .outcome = "ok"},
          AuditEvent{.operation = "move",
                     .path = path_of("a.txt"),
                     .to = path_of("b.txt"),
                     .before = two,
                     .after = two,
                     .outcome = "ok"},
          AuditEvent{.operation = "delete_if", .path = path_of("b.txt"), .before = two, .outcome = "ok"},
          AuditEvent{.operation = "delete", .path = path_of("w"), .outcome = "ok"},
          AuditEvent{.operation = "make_directory", .path = path_of("d"), .outcome = "ok"},
          AuditEvent{.operation = "prune_empty_directories", .path = path_of("d"), .outcome = "ok"},
          AuditEvent{.operation = "remove", .path = path_of("none"), .outcome = "not_found"}));
}

TEST_F(AuditTest, C_POL_5_a_command_is_recorded_without_its_words) {
  ASSERT_THAT(workspace->run(
                  call, {.argv = {"deploy", "--token", "s3cret"}, .env = {{"KEY", "s3cret"}}, .stdin_bytes = "s3cret"}),
              IsOk());
  ASSERT_THAT(workspace->run(call, {.script = "echo s3cret"}), IsOk());
  const std::string words("deploy\0--token\0s3cret\0", 22);
  const std::string script("/bin/sh\0-c\0echo s3cret\0", 23);
  EXPECT_THAT(events(), ElementsAre(AuditEvent{.operation = "run",
                                               .outcome = "exited",
                                               .program = "deploy",
                                               .command_sha256 = to_hex(sha256(words)),
                                               .status = 0},
                                    AuditEvent{.operation = "run",
                                               .outcome = "exited",
                                               .program = "/bin/sh",
                                               .command_sha256 = to_hex(sha256(script)),
                                               .status = 0}));
  const auto kept = log->events();
  for (const auto& event : kept) EXPECT_THAT(to_json_line(event), Not(HasSubstr("s3cret")));
}

TEST_F(AuditTest, ReadsAreNotRecorded) {
  EXPECT_THAT(workspace->read(call, "a.txt"), IsOk());
  EXPECT_THAT(workspace->list(call), IsOk());
  EXPECT_THAT(log->events(), ::testing::IsEmpty());
}

TEST(Audit, TheWordsAreRecordedWhenAskedFor) {
  auto log = std::make_shared<MemoryAuditLog>();
  Workspace workspace(
      make_audited(std::make_unique<testing::MemoryBackend>(), log, {.words = AuditOptions::Words::all}));
  ASSERT_THAT(workspace.run({}, {.argv = {"make", "test"}}), IsOk());
  EXPECT_THAT(log->events().front().words, ElementsAre("make", "test"));
}

/// A log that can be full.
class FullLog final : public AuditLog {
 public:
  Result<void> record(const AuditEvent& event) override {
    if (full) return make_error(ErrorCode::no_space, "the log is full");
    operations.push_back(event.operation + " " + event.path.text());
    return {};
  }

  bool full = false;
  std::vector<std::string> operations;
};

TEST(Audit, WhileTheLogTakesNothingNothingIsChanged) {
  auto log = std::make_shared<FullLog>();
  auto owned = std::make_unique<testing::MemoryBackend>();
  auto& memory = *owned;
  Workspace workspace(make_audited(std::move(owned), log));
  const Call call;
  log->full = true;
  EXPECT_THAT(workspace.write(call, "first", "1"), IsOk()) << "what has happened is told";
  EXPECT_THAT(workspace.write(call, "second", "2"), FailsWith(ErrorCode::unavailable));
  EXPECT_THAT(workspace.run(call, {.argv = {"true"}}), FailsWith(ErrorCode::unavailable));
  EXPECT_EQ(memory.content("second"), std::nullopt);
  EXPECT_THAT(workspace.read(call, "first"), IsOk());
  log->full = false;
  EXPECT_THAT(workspace.write(call, "second", "2"), IsOk());
  EXPECT_THAT(log->operations, ElementsAre("write first", "write second"));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(FileAuditLog, AppendsOneJsonLineAnEvent) {
  const TempDir dir;
  const os::HostPath path{dir.at("audit.jsonl")};
  const AuditEvent event{
      .time = std::chrono::sys_time<std::chrono::nanoseconds>(std::chrono::nanoseconds(1'700'000'000'123'456'789)),
      .actor = "me",
      .trace_id = "t",
      .operation = "move",
      .path = path_of("a\nb"),
      .to = path_of("\xFF"),
      .before = Revision{"sha256:x"},
      .after = Revision{"sha256:y"},
      .outcome = "ok",
      .duration = std::chrono::microseconds(12)};
  for (int round = 0; round < 2; ++round) {
    auto log = FileAuditLog::open(path);
    ASSERT_THAT(log, IsOk());
    ASSERT_THAT((*log)->record(event), IsOk());
  }
  const auto lines = lines_of(dir.read("audit.jsonl"));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0],
            R"({"time":"2023-11-14T22:13:20.123456Z","actor":"me","trace_id":"t","operation":"move","path":"a\nb",)"
            "\"to\":\"\uFFFD\",\"to_b64\":\"/w==\",\"before\":\"sha256:x\",\"after\":\"sha256:y\",\"outcome\":\"ok\","
            "\"duration_us\":12}");
  EXPECT_EQ(lines[1], lines[0]);
  struct stat facts {};
  ASSERT_EQ(::stat(path.text.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600U);
}

TEST(FileAuditLog, LinesOfManyThreadsDoNotMix) {
  const TempDir dir;
  constexpr int kThreads = 4;
  constexpr int kEvents = 200;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        auto log = std::move(FileAuditLog::open({dir.at("log")})).value();
        for (int i = 0; i < kEvents; ++i) {
          ASSERT_THAT(log->record({.operation = "write", .path = path_of("f" + std::to_string(t)), .outcome = "ok"}),
                      IsOk());
        }
      });
    }
  }
  const auto lines = lines_of(dir.read("log"));
  EXPECT_EQ(lines.size(), static_cast<std::size_t>(kThreads * kEvents));
  for (const auto& line : lines) EXPECT_TRUE(nlohmann::json::accept(line)) << line;
}

TEST(FileAuditLog, IsARegularFile) {
  const TempDir dir;
  ASSERT_EQ(mkfifo(dir.at("fifo").c_str(), 0600), 0);
  EXPECT_FALSE(FileAuditLog::open({dir.at("fifo")}).has_value());
  EXPECT_THAT(FileAuditLog::open({dir.path()}), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(FileAuditLog::open({"/dev/null"}), FailsWith(ErrorCode::not_regular));
}

}  // namespace
}  // namespace berth
