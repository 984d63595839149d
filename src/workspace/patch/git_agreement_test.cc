#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"
#include "workspace/patch/patch_plan.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

struct TreeFile {
  Bytes content;
  bool executable = false;

  bool operator==(const TreeFile&) const = default;
};
using Tree = std::map<std::string, TreeFile>;

void PrintTo(const TreeFile& file, std::ostream* out) {
  *out << (file.executable ? "x" : "-") << ::testing::PrintToString(file.content);
}

/// A tree in memory, as a plan looks at it.
class TreeFiles final : public PatchFiles {
 public:
  explicit TreeFiles(const Tree& tree) : tree_(tree) {}

  Result<std::optional<PatchedSource>> look(const Call&, const Path& path) override {
    const auto found = tree_.find(path.text());
    if (found == tree_.end()) {
      for (const auto& [name, file] : tree_) {
        if (name.starts_with(path.text() + "/")) return make_error(ErrorCode::is_a_directory, "a directory");
        if (path.text().starts_with(name + "/")) return make_error(ErrorCode::not_a_directory, "a file above");
      }
      return std::optional<PatchedSource>();
    }
    return std::optional(PatchedSource{found->second.content,
                                       {"sha256:" + to_hex(sha256(found->second.content))},
                                       found->second.executable ? GitMode::executable : GitMode::regular});
  }

 private:
  const Tree& tree_;
};

Tree applied(Tree tree, const PatchPlan& plan) {
  for (const auto& change : plan.changes) {
    if (!change.after) {
      tree.erase(change.path.text());
      continue;
    }
    TreeFile& file = tree[change.path.text()];
    file.content = *change.after;
    if (change.git_mode) file.executable = *change.git_mode == GitMode::executable;
  }
  return tree;
}

void write_tree(const fs::path& root, const Tree& tree) {
  fs::create_directories(root);
  for (const auto& entry : fs::directory_iterator(root)) {
    if (entry.path().filename() != ".git") fs::remove_all(entry.path());
  }
  for (const auto& [name, file] : tree) {
    const fs::path path = root / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << file.content;
    ::chmod(path.c_str(), file.executable ? 0755 : 0644);
  }
}

Bytes read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

Tree read_tree(const fs::path& root) {
  Tree tree;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->path().filename() == ".git") {
      entry.disable_recursion_pending();
      continue;
    }
    if (!entry->is_regular_file()) continue;
    struct stat facts {};
    ::stat(entry->path().c_str(), &facts);
    tree[entry->path().lexically_relative(root)] = {read_file(entry->path()), (facts.st_mode & 0100) != 0};
  }
  return tree;
}

/// Git, kept from every configuration but its own.
class Git {
 public:
  Git() {
    run("repository", "init -q .");
    run("repository", "config user.name t && git config user.email t@t");
  }

  bool run(const std::string& directory, const std::string& arguments) const {
    fs::create_directories(dir_.at(directory));
    const std::string command = "cd " + dir_.at(directory) + " && HOME=" + dir_.path() +
                                " GIT_CEILING_DIRECTORIES=" + dir_.path() + " GIT_CONFIG_NOSYSTEM=1 git " + arguments +
                                " >" + dir_.at("out") + " 2>" + dir_.at("err") + " </dev/null";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  /// The diff between two trees.
  Bytes diff(const Tree& before, const Tree& after, const std::string& options) const {
    write_tree(dir_.at("repository"), before);
    EXPECT_TRUE(run("repository", "add -A -f . && git write-tree"));
    Bytes one = read_file(dir_.at("out"));
    one.pop_back();
    write_tree(dir_.at("repository"), after);
    EXPECT_TRUE(run("repository", "add -A -f . && git write-tree"));
    Bytes other = read_file(dir_.at("out"));
    other.pop_back();
    EXPECT_TRUE(run("repository", "diff " + options + " " + one + " " + other)) << read_file(dir_.at("err"));
    return read_file(dir_.at("out"));
  }

  /// What `git apply` makes of a tree; nothing when it refuses.
  std::optional<Tree> apply(const Tree& tree, const Bytes& patch, const std::string& options = "") const {
    write_tree(dir_.at("applied"), tree);
    std::ofstream(dir_.at("patch"), std::ios::binary) << patch;
    if (!run("applied", "apply --whitespace=nowarn " + options + " " + dir_.at("patch"))) return std::nullopt;
    return read_tree(dir_.at("applied"));
  }

  Bytes complaint() const { return read_file(dir_.at("err")); }

 private:
  testing::TempDir dir_;
};

/// GNU patch without its liberties: no fuzz, no questions, no backups.
class GnuPatch {
 public:
  /// What it makes of a tree; nothing when it refuses a part.
  std::optional<Tree> apply(const Tree& tree, const Bytes& patch, const std::string& strip) const {
    write_tree(dir_.at("applied"), tree);
    std::ofstream(dir_.at("patch"), std::ios::binary) << patch;
    const std::string command = "cd " + dir_.at("applied") + " && patch " + strip +
                                " -s -f -F0 --no-backup-if-mismatch --reject-file=- -i " + dir_.at("patch") +
                                " >/dev/null 2>&1 </dev/null";
    const int status = std::system(command.c_str());
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
    return read_tree(dir_.at("applied"));
  }

