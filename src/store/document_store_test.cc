#include "store/document_store.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "store/store_fixtures.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace berth::store {
namespace {

using namespace std::chrono_literals;
using berth::testing::FailsWith;
using berth::testing::IsOk;
using berth::testing::TempDir;

class EveryStore : public ::testing::TestWithParam<const char*> {
 protected:
  TempDir directory_;
  std::unique_ptr<DocumentStore> store_ = open_store(GetParam(), directory_.path());
  const std::string id_{kOnlyDocument};
};

INSTANTIATE_TEST_SUITE_P(Stores, EveryStore, ::testing::Values("memory", "directory", "file", "sqlite"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(EveryStore, gives_back_what_was_created) {
  const Bytes content("a\0b\xff\n", 5);
  const Version version = store_->create(Call{}, id_, content).value();
  EXPECT_EQ(store_->get(Call{}, id_).value(), (StoredDocument{content, version}));
}

TEST_P(EveryStore, keeps_an_empty_document) {
  const Version version = store_->create(Call{}, id_, "").value();
  EXPECT_EQ(store_->get(Call{}, id_).value(), (StoredDocument{"", version}));
}

TEST_P(EveryStore, knows_nothing_of_a_missing_document) {
  EXPECT_THAT(store_->get(Call{}, id_), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(store_->get_if_changed(Call{}, id_, Version{"1"}), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(store_->put(Call{}, id_, "x", Version{"1"}), FailsWith(ErrorCode::not_found));
  EXPECT_EQ(store_->erase(Call{}, id_).value(), DocumentStore::Erased::was_absent);
  EXPECT_EQ(store_->list(Call{}).value(), std::vector<std::string>{});
}

TEST_P(EveryStore, creates_a_document_once) {
  const Version version = store_->create(Call{}, id_, "one").value();
  EXPECT_THAT(store_->create(Call{}, id_, "two"), FailsWith(ErrorCode::already_exists));
  EXPECT_EQ(store_->get(Call{}, id_).value(), (StoredDocument{"one", version}));
}

TEST_P(EveryStore, puts_only_over_the_expected_version) {
  const Version first = store_->create(Call{}, id_, "one").value();
  const Version second = store_->put(Call{}, id_, "two", first).value();
  EXPECT_THAT(store_->put(Call{}, id_, "three", first), FailsWith(ErrorCode::conflict));
  EXPECT_EQ(store_->get(Call{}, id_).value(), (StoredDocument{"two", second}));
}

TEST_P(EveryStore, gives_every_change_a_version_that_never_was) {
  std::set<std::string> seen;
  Version version = store_->create(Call{}, id_, "same").value();
  seen.insert(version.text);
  for (int i = 0; i < 50; ++i) {
    version = store_->put(Call{}, id_, "same", version).value();
    EXPECT_TRUE(seen.insert(version.text).second) << version.text;
  }
  ASSERT_THAT(store_->erase(Call{}, id_), IsOk());
  EXPECT_TRUE(seen.insert(store_->create(Call{}, id_, "same").value().text).second);
}

TEST_P(EveryStore, reads_a_document_again_only_when_it_changed) {
  const Version first = store_->create(Call{}, id_, "one").value();
  EXPECT_EQ(store_->get_if_changed(Call{}, id_, first).value(), std::nullopt);
  const Version second = store_->put(Call{}, id_, "two", first).value();
  EXPECT_EQ(store_->get_if_changed(Call{}, id_, first).value(), (StoredDocument{"two", second}));
}

TEST_P(EveryStore, erases) {
  ASSERT_THAT(store_->create(Call{}, id_, "one"), IsOk());
  EXPECT_EQ(store_->list(Call{}).value(), std::vector<std::string>{id_});
  EXPECT_EQ(store_->erase(Call{}, id_).value(), DocumentStore::Erased::yes);
  EXPECT_THAT(store_->get(Call{}, id_), FailsWith(ErrorCode::not_found));
  EXPECT_EQ(store_->list(Call{}).value(), std::vector<std::string>{});
}

TEST_P(EveryStore, refuses_a_document_over_the_limit_and_names_the_limit) {
  const TempDir directory;
  const auto store = open_store(GetParam(), directory.path(), {.max_document_bytes = 4});
  const Version version = store->create(Call{}, id_, "four").value();
  const auto refused = store->put(Call{}, id_, "fiver", version);
  ASSERT_THAT(refused, FailsWith(ErrorCode::too_large));
  EXPECT_EQ(*refused.error().field("limit"), ErrorField::Value("max_document_bytes"));
  EXPECT_EQ(*refused.error().field("limit_bytes"), ErrorField::Value(std::int64_t{4}));
  EXPECT_EQ(*refused.error().field("size_bytes"), ErrorField::Value(std::int64_t{5}));
  EXPECT_EQ(store->get(Call{}, id_).value().content, "four");
}

TEST_P(EveryStore, does_nothing_for_a_call_that_is_over) {
  const Version version = store_->create(Call{}, id_, "one").value();
  const Call late{.deadline = Deadline::after(0ms)};
  std::stop_source stop;
  stop.request_stop();
  const Call cancelled{.stop = stop.get_token()};
  EXPECT_THAT(store_->put(late, id_, "two", version), FailsWith(ErrorCode::timed_out));
  EXPECT_THAT(store_->put(cancelled, id_, "two", version), FailsWith(ErrorCode::cancelled));
  EXPECT_THAT(store_->get(late, id_), FailsWith(ErrorCode::timed_out));
  EXPECT_EQ(store_->get(Call{}, id_).value(), (StoredDocument{"one", version}));
}

TEST_P(EveryStore, lets_exactly_one_of_many_threads_swap_a_version) {
  const Version version = store_->create(Call{}, id_, "start").value();
  std::atomic<int> won{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] { won += store_->put(Call{}, id_, std::to_string(i), version) ? 1 : 0; });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(won, 1);
}

class StoresOfMany : public EveryStore {};

INSTANTIATE_TEST_SUITE_P(Stores, StoresOfMany, ::testing::Values("memory", "directory", "sqlite"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(StoresOfMany, lists_ids_sorted_by_bytes) {
  for (const char* id : {"b", "a-1", "0", "a.json", "a"}) ASSERT_THAT(store_->create(Call{}, id, id), IsOk());
  EXPECT_EQ(store_->list(Call{}).value(), (std::vector<std::string>{"0", "a", "a-1", "a.json", "b"}));
  EXPECT_EQ(store_->get(Call{}, "a.json").value().content, "a.json");
}

TEST_P(StoresOfMany, refuses_ids_that_could_escape_or_collide) {
  for (const std::string id : {"", ".", "..", "../x", "a/b", ".hidden", "A", "a b", "é", "-x", "_x"}) {
    EXPECT_THAT(store_->create(Call{}, id, "x"), FailsWith(ErrorCode::invalid_argument)) << id;
    EXPECT_THAT(store_->get(Call{}, id), FailsWith(ErrorCode::invalid_argument)) << id;
    EXPECT_THAT(store_->erase(Call{}, id), FailsWith(ErrorCode::invalid_argument)) << id;
  }
  EXPECT_THAT(store_->create(Call{}, std::string("a\0b", 3), "x"), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(store_->create(Call{}, std::string(129, 'a'), "x"), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(store_->create(Call{}, std::string(128, 'a'), "x"), IsOk());
}

TEST(Stores, have_one_key_for_one_place) {
  const TempDir directory;
  directory.make_link("link", "documents");
  const auto one = open_directory_store({directory.at("documents")}).value();
  const auto same = open_directory_store({directory.at("link")}).value();
  const auto other = open_directory_store({directory.at("other")}).value();
  EXPECT_EQ(one->key(), same->key());
  EXPECT_NE(one->key(), other->key());
  EXPECT_NE(make_memory_store()->key(), make_memory_store()->key());
}

TEST(DirectoryStore, leaves_files_of_other_names_alone) {
  const TempDir directory;
  directory.write("documents/README.md", "hello");
  directory.write("documents/UPPER.json", "{}");
  const auto store = open_directory_store({directory.at("documents")}).value();
  ASSERT_THAT(store->create(Call{}, "a", "one"), IsOk());
  EXPECT_EQ(store->list(Call{}).value(), std::vector<std::string>{"a"});
  EXPECT_EQ(directory.read("documents/README.md"), "hello");
  EXPECT_EQ(directory.read("documents/a.json"), "one");
}

TEST(DirectoryStore, sees_a_change_by_a_program_that_writes_in_place) {
  const TempDir directory;
  const auto store = open_directory_store({directory.at("documents")}).value();
  const Version version = store->create(Call{}, "a", "one").value();
  directory.write("documents/a.json", "two");
  EXPECT_EQ(store->get_if_changed(Call{}, "a", version).value()->content, "two");
  EXPECT_THAT(store->put(Call{}, "a", "three", version), FailsWith(ErrorCode::conflict));
}

TEST(DirectoryStore, never_reads_what_is_no_regular_file) {
  const TempDir directory;
  const auto store = open_directory_store({directory.at("documents")}).value();
  directory.write("secret", "secret");
  directory.make_link("documents/link.json", "../secret");
  ASSERT_EQ(::mkfifo(directory.at("documents/fifo.json").c_str(), 0600), 0);
  directory.make_directory("documents/folder.json");
  for (const char* id : {"link", "fifo", "folder"}) {
    EXPECT_THAT(store->get(Call{}, id), FailsWith(ErrorCode::not_regular)) << id;
  }
}

}  // namespace
}  // namespace berth::store
