#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::testing {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

const fs::path kSource = BERTH_SOURCE_DIR;

std::string text_of(const fs::path& page) {
  std::ifstream file(page, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Every page of the project: Markdown outside build folders and hidden ones.
std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  for (auto at = fs::recursive_directory_iterator(kSource); at != fs::recursive_directory_iterator(); ++at) {
    const auto name = at->path().filename().string();
    if (at->is_directory() && (name.starts_with(".") || name == "build")) at.disable_recursion_pending();
    if (at->is_regular_file() && at->path().extension() == ".md") found.push_back(at->path());
  }
  return found;
}

std::vector<std::string> all_matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) found.push_back((*at)[1]);
  return found;
}

TEST(Pages, every_relative_link_leads_somewhere) {
  // A target with a space is C++ between brackets and parentheses, not a link.
  const std::regex link(R"(\]\(([^)#:\s]+)(#[^)\s]*)?\))");
  for (const auto& page : pages()) {
    for (const auto& target : all_matches(text_of(page), link)) {
      EXPECT_TRUE(fs::exists(page.parent_path() / target)) << page << " links to " << target;
    }
  }
}

TEST(Pages, the_list_of_decisions_has_every_page) {
  const auto list = text_of(kSource / "docs/decisions/README.md");
  for (const auto& page : fs::directory_iterator(kSource / "docs/decisions")) {
    const auto name = page.path().filename().string();
    if (name == "README.md") continue;
    EXPECT_THAT(list, HasSubstr("(" + name + ")"));
  }
}

TEST(Pages, the_list_of_the_contract_has_every_chapter) {
  const auto list = text_of(kSource / "docs/contract/README.md");
  for (const auto& page : fs::directory_iterator(kSource / "docs/contract")) {
    const auto name = page.path().filename().string();
    if (name == "README.md") continue;
    EXPECT_THAT(list, HasSubstr("(" + name + ")"));
  }
}

TEST(Architecture, has_every_folder_and_no_other) {
  const auto page = text_of(kSource / "ARCHITECTURE.md");
  for (const auto& named : all_matches(page, std::regex(R"(`((src|docs|testing|tests|tools)/[a-z_./]+)`)"))) {
    EXPECT_TRUE(fs::exists(kSource / named)) << named;
  }
  for (const auto& folder : fs::directory_iterator(kSource / "src")) {
    if (!folder.is_directory()) continue;
    EXPECT_THAT(page, HasSubstr("| `src/" + folder.path().filename().string() + "` |"));
  }
  for (const auto& folder : fs::directory_iterator(kSource)) {
    const auto name = folder.path().filename().string();
    if (!folder.is_directory() || name.starts_with(".") || name == "build" || name == "src") continue;
    EXPECT_THAT(page, HasSubstr("`" + name + "`"));
  }
}

}  // namespace
}  // namespace berth::testing
