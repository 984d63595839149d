#include <filesystem>
#include <random>

#include "os/root_fixture.h"

namespace berth::os {
namespace {

namespace fs = std::filesystem;

/// A random little tree full of links, and random paths into it.
class Forest {
 public:
  explicit Forest(unsigned seed) : random_(seed) {
    dir_.make_directory("ws");
    dir_.write("out/a", "outside");
    for (int i = 0; i < 14; ++i) plant();
  }

  std::shared_ptr<Root> root(Way way, LinkPolicy links) const {
    return Root::open({dir_.at("ws")}, {links, {.openat2 = way == Way::kernel}}).value();
  }

  Path some_path() {
    Path made;
    for (int depth = 1 + below(4); depth > 0; --depth) made = made.child(name());
    return made;
  }

  int below(int bound) { return std::uniform_int_distribution(0, bound - 1)(random_); }

 private:
  std::string_view name() {
    constexpr std::string_view kNames[] = {"a", "b", "c", "d"};
    return kNames[below(4)];
  }

  std::string target() {
    std::string text;
    if (const int kind = below(10); kind < 2) {
      text = dir_.at("ws") + "/";
    } else if (kind == 2) {
      text = dir_.at("out") + "/";
    }
    for (int parts = 1 + below(4); parts > 0; --parts) {
      const int kind = below(10);
      text += kind < 6 ? name() : kind < 9 ? ".." : kind == 9 && below(2) == 0 ? "." : "";
      if (parts > 1 || below(5) == 0) text += '/';
    }
    return text;
  }

  /// Add one entry where a random path leads without links; nothing when it cannot be there.
  void plant() {
    const auto where = dir_.at("ws/" + some_path().text());
    std::error_code ignored;
    switch (below(3)) {
      case 0: fs::create_directories(where, ignored); break;
      case 1: ::close(::open(where.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600)); break;
      default:
        fs::create_directories(fs::path(where).parent_path(), ignored);
        fs::create_symlink(target(), where, ignored);
    }
  }

  std::mt19937 random_;
  testing::TempDir dir_;
};

std::string identity(const Fd& fd) {
  struct stat status {};
  return ::fstat(fd.get(), &status) == 0 ? "inode " + std::to_string(status.st_ino) : "nothing";
}

std::string text(const Path& found) { return found.text(); }
std::string place(const Root::Leaf& leaf) {
  return identity(leaf.directory) + " " + leaf.name + " " + leaf.path.text();
}

constexpr int kFlags[] = {O_RDONLY | O_NONBLOCK, O_PATH,
                          O_PATH | O_NOFOLLOW,   O_RDONLY | O_DIRECTORY,
                          O_RDONLY | O_NOFOLLOW, O_PATH | O_DIRECTORY};

TEST(SameAnswers, C_PATH_4_the_walk_gives_the_answers_of_openat2) {
  const Call call;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Forest forest(seed);
    for (const auto links : {LinkPolicy::follow_inside, LinkPolicy::refuse}) {
      const auto kernel = forest.root(Way::kernel, links);
      const auto walk = forest.root(Way::walk, links);
      for (int i = 0; i < 40; ++i) {
        const auto asked = forest.some_path();
        SCOPED_TRACE("seed " + std::to_string(seed) + ", path " + asked.text());
        for (const int flags : kFlags) {
          ASSERT_EQ(outcome(walk->open_path(call, asked, flags), identity),
                    outcome(kernel->open_path(call, asked, flags), identity))
              << "flags " << flags;
        }
        constexpr auto kExist = Root::Parents::must_exist;
        ASSERT_EQ(outcome(walk->real_path(call, asked), text), outcome(kernel->real_path(call, asked), text));
        ASSERT_EQ(outcome(walk->parent_of(call, asked, kExist), place),
                  outcome(kernel->parent_of(call, asked, kExist), place));
        ASSERT_EQ(outcome(walk->parent_of_target(call, asked, kExist), place),
                  outcome(kernel->parent_of_target(call, asked, kExist), place));
      }
    }
  }
}

TEST(SameAnswers, TheRealPathLeadsToTheSameThingWithoutLinks) {
  const Call call;
  int compared = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Forest forest(seed);
    for (const auto way : {Way::kernel, Way::walk}) {
      const auto follow = forest.root(way, LinkPolicy::follow_inside);
      const auto refuse = forest.root(way, LinkPolicy::refuse);
      for (int i = 0; i < 40; ++i) {
        const auto asked = forest.some_path();
        SCOPED_TRACE("seed " + std::to_string(seed) + ", path " + asked.text());
        const auto real = follow->real_path(call, asked);
        const auto opened = follow->open_path(call, asked, O_PATH);
        // A link over something missing (`missing/../a`) leads nowhere, but has a real path by its text, or leaves by
        // it.
        if (!opened && opened.error().code == ErrorCode::not_found) continue;
        if (!real) {
          ASSERT_EQ(outcome(opened, identity), outcome(real, text));
          continue;
        }
        ASSERT_TRUE(opened) << to_string(opened.error());
        ASSERT_EQ(identity(*opened), outcome(refuse->open_path(call, *real, O_PATH), identity));
        const auto target = follow->parent_of_target(call, asked, Root::Parents::must_exist);
        ASSERT_EQ(outcome(target, [](const Root::Leaf& leaf) { return leaf.path.text(); }),
                  real->is_root() ? "invalid_argument" : real->text());
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 200);
}

TEST(SameAnswers, MakingParentsMakesTheSameDirectories) {
  const Call call;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Forest for_kernel(seed);
    Forest for_walk(seed);
    const auto kernel = for_kernel.root(Way::kernel, LinkPolicy::follow_inside);
    const auto walk = for_walk.root(Way::walk, LinkPolicy::follow_inside);
    for (int i = 0; i < 12; ++i) {
      const auto asked = for_kernel.some_path();
      ASSERT_EQ(for_walk.some_path(), asked);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", path " + asked.text());
      const auto where = [](const Root::Leaf& leaf) { return leaf.path.text(); };
      const auto made = kernel->parent_of_target(call, asked, Root::Parents::make);
      ASSERT_EQ(outcome(walk->parent_of_target(call, asked, Root::Parents::make), where), outcome(made, where));
      if (made) {
        ASSERT_EQ(made->path.text(), outcome(kernel->real_path(call, asked), text));
      }
    }
  }
}

}  // namespace
}  // namespace berth::os
