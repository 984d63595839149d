#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "guest/protocol/operations.h"

namespace berth::guest {
namespace {

Path path(std::string_view text) { return parse_path(text, {}).value(); }

template <typename T>
Bytes encoded(const T& value) {
  Encoder to;
  put(to, value);
  return to.take();
}

template <typename T>
std::optional<T> decoded(BytesView bytes) {
  Decoder from(bytes);
  auto value = get<T>(from);
  return from.done() ? std::optional(std::move(value)) : std::nullopt;
}

template <typename T>
void expect_same_again(const T& value) {
  const auto bytes = encoded(value);
  const auto again = decoded<T>(bytes);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(*again, value);
  // No shorter text means anything, and nothing may follow.
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(decoded<T>(BytesView(bytes).substr(0, size)));
  EXPECT_FALSE(decoded<T>(bytes + '\0'));
}

RC_GTEST_PROP(Encoding, NumbersComeBackAsTheyWere, (std::uint64_t number, std::int64_t integer)) {
  RC_ASSERT(decoded<std::uint64_t>(encoded(number)) == number);
  RC_ASSERT(decoded<std::int64_t>(encoded(integer)) == integer);
}

TEST(Encoding, TheOutermostNumbersComeBack) {
  for (const auto number : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::int64_t{0},
                            std::numeric_limits<std::int64_t>::max()}) {
    expect_same_again(number);
  }
  expect_same_again(std::numeric_limits<std::uint64_t>::max());
}

TEST(Encoding, ANumberHasOneSpelling) {
  EXPECT_FALSE(decoded<std::uint64_t>(BytesView("\x80\x00", 2)));
  EXPECT_FALSE(decoded<std::uint64_t>(BytesView("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02")));
  EXPECT_FALSE(decoded<std::uint64_t>(BytesView("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")));
}

TEST(Encoding, ANumberThatDoesNotFitIsRefused) {
  EXPECT_FALSE(decoded<std::uint16_t>(encoded(std::uint64_t{65536})));
  EXPECT_FALSE(decoded<int>(encoded(std::int64_t{1} << 31)));
  EXPECT_EQ(decoded<int>(encoded(-(std::int64_t{1} << 31))), std::numeric_limits<int>::min());
}

TEST(Encoding, AValueBeyondAnEnumerationIsRefused) {
  EXPECT_EQ(decoded<FileKind>(BytesView("\x03")), FileKind::other);
  EXPECT_FALSE(decoded<FileKind>(BytesView("\x04")));
  EXPECT_FALSE(decoded<bool>(BytesView("\x02")));
}

TEST(Encoding, APathIsCheckedWhenItIsRead) {
  for (const std::string_view bad : {"", "/etc", "..", "a/../b", "a//b", "a/", "./a"}) {
    EXPECT_FALSE(decoded<Path>(encoded(Bytes(bad)))) << bad;
  }
  expect_same_again(Path());
  expect_same_again(path("a/b\xff c"));
}

TEST(Encoding, ACountThatCannotBeIsRefusedBeforeMemoryIsTaken) {
  EXPECT_FALSE(decoded<std::vector<Bytes>>(encoded(std::uint64_t{1} << 40)));
  EXPECT_FALSE(decoded<Bytes>(encoded(std::uint64_t{1} << 40)));
}

TEST(Encoding, AnUnknownErrorCodeIsRefused) {
  EXPECT_EQ(decoded<ErrorCode>(encoded(Bytes("not_found"))), ErrorCode::not_found);
  EXPECT_FALSE(decoded<ErrorCode>(encoded(Bytes("no_such_code"))));
}

TEST(Encoding, TheContractsValuesComeBackAsTheyWere) {
  const ChangeToken token{{1, 2, 3, 0, std::numeric_limits<std::uint64_t>::max(), 6}};
  const Revision revision{"sha256:abc"};
  expect_same_again(make_error(ErrorCode::ambiguous, "why")
                        .with("number", std::int64_t{-7})
                        .with("text", "x")
                        .with("list", std::vector<std::string>{"a", ""})
                        .at("as/written"));
  expect_same_again(
      FileStat{.kind = FileKind::symlink,
               .size = 4,
               .modified_at = std::chrono::sys_time<std::chrono::nanoseconds>(std::chrono::nanoseconds(-5)),
               .mode = 0777,
               .git_mode = {},
               .link_target = "\xff\0x",
               .target_is_directory = true,
               .token = token});
  expect_same_again(ReadPage{.content = Bytes("a\0b", 3),
                             .offset = 1,
                             .total_bytes = 9,
                             .truncated = true,
                             .next_offset = 4,
                             .revision = revision,
                             .git_mode = GitMode::executable,
                             .token = token});
  CommandSpec spec;
  spec.argv = {"ls", "-l", ""};
  spec.env = {{"A", "1"}, {"B", ""}};
  spec.env_remove = {"C"};
  spec.cwd = path("d/e");
  spec.stdin_bytes = "input";
  spec.timeout = std::chrono::milliseconds(5);
  spec.output = {.kind = OutputPolicy::Kind::keep, .head = 1, .tail = 2};
  spec.end_scope = EndScope::group;
  spec.run_id = "id";
  expect_same_again(spec);
  expect_same_again(JobSpec{.command = spec, .name = "name", .terminal = TerminalSize{65535, 1}});
  expect_same_again(CommandOutcome{.kind = CommandOutcome::Kind::signaled,
                                   .signal = 9,
                                   .reason = "r",
                                   .out = {"h", "t", 100},
                                   .duration = std::chrono::nanoseconds(12345),
                                   .survivors = 1});
  expect_same_again(std::vector<FileOperation>{WriteOperation{path("a"), "x", {.git_mode = GitMode::regular}},
                                               RemoveOperation{path("b"), {.expected_revision = revision}},
                                               MoveOperation{path("c"), path("d"), {}},
                                               MakeDirectoryOperation{path("e")}});
  expect_same_again(TransactionOutcome{
      TransactionOutcome::State::rolled_back,
      {{.state = OperationOutcome::State::failed, .error = make_error(ErrorCode::no_space, "full"), .changed = true}}});
  expect_same_again(SearchResult{.lines = {{path("a"), 1, 2, "text", {"before"}, {}}},
                                 .files = {{path("b"), 3}},
                                 .stopped_by = SearchBound::bytes,
                                 .unreadable = {{path("c"), ErrorCode::permission_denied}}});
}

/// Says nothing of any path.
class SomeFilter final : public PathFilter {
 public:
  bool leaves_out(std::string_view) const override { return false; }
};

TEST(Encoding, AFilterBecomesTheOneOfTheReader) {
  const SomeFilter given;
  const SomeFilter there;
  const auto bytes = encoded(ListQuery{.pattern = "*", .filter_out = &given});
  Decoder from(bytes, &there);
  EXPECT_EQ(get<ListQuery>(from).filter_out, &there);
  const auto without = encoded(ListQuery{});
  Decoder none(without, &there);
  EXPECT_EQ(get<ListQuery>(none).filter_out, nullptr);
}

TEST(Operations, EachMethodHasOneOperation) {
  int known = 0;
  for (int number = 0; number < 256; ++number) {
    if (with_operation(static_cast<Method>(number), [](auto) {})) ++known;
  }
  EXPECT_EQ(known, static_cast<int>(std::tuple_size_v<operations::All>));
  EXPECT_EQ(known, static_cast<int>(Method::job_forget));
}

RC_GTEST_PROP(Operations, AnyBytesAreReadOrRefused, (std::vector<char> bytes, std::uint8_t method)) {
  const BytesView view(bytes.data(), bytes.size());
  with_operation(static_cast<Method>(method % 32), [&]<typename Op>(Op) {
    Decoder arguments(view);
    (void)Op::decode(arguments);
    Decoder answer(view);
    (void)get<typename Op::Answer>(answer);
  });
}

}  // namespace
}  // namespace berth::guest
