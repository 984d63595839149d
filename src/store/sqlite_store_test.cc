#include "store/sqlite_store.h"

#include <sys/stat.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "store/sqlite_probe.h"
#include "store/store_fixtures.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace berth::store {
namespace {

using namespace std::chrono_literals;
using berth::testing::FailsWith;
using berth::testing::IsOk;
using berth::testing::TempDir;

void run_sql(const std::string& file, const char* sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

TEST(SqliteStore, holds_its_documents_when_it_is_opened_again) {
  const TempDir directory;
  const std::string file = directory.at("store.db");
  const Version version = open_sqlite_store(Call{}, {file}).value()->create(Call{}, "a", "one").value();
  EXPECT_EQ(open_sqlite_store(Call{}, {file}).value()->get(Call{}, "a").value(), (StoredDocument{"one", version}));
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
}

TEST(ProbeSqlite, gives_the_version_of_what_works) { EXPECT_EQ(probe_sqlite().value(), sqlite3_libversion()); }

TEST(SqliteStore, shares_its_documents_with_another_connection) {
  const TempDir directory;
  const auto one = open_store("sqlite", directory.path());
  const auto two = open_store("sqlite", directory.path());
  const Version version = one->create(Call{}, "a", "one").value();
  ASSERT_THAT(two->put(Call{}, "a", "two", version), IsOk());
  EXPECT_EQ(one->get(Call{}, "a").value().content, "two");
  EXPECT_EQ(one->key(), two->key());
}

TEST(SqliteStore, waits_for_another_writer_no_longer_than_the_call) {
  const TempDir directory;
  const auto store = open_store("sqlite", directory.path());
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(directory.at("store.db").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto begin = Clock::now();
  EXPECT_THAT(store->create(Call{.deadline = Deadline::after(30ms)}, "a", "x"), FailsWith(ErrorCode::timed_out));
  EXPECT_LT(Clock::now() - begin, 80ms);
  ASSERT_EQ(sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_THAT(store->create(Call{}, "a", "x"), IsOk());
}

TEST(SqliteStore, refuses_a_database_of_something_else_and_leaves_it) {
  const TempDir directory;
  run_sql(directory.at("other.db"), "CREATE TABLE theirs(x)");
  EXPECT_THAT(open_sqlite_store(Call{}, {directory.at("other.db")}), FailsWith(ErrorCode::invalid_argument));
  run_sql(directory.at("other.db"), "INSERT INTO theirs VALUES (1)");
}

TEST(SqliteStore, refuses_a_database_of_a_newer_berth) {
  const TempDir directory;
  (void)open_store("sqlite", directory.path());
  run_sql(directory.at("store.db"), "PRAGMA user_version = 2");
  EXPECT_THAT(open_sqlite_store(Call{}, {directory.at("store.db")}), FailsWith(ErrorCode::invalid_argument));
}

TEST(SqliteStore, says_that_a_file_is_no_database) {
  const TempDir directory;
  directory.write("text.db", std::string(5000, 'x'));
  EXPECT_THAT(open_sqlite_store(Call{}, {directory.at("text.db")}), FailsWith(ErrorCode::io));
  EXPECT_EQ(directory.read("text.db"), std::string(5000, 'x'));
}

TEST(SqliteStore, says_that_a_database_is_damaged) {
  const TempDir directory;
  {
    const auto store = open_store("sqlite", directory.path());
    for (int i = 0; i < 50; ++i) ASSERT_THAT(store->create(Call{}, "d" + std::to_string(i), Bytes(5000, 'x')), IsOk());
  }
  std::string bytes = directory.read("store.db");
  for (std::size_t i = 4096; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31);
  directory.write("store.db", bytes);
  const auto store = open_sqlite_store(Call{}, {directory.at("store.db")});
  if (store) {
    EXPECT_THAT((*store)->get(Call{}, "d7"), FailsWith(ErrorCode::io));
  } else {
    EXPECT_EQ(store.error().code, ErrorCode::io);
  }
}

TEST(SqliteStore, needs_its_directory) {
  const TempDir directory;
  EXPECT_THAT(open_sqlite_store(Call{}, {directory.at("missing/store.db")}), FailsWith(ErrorCode::not_found));
}

}  // namespace
}  // namespace berth::store