 private:
  testing::TempDir dir_;
};

std::string reason_of(const Error& error) {
  const auto* reason = error.field("reason");
  return reason == nullptr ? std::string(error_info(error.code).name) : std::get<std::string>(*reason);
}

/// Our answer: the tree, or the reason.
Result<Tree> ours(const Tree& tree, const Bytes& text) {
  BERTH_TRY(const Patch patch, parse_patch(text, PatchForm::unified));
  TreeFiles files(tree);
  BERTH_TRY(const PatchPlan plan, plan_patch({}, patch, files));
  return applied(tree, plan);
}

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool one_in(std::size_t n) { return below(n) == 0; }

  std::string name() {
    static const std::vector<std::string> kNames = {"a",
                                                    "b",
                                                    "plain.txt",
                                                    "dir/b",
                                                    "dir/with space",
                                                    "quo\"te",
                                                    "new\nline",
                                                    "tab\tname",
                                                    "\xC3\xBCn\xC3\xAF",
                                                    "back\\slash",
                                                    "-dash",
                                                    "dir/sub/deep",
                                                    "trailing ",
                                                    "\xFF\xFE",
                                                    "x -> y",
                                                    "dir/\x01 ctrl",
                                                    "b/b/b",
                                                    "a b/a b",
                                                    "1",
                                                    "ends.orig"};
    return kNames[below(kNames.size())];
  }

  Bytes content() {
    if (one_in(12)) return "";
    const std::size_t words = one_in(3) ? 3 : 200;
    const bool crlf = one_in(5);
    const bool mixed = one_in(8);
    Bytes text;
    for (std::size_t i = 0, count = 1 + below(40); i < count; ++i) {
      text += "word " + std::to_string(below(words));
      if (one_in(9)) text = text.substr(0, text.size() - 1);
      if (one_in(15)) text += " \t";
      if (one_in(10)) text += "\n";
      text += (crlf != (mixed && one_in(3))) ? "\r\n" : "\n";
    }
    if (one_in(4)) text.pop_back();
    return text;
  }

  Tree tree() {
    Tree made;
    for (std::size_t i = 0, count = 1 + below(6); i < count; ++i) put(made, name(), {content(), one_in(5)});
    return made;
  }

  static void put(Tree& tree, const std::string& name, TreeFile file) {
    for (const auto& [other, _] : tree) {
      if (other.starts_with(name + "/") || name.starts_with(other + "/")) return;
    }
    tree[name] = std::move(file);
  }

  Bytes edited(const Bytes& text) {
    std::vector<Bytes> lines;
    std::istringstream in(text);
    for (Bytes line; std::getline(in, line);) lines.push_back(line + "\n");
    if (!lines.empty() && !text.ends_with('\n')) lines.back().pop_back();
    for (std::size_t i = 0, count = 1 + below(3); i < count; ++i) {
      const std::size_t at = lines.empty() ? 0 : below(lines.size());
      const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
      switch (below(4)) {
        case 0: lines.insert(place, "new " + std::to_string(below(4)) + "\n"); break;
        case 1:
          if (!lines.empty()) lines.erase(place);
          break;
        case 2:
          if (!lines.empty()) *place = "changed " + std::to_string(below(4)) + "\n";
          break;
        case 3:
          if (!lines.empty() && one_in(2)) {
            if (lines.back().ends_with('\n'))
              lines.back().pop_back();
            else
              lines.back() += "\n";
          }
          break;
      }
    }
    Bytes out;
    for (const auto& line : lines) out += line;
    return out;
  }

  Tree changed(const Tree& before) {
    Tree after = before;
    for (const auto& [name, file] : before) {
      switch (below(8)) {
        case 0: after.erase(name); break;
        case 1: after[name].executable = !file.executable; break;
        case 2: {
          TreeFile moved = file;
          if (one_in(2)) moved.content = edited(moved.content);
          after.erase(name);
          put(after, this->name(), moved);
          break;
        }
        case 3: break;
        default: after[name].content = edited(file.content); break;
      }
    }
    if (one_in(3)) put(after, name(), {content(), one_in(4)});
    return after;
  }

