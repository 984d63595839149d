#include "workspace/edit/unified_diff.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <random>

#include "testing/temp_dir.h"
#include "workspace/edit/line_diff.h"

namespace berth {
namespace {

using testing::TempDir;

constexpr std::size_t kNoBound = 1 << 30;

TEST(UnifiedDiff, EqualContentsHaveNone) { EXPECT_EQ(unified_diff("a", "x\n", "x\n", kNoBound), BoundedDiff{}); }

TEST(UnifiedDiff, AChangeHasThreeLinesOfContext) {
  EXPECT_EQ(unified_diff("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", kNoBound).text,
            "--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, AMissingLastNewlineIsMarked) {
  EXPECT_EQ(unified_diff("f", "a\nb", "a\nb\n", kNoBound).text,
            "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
}

TEST(UnifiedDiff, AnEmptySideHasARangeWithoutLines) {
  EXPECT_EQ(unified_diff("f", "", "a\n", kNoBound).text, "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(unified_diff("f", "a\n", "", kNoBound).text, "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-a\n");
}

TEST(UnifiedDiff, ANulByteMakesItBinary) {
  EXPECT_EQ(unified_diff("f", "a", std::string_view("\0", 1), kNoBound).text, "Binary files differ\n");
}

TEST(UnifiedDiff, CarriageReturnsBelongToTheirLines) {
  EXPECT_EQ(unified_diff("f", "a\r\n", "a\n", kNoBound).text, "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\r\n+a\n");
}

TEST(UnifiedDiff, NamesAreQuotedAsGitDoes) {
  const auto first_line = [](std::string_view name) {
    const auto text = unified_diff(name, "", "a\n", kNoBound).text;
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(first_line("plain.txt"), "--- a/plain.txt");
  EXPECT_EQ(first_line("a b"), "--- a/a b\t");
  EXPECT_EQ(first_line("say \"x\"\\"), "--- \"a/say \\\"x\\\"\\\\\"\t");
  EXPECT_EQ(first_line("tab\tline\n\x01"), "--- \"a/tab\\tline\\n\\001\"");
  EXPECT_EQ(first_line("\u00e9"), "--- a/\u00e9");
  EXPECT_EQ(first_line("\xFF"), "--- \"a/\\377\"");
}

TEST(UnifiedDiff, WhatIsCutIsCutBetweenHunks) {
  Bytes before;
  Bytes after;
  for (int i = 0; i < 200; ++i) {
    before += "line " + std::to_string(i) + "\n";
    after += i % 20 == 10 ? "changed\n" : "line " + std::to_string(i) + "\n";
  }
  const auto whole = unified_diff("f", before, after, kNoBound);
  EXPECT_FALSE(whole.truncated);
  const auto cut = unified_diff("f", before, after, 400);
  EXPECT_TRUE(cut.truncated);
  EXPECT_LE(cut.text.size(), 400U);
  EXPECT_TRUE(whole.text.starts_with(cut.text));
  EXPECT_EQ(whole.text.substr(cut.text.size(), 3), "@@ ");
}

TEST(UnifiedDiff, AFirstHunkThatIsTooLongIsCutBetweenLines) {
  Bytes after;
  for (int i = 0; i < 100; ++i) after += "line " + std::to_string(i) + "\n";
  const auto cut = unified_diff("f", "", after, 200);
  EXPECT_TRUE(cut.truncated);
  EXPECT_LE(cut.text.size(), 200U);
  EXPECT_THAT(cut.text, ::testing::StartsWith("--- a/f\n+++ b/f\n@@ -0,0 +1,"));
  EXPECT_EQ(unified_diff("f", "", after, 10), (BoundedDiff{.text = {}, .truncated = true}));
}

TEST(UnifiedDiff, HugeDifferencesStayCheap) {
  Bytes before;
  Bytes after;
  std::mt19937 random(7);
  for (int i = 0; i < 60'000; ++i) {
    before += std::to_string(random() % 50) + "\n";
    after += std::to_string(random() % 50) + "\n";
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(unified_diff("f", before, after, kNoBound).text.empty());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

/// Length of a shortest script, by the textbook table.
std::size_t shortest_script(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = a[i - 1] == b[j - 1] ? diagonal : std::min(above, row[j - 1]) + 1;
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::vector<std::uint32_t> kept(const std::vector<std::uint32_t>& lines, const std::vector<bool>& gone) {
  std::vector<std::uint32_t> left;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!gone[i]) left.push_back(lines[i]);
  }
  return left;
}

TEST(DiffLines, IsAShortestScriptWhileTheEffortLastsAndAlwaysRight) {
  std::mt19937 random(42);
  for (int round = 0; round < 5'000; ++round) {
    const auto some = [&] {
      std::vector<std::uint32_t> lines(random() % 20);
      for (auto& line : lines) line = random() % 6;
      return lines;
    };
    const auto before = some();
    const auto after = some();
    const auto best = diff_lines(before, after);
    ASSERT_EQ(kept(before, best.removed), kept(after, best.added));
    const auto changes = std::ranges::count(best.removed, true) + std::ranges::count(best.added, true);
    ASSERT_EQ(static_cast<std::size_t>(changes), shortest_script(before, after));
    const auto hasty = diff_lines(before, after, {.max_edits = 2, .max_steps = 10});
    ASSERT_EQ(kept(before, hasty.removed), kept(after, hasty.added));
  }
}

Bytes random_text(std::mt19937& random, std::size_t max_lines) {
  Bytes text;
  for (std::size_t lines = random() % (max_lines + 1); lines > 0; --lines) {
    text += "line " + std::to_string(random() % 12) + (random() % 8 == 0 ? "\r\n" : "\n");
  }
  if (!text.empty() && random() % 3 == 0) text.pop_back();
  return text;
}

Bytes changed(std::mt19937& random, const Bytes& text) {
  Bytes result;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const auto choice = random() % 10;
    if (choice == 0) result += random_text(random, 2);
    if (choice != 1) result += text.substr(begin, end - begin);
    begin = end;
  }
  return result;
}

TEST(UnifiedDiff, GitApplyAndPatchMakeTheNewContentOfTheOld) {
  std::mt19937 random(20261130);
  const TempDir dir;
  for (int round = 0; round < 150; ++round) {
    const Bytes before = random_text(random, 40);
    const Bytes after = changed(random, before);
    const auto diff = unified_diff("some file.txt", before, after, kNoBound);
    if (diff.text.empty()) {
      ASSERT_EQ(before, after);
      continue;
    }
    dir.write("some file.txt", before);
    dir.write("p.diff", diff.text);
    const bool with_git = round % 2 == 0;
    const std::string tool = with_git ? "git apply --unidiff-zero --whitespace=nowarn p.diff"
                                      : "patch --binary -s -p1 --no-backup-if-mismatch < p.diff";
    ASSERT_EQ(std::system(("cd '" + dir.path() + "' && " + tool).c_str()), 0) << diff.text;
    // patch removes a file that became empty.
    ASSERT_EQ(dir.exists("some file.txt") ? dir.read("some file.txt") : "", after) << diff.text;
  }
}

TEST(UnifiedDiff, ACutDiffStillApplies) {
  std::mt19937 random(99);
  const TempDir dir;
  for (int round = 0; round < 60; ++round) {
    const Bytes before = random_text(random, 60);
    const Bytes after = changed(random, before);
    const auto diff = unified_diff("f", before, after, 150 + random() % 600);
    if (!diff.truncated || diff.text.empty()) continue;
    dir.write("f", before);
    dir.write("p.diff", diff.text);
    ASSERT_EQ(
        std::system(("cd '" + dir.path() + "' && patch --binary -s -p1 --no-backup-if-mismatch < p.diff").c_str()), 0)
        << diff.text;
  }
}

TEST(UnifiedDiff, AChangeInALargeContentIsComparedAlone) {
  const Bytes lines(6'000'000, '\n');
  const auto diff = unified_diff("f", lines + "a\n" + lines, lines + "b\n" + lines, kNoBound);
  EXPECT_EQ(diff.text, "--- a/f\n+++ b/f\n@@ -5999998,7 +5999998,7 @@\n \n \n \n-a\n+b\n \n \n \n");
}

TEST(UnifiedDiff, ContentsThatDifferOverTooMuchAreNotCompared) {
  const auto diff = unified_diff("f", Bytes(5'000'000, '\n'), "x\n" + Bytes(5'000'000, 'y'), kNoBound);
  EXPECT_EQ(diff, (BoundedDiff{.text = {}, .truncated = true}));
}

}  // namespace
}  // namespace berth
