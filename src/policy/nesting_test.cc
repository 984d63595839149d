#include <algorithm>
#include <numeric>

#include "policy/audit.h"
#include "policy/confined.h"
#include "policy/limits.h"
#include "policy/policy_fixture.h"
#include "policy/read_only.h"
#include "policy/sensitive.h"

namespace berth {
namespace {

using testing::FailsWith;
using testing::IsOk;
using testing::MemoryBackend;
using testing::path_of;

constexpr std::size_t kPolicies = 4;

/// One policy by number: sensitive, confined to `view`, limits, audit.
std::unique_ptr<Backend> wrap(std::size_t policy, std::unique_ptr<Backend> inner,
                              const std::shared_ptr<AuditLog>& log) {
  switch (policy) {
    case 0:
      return std::move(make_sensitive(std::move(inner),
                                      {.deny = {"*.key"}, .allow = {}, .protect = {".git"}, .hide = {"journal"}}))
          .value();
    case 1: return make_confined(std::move(inner), path_of("view"));
    case 2: return std::move(make_limited(std::move(inner), {.max_write_bytes = 16})).value();
    default: return make_audited(std::move(inner), log);
  }
}

/// C-POL-1: whatever the order, each policy keeps its promise through all the others.
TEST(Nesting, EveryOrderOfPoliciesKeepsEveryPromise) {
  std::vector<std::size_t> order(kPolicies);
  std::iota(order.begin(), order.end(), 0U);
  do {
    SCOPED_TRACE(::testing::PrintToString(order));
    auto owned = std::make_unique<MemoryBackend>();
    auto& memory = *owned;
    memory.file("outside.txt", "outside")
        .file("view/a.txt", "inside")
        .file("view/x.key", "key")
        .file("view/.git/config", "git")
        .file("view/sub/journal", "hidden")
        .link("view/to_key", "x.key")
        .link("view/to_git", ".git")
        .link("view/out", "../outside.txt")
        .link("view/round", "../view/x.key");
    auto log = std::make_shared<MemoryAuditLog>();
    std::unique_ptr<Backend> backend = std::move(owned);
    for (const auto policy : order) backend = wrap(policy, std::move(backend), log);
    Workspace workspace(std::move(backend));
    const Call call;

    EXPECT_EQ(workspace.read(call, "a.txt")->content, "inside");
    for (const char* path : {"x.key", "to_key", "round"}) {
      EXPECT_THAT(workspace.read(call, path), FailsWith(ErrorCode::policy_denied)) << path;
      EXPECT_THAT(workspace.write(call, path, "x"), FailsWith(ErrorCode::policy_denied)) << path;
    }
    EXPECT_THAT(workspace.read(call, "out"), FailsWith(ErrorCode::path_escape));
    EXPECT_THAT(workspace.write(call, "out", "x"), FailsWith(ErrorCode::path_escape));
    EXPECT_THAT(workspace.write(call, "to_git/config", "x"), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace.read(call, "sub/journal"), FailsWith(ErrorCode::not_found));
    EXPECT_THAT(workspace.write(call, "big", std::string(17, 'x')), FailsWith(ErrorCode::too_large));
    EXPECT_THAT(workspace.write(call, "small", "x"), IsOk());
    EXPECT_EQ(memory.content("view/small"), "x");

    std::vector<std::string> listed;
    const auto page = workspace.list(call);
    for (const auto& path : page->paths) listed.push_back(path.text());
    EXPECT_THAT(listed, ::testing::IsSupersetOf({".git/config", "a.txt", "small"}));
    for (const auto& path : listed) {
      EXPECT_TRUE(path != "x.key" && path != "sub/journal" && path != "to_key" && !path.starts_with("view")) << path;
    }
    for (const char* text : {"key", "hidden", "outside"}) {
      EXPECT_TRUE(workspace.search(call, ".", {.pattern = text})->lines.empty()) << text;
    }
    EXPECT_FALSE(log->events().empty());
    EXPECT_EQ(memory.content("outside.txt"), "outside");
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Nesting, ReadOnlyHoldsInsideAndOutside) {
  auto log = std::make_shared<MemoryAuditLog>();
  for (std::size_t policy = 0; policy < kPolicies; ++policy) {
    for (const bool inside : {true, false}) {
      auto owned = std::make_unique<MemoryBackend>();
      owned->file("view/a.txt", "x");
      std::unique_ptr<Backend> backend = std::move(owned);
      if (inside) backend = make_read_only(std::move(backend));
      backend = wrap(policy, std::move(backend), log);
      if (!inside) backend = make_read_only(std::move(backend));
      EXPECT_EQ(backend->writes(), nullptr);
      EXPECT_EQ(backend->commands(), nullptr);
      EXPECT_EQ(backend->jobs(), nullptr);
      EXPECT_EQ(backend->link_free().writes, nullptr);
      EXPECT_NE(backend->link_free().reads, nullptr);
      EXPECT_NE(backend->search(), nullptr);
      EXPECT_EQ(backend->info().access, Access::read_only);
    }
  }
}

TEST(Nesting, TwoFiltersOfWalksHoldTogether) {
  auto owned = std::make_unique<MemoryBackend>();
  owned->file("view/a", "x").file("view/b", "x").file("view/c", "x");
  std::unique_ptr<Backend> backend = std::move(owned);
  backend = std::move(make_sensitive(std::move(backend), {.deny = {"view/a"}})).value();
  backend = make_confined(std::move(backend), path_of("view"));
  backend = std::move(make_sensitive(std::move(backend), {.deny = {"/b"}})).value();
  Workspace workspace(std::move(backend));
  const auto page = workspace.list({});
  EXPECT_EQ(page->paths, std::vector<Path>{path_of("c")});
  EXPECT_EQ(page->total, 1);
  EXPECT_EQ(workspace.search({}, ".", {.pattern = "x"})->files_searched, 1);
}

}  // namespace
}  // namespace berth
