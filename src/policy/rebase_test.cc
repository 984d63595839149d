#include "policy/rebase.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"
#include "testing/memory_backend.h"

namespace berth {
namespace {

using testing::path_of;

TEST(Rebase, APathMovesWithItsBase) {
  EXPECT_EQ(rebase(path_of("a/b/c"), path_of("a"), path_of("x/y")), path_of("x/y/b/c"));
  EXPECT_EQ(rebase(path_of("a/b"), path_of("a/b"), path_of("x")), path_of("x"));
  EXPECT_EQ(rebase(path_of("a/b"), path_of("a"), Path()), path_of("b"));
  EXPECT_EQ(rebase(path_of("a"), path_of("a"), Path()), Path());
  EXPECT_EQ(rebase(path_of("b"), Path(), path_of("a")), path_of("a/b"));
  EXPECT_EQ(rebase(Path(), Path(), path_of("a")), path_of("a"));
}

TEST(Rebase, APathOutsideTheBaseStays) {
  EXPECT_EQ(rebase(path_of("ab/c"), path_of("a"), path_of("x")), path_of("ab/c"));
  EXPECT_EQ(rebase(path_of("b"), path_of("a"), path_of("x")), path_of("b"));
}

TEST(Join, TheRootOnEitherSideVanishes) {
  EXPECT_EQ(*join(path_of("a"), path_of("b/c")), path_of("a/b/c"));
  EXPECT_EQ(*join(Path(), path_of("b")), path_of("b"));
  EXPECT_EQ(*join(path_of("a"), Path()), path_of("a"));
}

TEST(Join, APathThatGetsTooLongIsRefused) {
  std::string text = "a";
  while (text.size() < 4000) text += "/aaaaaaaa";
  EXPECT_THAT(join(path_of(text), path_of(text)), testing::FailsWith(ErrorCode::invalid_argument));
}

}  // namespace
}  // namespace berth