  std::string options() {
    static const std::vector<std::string> kOptions = {"",
                                                      "-M",
                                                      "-C --find-copies-harder",
                                                      "--no-renames",
                                                      "-U0",
                                                      "-U1",
                                                      "-U10",
                                                      "-M20% -U1",
                                                      "--full-index",
                                                      "--src-prefix=i/ --dst-prefix=w/",
                                                      "-D",
                                                      "--no-prefix",
                                                      "--histogram",
                                                      "--src-prefix=old/ --dst-prefix=new/"};
    return kOptions[below(kOptions.size())];
  }

  /// What happened to the files since the diff was made.
  Tree drifted(const Tree& before) {
    Tree now = before;
    for (auto& [name, file] : now) {
      switch (below(10)) {
        case 0: file.content = "top\nmost\n" + file.content; break;
        case 1: file.content = edited(file.content); break;
        case 2: file.content += file.content; break;
        default: break;
      }
    }
    return now;
  }

 private:
  std::mt19937 random_;
};

Bytes without_git_headers(const Bytes& diff) {
  Bytes out;
  std::istringstream in(diff);
  for (Bytes line; std::getline(in, line);) {
    if (line.starts_with("diff --git ") || line.starts_with("index ")) continue;
    const bool names = line.starts_with("--- ") || line.starts_with("+++ ");
    if (names && line.find('\t') == Bytes::npos) line += "\t2024-01-02 03:04:05.000000000 +0000";
    out += line + "\n";
  }
  return out;
}

/// Where git accepts what we refuse (docs/contract/patching.md).
const std::set<std::string> kDocumented = {"ambiguous_place", "no_context", "no_prefix", "in_the_way",
                                           "duplicate_target"};

TEST(GitAgreement, C_PATCH_1_the_result_is_that_of_git_apply) {
  const char* asked = std::getenv("BERTH_PATCH_ROUNDS");
  const unsigned rounds = asked == nullptr ? 150 : static_cast<unsigned>(std::atoi(asked));
  const Git git;
  const GnuPatch gnu;
  int both = 0;
  int all_three = 0;
  int git_only = 0;
  for (unsigned seed = 1; seed <= rounds; ++seed) {
    Maker maker(seed);
    const Tree before = maker.tree();
    const Tree after = maker.changed(before);
    Bytes patch = git.diff(before, after, maker.options());
    if (patch.empty()) continue;
    if (maker.one_in(8) && patch.find('"') == Bytes::npos && patch.find("mode ") == Bytes::npos &&
        patch.find("rename ") == Bytes::npos && patch.find("copy ") == Bytes::npos) {
      patch = without_git_headers(patch);
    }
    if (maker.one_in(6)) patch = "From: somebody\nSubject: words\n\n---\n f | 2 +-\n\n" + patch + "-- \n2.39.5\n";
    const Tree now = maker.one_in(3) ? maker.drifted(before) : before;
    const auto expected = git.apply(now, patch);
    // GNU patch drops blanks at the end of a name.
    const bool same_names = patch.find("trailing ") == Bytes::npos;
    const auto other = same_names ? gnu.apply(now, patch, "-p1") : std::nullopt;
    const auto actual = ours(now, patch);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + patch);
    if (expected) {
      if (actual) {
        ++both;
        ASSERT_EQ(*actual, *expected);
        if (other) {
          ++all_three;
          ASSERT_EQ(*actual, *other);
        }
      } else {
        ++git_only;
        ASSERT_TRUE(kDocumented.contains(reason_of(actual.error()))) << to_string(actual.error());
      }
    } else if (actual) {
      // What we take and git does not: names without any slash below `diff --git`, and a patch whose lines end
      // otherwise than all lines of the file.
      const Bytes complaint = git.complaint();
      const bool slashless = complaint.find("lacks filename information") != Bytes::npos;
      // Names without a prefix, taken as written because nothing stands at what git makes of them.
      const bool unprefixed = git.apply(now, patch, "-p0") == *actual;
      const auto as_written = unprefixed && same_names ? gnu.apply(now, patch, "-p0") : other;
      if (as_written) {
        ASSERT_EQ(*actual, *as_written);
      }
      const bool endings = patch.find("\r\n") != Bytes::npos || std::ranges::any_of(now, [](const auto& file) {
                             return file.second.content.find("\r\n") != Bytes::npos;
                           });
      ASSERT_TRUE(slashless || endings || unprefixed) << "git refuses: " << complaint;
    }
  }
  EXPECT_GT(both, static_cast<int>(rounds) / 3);
  RecordProperty("applied_by_both", both);
  RecordProperty("by_git_only", git_only);
  RecordProperty("applied_by_gnu_patch_too", all_three);
  std::printf("applied by both: %d, by GNU patch too: %d, by git only: %d\n", both, all_three, git_only);
}

}  // namespace
}  // namespace berth
