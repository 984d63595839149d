#include "engine/tree/host_survey.h"

#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/temp_name.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace berth::engine {
namespace {

using testing::FailsWith;
using testing::IsOk;
using testing::TempDir;

/// Writes down what a survey shows.
class Notes final : public SurveyVisitor {
 public:
  explicit Notes(std::string not_entered = "") : not_entered_(std::move(not_entered)) {}

  bool enter(const Path& directory) override { return directory.text() != not_entered_; }
  void directory(const Path& directory, std::span<const SurveyedName> names) override {
    const std::lock_guard lock(mutex_);
    for (auto name : names) {
      const auto path = directory.is_root() ? std::string(name.name) : directory.text() + "/" + std::string(name.name);
      name.name = {};
      EXPECT_TRUE(seen.emplace(path, name).second) << path;
    }
  }

  std::map<std::string, SurveyedName> seen;

 private:
  const std::string not_entered_;
  std::mutex mutex_;
};

std::unique_ptr<TreeSurvey> survey_of(const TempDir& directory, int threads) {
  auto root = os::Root::open({directory.path()}, {os::LinkPolicy::refuse, os::Features::probe()});
  EXPECT_THAT(root, IsOk());
  return make_host_survey(std::move(root).value(), threads);
}

std::vector<std::string> names_of(const Notes& notes) {
  std::vector<std::string> names;
  for (const auto& [name, facts] : notes.seen) names.push_back(name);
  return names;
}

TEST(HostSurvey, shows_every_name_as_lstat_describes_it_whatever_the_threads) {
  const TempDir directory;
  for (int i = 0; i < 700; ++i) directory.write("d" + std::to_string(i % 13) + "/e/f" + std::to_string(i), "x");
  directory.make_directory("empty");
  ASSERT_EQ(symlink("d1", directory.at("link").c_str()), 0);
  ASSERT_EQ(mkfifo(directory.at("fifo").c_str(), 0600), 0);
  for (const int threads : {1, 2, 7}) {
    Notes notes;
    ASSERT_THAT(survey_of(directory, threads)->survey(Call(), notes), IsOk());
    EXPECT_EQ(notes.seen.size(), 700U + 13 + 13 + 3);
    for (const auto& [name, facts] : notes.seen) {
      struct stat st {};
      ASSERT_EQ(lstat(directory.at(name).c_str(), &st), 0) << name;
      EXPECT_EQ(facts, (SurveyedName{.name = {},
                                     .mode = st.st_mode,
                                     .inode = st.st_ino,
                                     .owner = st.st_uid,
                                     .group = st.st_gid,
                                     .size = static_cast<std::uint64_t>(st.st_size),
                                     .modified_s = st.st_mtim.tv_sec,
                                     .modified_ns = static_cast<std::uint32_t>(st.st_mtim.tv_nsec),
                                     .changed_s = st.st_ctim.tv_sec,
                                     .changed_ns = static_cast<std::uint32_t>(st.st_ctim.tv_nsec)}))
          << name;
    }
  }
}

TEST(HostSurvey, looks_into_what_the_visitor_enters_and_never_through_a_link) {
  const TempDir directory;
  directory.write("a/f", "");
  directory.write("b/f", "");
  ASSERT_EQ(symlink("a", directory.at("link").c_str()), 0);
  Notes notes("b");
  ASSERT_THAT(survey_of(directory, 2)->survey(Call(), notes), IsOk());
  EXPECT_THAT(names_of(notes), ::testing::ElementsAre("a", "a/f", "b", "link"));
}

TEST(HostSurvey, does_not_show_our_temporary_files) {
  const TempDir directory;
  for (const auto& name : {os::make_temp_name(), os::make_journal_name(), os::make_kept_name(), std::string("f")}) {
    directory.write(name, "");
  }
  Notes notes;
  ASSERT_THAT(survey_of(directory, 2)->survey(Call(), notes), IsOk());
  EXPECT_THAT(names_of(notes), ::testing::ElementsAre("f"));
}

TEST(HostSurvey, ends_with_the_call) {
  const TempDir directory;
  directory.write("a/f", "");
  std::stop_source stop;
  stop.request_stop();
  Notes notes;
  EXPECT_THAT(survey_of(directory, 2)->survey(Call{Deadline::never(), stop.get_token(), {}}, notes),
              FailsWith(ErrorCode::cancelled));
}

}  // namespace
}  // namespace berth::engine
