#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include <gtest/gtest.h>

#include "conformance/operations.h"
#include "conformance/rules.h"

namespace berth::conformance {
namespace {

BERTH_HOST_CHAPTER(PathsUnderAttack);

/// Swaps a directory for a link that leads out, and a file for one, as fast as the kernel lets it.
class Attacker {
 public:
  explicit Attacker(const HostTree& tree) : tree_(tree), thread_([this](std::stop_token stop) { attack(stop); }) {}

  std::int64_t swaps() const { return swaps_; }

 private:
  void attack(const std::stop_token& stop) {
    const std::string directory = tree_.at("swap");
    const std::string out = tree_.at("swap-out");
    const std::string file = tree_.at("leaf");
    const std::string file_out = tree_.at("leaf-out");
    while (!stop.stop_requested()) {
      swaps_ += exchange(directory, out) + exchange(file, file_out);
    }
  }

  static int exchange(const std::string& a, const std::string& b) {
    return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0 ? 1 : 0;
  }

  const HostTree& tree_;
  std::atomic<std::int64_t> swaps_ = 0;
  std::jthread thread_;
};

/// What one operation did while it was attacked.
struct Tally {
  std::int64_t tries = 0;
  std::int64_t done = 0;
  std::int64_t kept_in = 0;  ///< refused because the way led outside
  std::int64_t escapes = 0;
};

bool holds_secret(BytesView bytes) { return bytes.find("SECRET") != BytesView::npos; }

/// The reading operations, with a look at what they brought back.
bool read_escaped(Workspace& workspace, const std::string& path) {
  const auto page = workspace.read(soon(), path);
  const auto lines = workspace.read_lines(soon(), path);
  return (page && holds_secret(page->content)) || (lines && holds_secret(lines->content));
}

bool search_escaped(Workspace& workspace, const std::string& path) {
  SearchQuery query;
  query.pattern = "SECRET";
  const auto found = workspace.search(soon(), path, query);
  return found && !found->lines.empty();
}

bool listing_escaped(Workspace& workspace, const std::string& path) {
  const auto shows = [](std::string_view name) { return name.find("only-outside") != std::string_view::npos; };
  if (const auto listing = workspace.list_directory(soon(), path)) {
    for (const auto& entry : listing->entries) {
      if (shows(entry.name)) return true;
    }
  }
  if (const auto listed = workspace.glob(soon(), "**/*", path)) {
    for (const auto& entry : listed->paths) {
      if (shows(entry.text())) return true;
    }
  }
  return false;
}

bool command_escaped(Workspace& workspace, const std::string& directory) {
  CommandSpec spec = script("cat secret.txt");
  const auto cwd = workspace.resolve(directory);
  if (!cwd) return false;
  spec.cwd = *cwd;
  const auto outcome = workspace.run(soon(), spec);
  return outcome && holds_secret(outcome->out.head);
}

TEST_P(PathsUnderAttack, C_PATH_6_a_directory_swapped_for_a_link_never_leads_outside) {
  // Five seconds where confinement is made, kernel and fallback; a glance where a policy only passes it on.
  const bool makes_confinement = subject().name == "local" || subject().name == "local_no_openat2";
  const std::chrono::milliseconds total{makes_confinement ? 5000 : 500};

  host().write("swap/secret.txt", "inside\n");
  host().write("swap/sub/secret.txt", "inside\n");
  host().make_link("swap-out", host().outside());
  host().write("leaf", "inside\n");
  host().make_link("leaf-out", host().outside() + "/secret.txt");
  host().write_outside("only-outside", "SECRET\n");
  const auto outside = host().outside_state();

  const std::vector<Operation> operations = operations_of(subject());
  const std::vector<std::string> paths = {"swap/secret.txt", "swap/sub/secret.txt", "swap/new/deep", "swap", "leaf"};
  std::int64_t swaps = 0;
  std::vector<std::pair<std::string, Tally>> tallies;
  {
    Attacker attacker(host());
    const auto rounds = static_cast<std::int64_t>(operations.size()) + 4;
    const auto spend = [&](const std::string& name, auto&& once) {
      Tally tally;
      const Deadline end = Deadline::after(total / rounds);
      while (!end.passed()) {
        for (const std::string& path : paths) once(tally, path);
      }
      if (host().outside_state() != outside) ++tally.escapes;
      tallies.emplace_back(name, tally);
    };
    for (const Operation& operation : operations) {
      spend(operation.name, [&](Tally& tally, const std::string& path) {
        ++tally.tries;
        // The swapped names themselves are the attacker's: without them the attack would end.
        const bool takes_away = operation.name.starts_with("remove") || operation.name.starts_with("delete") ||
                                operation.name.starts_with("prune");
        if (takes_away && (path == "swap" || path == "leaf")) return;
        const auto result = operation.run(workspace(), soon(), path);
        if (result) {
          ++tally.done;
        } else if (result.error().code == ErrorCode::path_escape) {
          ++tally.kept_in;
        }
        // Keep something there to work on; through whichever name is the directory now.
        if (operation.kind == Operation::Kind::writes) {
          (void)workspace().write(soon(), "swap/secret.txt", "inside\n");
        }
      });
    }
    const auto watch = [&](const std::string& name, auto&& escaped) {
      spend(name, [&](Tally& tally, const std::string& path) {
        ++tally.tries;
        if (escaped(workspace(), path)) ++tally.escapes;
      });
    };
    watch("read: content", read_escaped);
    if (can_search()) watch("search: content", search_escaped);
    if (can_search()) watch("listings: names", listing_escaped);
    if (can_run()) watch("run: directory", command_escaped);
    swaps = attacker.swaps();
  }

  std::printf("%s: %lld swaps\n", subject().name.c_str(), static_cast<long long>(swaps));
  for (const auto& [name, tally] : tallies) {
    std::printf("  %-24s %8lld tries %8lld done %8lld refused as leading out, %lld escapes\n", name.c_str(),
                static_cast<long long>(tally.tries), static_cast<long long>(tally.done),
                static_cast<long long>(tally.kept_in), static_cast<long long>(tally.escapes));
    EXPECT_EQ(tally.escapes, 0) << name;
  }
  EXPECT_GT(swaps, 100);
  EXPECT_EQ(host().outside_state(), outside);
}

}  // namespace
}  // namespace berth::conformance
