#include "search/ignore.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "search/wildmatch.h"
#include "testing/temp_dir.h"

namespace berth::search {
namespace {

using Kind = IgnoreLevel::Kind;

std::shared_ptr<const IgnoreLevel> root_rules(std::string_view gitignore) {
  return IgnoreLevel::make(nullptr, ".", "", gitignore, "");
}

TEST(IgnoreLevel, reads_comments_escapes_and_trailing_blanks_as_git_does) {
  const auto rules = root_rules("# no\n\\#yes\n\\!bang\nblank  \nkept\\ \n\ncr\r\n");
  EXPECT_TRUE(rules->is_ignored("#yes", Kind::file));
  EXPECT_TRUE(rules->is_ignored("!bang", Kind::file));
  EXPECT_TRUE(rules->is_ignored("blank", Kind::file));
  EXPECT_TRUE(rules->is_ignored("kept ", Kind::file));
  EXPECT_FALSE(rules->is_ignored("kept", Kind::file));
  EXPECT_TRUE(rules->is_ignored("cr", Kind::file));
  EXPECT_FALSE(rules->is_ignored("# no", Kind::file));
}

TEST(IgnoreLevel, the_last_matching_rule_wins_and_a_slash_anchors) {
  const auto rules = root_rules("*.log\n!keep.log\n/top\na/b\nbuild/\n");
  EXPECT_TRUE(rules->is_ignored("x/y.log", Kind::file));
  EXPECT_FALSE(rules->is_ignored("x/keep.log", Kind::file));
  EXPECT_TRUE(rules->is_ignored("top", Kind::file));
  EXPECT_FALSE(rules->is_ignored("x/top", Kind::file));
  EXPECT_TRUE(rules->is_ignored("a/b", Kind::file));
  EXPECT_FALSE(rules->is_ignored("x/a/b", Kind::file));
  EXPECT_TRUE(rules->is_ignored("x/build", Kind::directory));
  EXPECT_FALSE(rules->is_ignored("x/build", Kind::file));
}

TEST(IgnoreLevel, nearer_levels_win_and_ignore_wins_over_gitignore_over_exclude) {
  const auto root = IgnoreLevel::make(nullptr, ".", "a\nb\nc\n", "!b\nc\n", "!c\n");
  EXPECT_TRUE(root->is_ignored("a", Kind::file));
  EXPECT_FALSE(root->is_ignored("b", Kind::file));
  EXPECT_FALSE(root->is_ignored("c", Kind::file));
  const auto below = IgnoreLevel::make(root, "d/e", "", "!a\n/b\n", "");
  EXPECT_FALSE(below->is_ignored("d/e/a", Kind::file));
  EXPECT_TRUE(below->is_ignored("d/e/b", Kind::file));
  EXPECT_FALSE(below->is_ignored("d/e/f/b", Kind::file));
  EXPECT_EQ(IgnoreLevel::make(below, "d/e/f", "", "", ""), below);
}

TEST(IgnoreLevel, lines_git_would_not_understand_match_nothing) {
  const auto rules = root_rules("a[\nb\\\n[[:nope:]]\n!\n/\n");
  for (const char* path : {"a[", "a", "b\\", "b", "n", "/", "!"})
    EXPECT_FALSE(rules->is_ignored(path, Kind::file)) << path;
}

TEST(Wildmatch, knows_every_posix_class) {
  const struct {
    const char* name;
    std::string yes;
    std::string no;
  } rows[] = {{"alnum", "aZ5", "-_"}, {"alpha", "aZ", "5"},    {"blank", " \t", "\n"}, {"cntrl", "\x01\x7F", "a"},
              {"digit", "059", "a"},  {"graph", "a!~", " "},   {"lower", "a", "A"},    {"print", "a ", "\t"},
              {"punct", "!~_", "a "}, {"space", " \t\v", "a"}, {"upper", "A", "a"},    {"xdigit", "aF9", "g"}};
  for (const auto& row : rows) {
    const Wildmatch pattern("[[:" + std::string(row.name) + ":]]", SlashRule::apart);
    for (const char c : row.yes) EXPECT_TRUE(pattern.matches({&c, 1})) << row.name << int{c};
    for (const char c : row.no) EXPECT_FALSE(pattern.matches({&c, 1})) << row.name << int{c};
  }
}

TEST(Wildmatch, a_hostile_pattern_costs_no_more_than_its_length_times_the_text) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a**/";
  EXPECT_FALSE(Wildmatch(pattern + "b", SlashRule::apart).matches(std::string(4000, 'a')));
  pattern.clear();
  for (int i = 0; i < 500; ++i) pattern += "**/";
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "a/";
  EXPECT_FALSE(Wildmatch(pattern + "b", SlashRule::apart).matches(text + "a"));
}

// ---- against git itself

std::string quoted(const std::string& text) { return "'" + text + "'"; }

/// What `git check-ignore` prints for paths (without a trailing slash), asked all at once.
std::set<std::string> git_ignored(const testing::TempDir& tree, const std::vector<std::string>& paths) {
  std::string asked;
  for (const auto& path : paths) asked += path + '\0';
  tree.write(".git/asked", asked);
  const std::string command = "cd " + quoted(tree.path()) +
                              " && HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1 git check-ignore --no-index -z --stdin < "
                              ".git/asked > .git/answered";
  [[maybe_unused]] const int status = std::system(command.c_str());
  std::set<std::string> ignored;
  const std::string answered = tree.read(".git/answered");
  for (std::size_t at = 0; at < answered.size();) {
    const auto end = answered.find('\0', at);
    ignored.insert(answered.substr(at, end - at));
    at = end + 1;
  }
  return ignored;
}

const std::vector<std::string> kNames{"a",   "b",     "ab", "foo", "foo.o", "#x", "!y",
                                      "a b", "tail ", ".h", "[z]", "b\\c",  "1",  "Aa"};

/// A random line of an ignore file.
std::string random_line(std::mt19937& random) {
  static const std::vector<std::string> pieces{"a",
                                               "b",
                                               "foo",
                                               ".o",
                                               "*",
                                               "?",
                                               "**",
                                               "**/",
                                               "/**",
                                               "/**/",
                                               "/",
                                               "[ab]",
                                               "[!a]",
                                               "[^b]",
                                               "[a-c]",
                                               "[[:alpha:]]",
                                               "[[:digit:]x]",
                                               "[]a]",
                                               "[]",
                                               "[",
                                               "[a",
                                               "\\",
                                               "\\*",
                                               "\\ ",
                                               " ",
                                               "!",
                                               "#",
                                               "\\#",
                                               "\\!",
                                               "\\a",
                                               "[\\]a]",
                                               "[[:nope:]]",
                                               "[a-]",
                                               "[--a]",
                                               "[:a]",
                                               "[[:x]",
                                               "Aa",
                                               "1",
                                               ".h",
                                               "x",
                                               "y",
                                               "***",
                                               "tail"};
  std::string line;
  if (random() % 5 == 0) line += '!';
  if (random() % 8 == 0) line += '/';
  for (std::size_t n = 1 + random() % 4; n > 0; --n) line += pieces[random() % pieces.size()];
  if (random() % 6 == 0) line += '/';
  if (random() % 8 == 0) line += ' ';
  return line;
}

std::string random_rules(std::mt19937& random) {
  std::string text = random() % 12 == 0 ? "\xEF\xBB\xBF" : "";
  const bool crlf = random() % 5 == 0;
  for (std::size_t n = 1 + random() % 5; n > 0; --n) text += random_line(random) + (crlf ? "\r\n" : "\n");
  if (random() % 4 == 0) text.pop_back();
  return text;
}

TEST(IgnoreLevel, C_SEARCH_2_agrees_with_git_check_ignore_on_random_trees) {
  testing::TempDir tree;
  ASSERT_EQ(std::system(("git init -q " + quoted(tree.path())).c_str()), 0);
  std::mt19937 random(7);
  // One tree of every name in three levels; the rules change from round to round.
  std::vector<std::string> directories{"."};
  std::map<std::string, Kind> paths;
  for (const auto& directory :
       {std::string("a"), std::string("foo"), std::string("foo/b"), std::string("a/ab"), std::string("foo/b/Aa")}) {
    tree.make_directory(directory);
    paths[directory] = Kind::directory;
    directories.push_back(directory);
  }
  for (const auto& directory : directories) {
    for (const auto& name : kNames) {
      const std::string path = directory == "." ? name : directory + "/" + name;
      if (!paths.emplace(path, Kind::file).second) continue;
      tree.write(path, "");
    }
  }
  std::vector<std::string> asked;
  for (const auto& [path, kind] : paths) asked.push_back(path);

  std::size_t ignored_paths = 0;
  for (int round = 0; round < 400; ++round) {
    std::map<std::string, std::string> rules;
    for (const auto& directory : directories) {
      rules[directory] = directory == "." || random() % 3 == 0 ? random_rules(random) : "";
      tree.write(directory + "/.gitignore", rules[directory]);
    }
    const std::string exclude = random() % 2 == 0 ? random_rules(random) : "";
    tree.write(".git/info/exclude", exclude);

    // Walk down as a walker does: what is below an ignored directory is ignored.
    std::map<std::string, std::shared_ptr<const IgnoreLevel>> levels;
    levels["."] = IgnoreLevel::make(nullptr, ".", exclude, rules["."], "");
    std::set<std::string> ours;
    for (const auto& [path, kind] : paths) {
      const auto slash = path.rfind('/');
      const std::string parent = slash == std::string::npos ? "." : path.substr(0, slash);
      if (ours.contains(parent) || levels[parent]->is_ignored(path, kind)) {
        ours.insert(path);
      }
      if (kind == Kind::directory) levels[path] = IgnoreLevel::make(levels[parent], path, "", rules[path], "");
    }
    const auto gits = git_ignored(tree, asked);
    ignored_paths += gits.size();
    ASSERT_EQ(ours, gits) << "exclude: " << exclude << "\nroot: " << rules["."] << "\na: " << rules["a"]
                          << "\nfoo: " << rules["foo"] << "\nfoo/b: " << rules["foo/b"];
  }
  EXPECT_GT(ignored_paths, 2000U);
}

}  // namespace
}  // namespace berth::search
