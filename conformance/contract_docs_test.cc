#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/limits.h"
#include "testing/cases.h"

namespace berth {
namespace {

std::string read_text(const std::string& file) {
  std::ifstream stream(testing::source_path(file));
  EXPECT_TRUE(stream) << file;
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST(ContractPages, every_row_of_the_error_table_is_on_its_page_and_nothing_else) {
  const std::string page = read_text("docs/contract/errors.md");
  for (const ErrorInfo& row : error_table()) {
    std::string line = "| `" + std::string(row.name) + "` | " + std::to_string(row.http_status) + " | " +
                       std::to_string(row.json_rpc_code) + " | " + std::string(row.python_class) + " (" +
                       std::string(row.python_base) + ") | " + std::to_string(row.exit_code) + " | " +
                       (row.retryable ? "yes" : "no") + " | " + std::string(row.hint) + " |\n";
    EXPECT_NE(page.find(line), std::string::npos) << line;
  }
  const std::regex row("\n\\| `");
  EXPECT_EQ(std::distance(std::sregex_iterator(page.begin(), page.end(), row), std::sregex_iterator()),
            static_cast<std::ptrdiff_t>(error_table().size()));
}

TEST(ContractPages, every_limit_is_on_its_page_with_its_value) {
  const std::string page = read_text("docs/contract/limits.md");
  const std::vector<std::pair<std::string, long long>> values = {
      {"kPathBytes", limits::kPathBytes},           {"kNameBytes", limits::kNameBytes},
      {"kOutputLimit", limits::kOutputLimit},       {"kPartialOutput", limits::kPartialOutput},
      {"kTermGrace", limits::kTermGrace.count()},   {"kPageBytes", limits::kPageBytes},
      {"kListEntries", limits::kListEntries},       {"kSearchTime", limits::kSearchTime.count()},
      {"kSearchBytes", limits::kSearchBytes},       {"kReadAttempts", limits::kReadAttempts},
      {"kEditDiffBytes", limits::kEditDiffBytes},   {"kPatchFiles", limits::kPatchFiles},
      {"kPatchBytes", limits::kPatchBytes},         {"kPageLines", limits::kPageLines},
      {"kWholeReadBytes", limits::kWholeReadBytes}, {"kMediaBytes", limits::kMediaBytes},
      {"kToolOutput", limits::kToolOutput},         {"kToolCommandTime", limits::kToolCommandTime.count()},
      {"kLineExcerpt", limits::kLineExcerpt},       {"kLedgerFiles", limits::kLedgerFiles},
      {"kJobJournal", limits::kJobJournal},         {"kJobAge", limits::kJobAge.count()},
      {"kJobRecords", limits::kJobRecords},
  };
  for (const auto& [name, value] : values) {
    const std::string line = "| `" + name + "` | " + std::to_string(value) + " | ";
    EXPECT_NE(page.find(line), std::string::npos) << line;
  }
  // A constant that is added to the header must be added above and to the page.
  const std::string header = read_text("src/base/limits.h");
  const std::regex constant("inline constexpr [^;]*?\\b(k[A-Z]\\w*)");
  std::set<std::string> in_header;
  for (auto it = std::sregex_iterator(header.begin(), header.end(), constant); it != std::sregex_iterator(); ++it) {
    in_header.insert((*it)[1]);
  }
  std::set<std::string> checked;
  for (const auto& [name, value] : values) checked.insert(name);
  EXPECT_EQ(in_header, checked);
}

TEST(ContractPages, every_rule_that_a_test_names_is_in_a_chapter) {
  std::string pages;
  for (const char* chapter : {"values", "paths", "reading", "changing", "editing", "git", "listing-and-searching",
                              "commands", "environments-and-policies", "later"}) {
    pages += read_text("docs/contract/" + std::string(chapter) + ".md");
  }
  const std::regex rule("TEST_P\\(\\w+, C_([A-Z]+)_(\\d+)_");
  std::set<std::string> missing;
  int found = 0;
  for (const char* file : {"adversity", "changing", "commands", "editing", "environments", "finding", "git", "jobs",
                           "paths", "race", "reading", "values"}) {
    const std::string text = read_text("conformance/rules/" + std::string(file) + ".cc");
    for (auto it = std::sregex_iterator(text.begin(), text.end(), rule); it != std::sregex_iterator(); ++it) {
      ++found;
      const std::string name = "**C-" + (*it)[1].str() + "-" + (*it)[2].str() + "**";
      if (pages.find(name) == std::string::npos) missing.insert(name);
    }
  }
  EXPECT_GT(found, 100);
  EXPECT_EQ(missing, std::set<std::string>{});
}

TEST(ProvidersPage, has_every_rule_and_subject_of_the_suite) {
  // This program lies in BUILD/test, beside the programs of the suite.
  const auto build = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path().string();
  const std::string command = "python3 '" + testing::source_path("conformance/matrix.py") + "' '" + build + "' --check";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace berth
