#include "store/document_file.h"

#include <sys/stat.h>
#include <gtest/gtest.h>

#include "store/store_fixtures.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace berth::store {
namespace {

using berth::testing::FailsWith;
using berth::testing::IsOk;
using berth::testing::TempDir;

mode_t mode_of(const std::string& name) {
  struct stat status {};
  EXPECT_EQ(::stat(name.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST(DocumentFile, resolves_links_and_keeps_them) {
  const TempDir directory;
  directory.write("real/state.json", "one");
  directory.make_link("link.json", "real/state.json");
  const DocumentFile file = open_document_file({directory.at("link.json")}).value();
  const StoredDocument old = file.store->get(Call{}, kOnlyDocument).value();
  ASSERT_THAT(file.store->put(Call{}, kOnlyDocument, "two", old.version), IsOk());
  EXPECT_EQ(directory.read("real/state.json"), "two");
  EXPECT_EQ(directory.read("link.json"), "two");
  EXPECT_TRUE(file.absolute_name.ends_with("/real/state.json"));
  EXPECT_EQ(file.store->key(), open_document_file({directory.at("real/../real/state.json")}).value().store->key());
}

TEST(DocumentFile, keeps_the_permission_bits) {
  const TempDir directory;
  directory.write("state.json", "one");
  ASSERT_EQ(::chmod(directory.at("state.json").c_str(), 0640), 0);
  const DocumentFile file = open_document_file({directory.at("state.json")}).value();
  const StoredDocument old = file.store->get(Call{}, kOnlyDocument).value();
  ASSERT_THAT(file.store->put(Call{}, kOnlyDocument, "two", old.version), IsOk());
  EXPECT_EQ(mode_of(directory.at("state.json")), 0640U);
}

TEST(DocumentFile, holds_one_document_under_one_id) {
  const TempDir directory;
  const DocumentFile file = open_document_file({directory.at("state.json")}).value();
  EXPECT_THAT(file.store->create(Call{}, "another", "x"), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(file.store->get(Call{}, "another"), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(file.store->get(Call{}, kOnlyDocument), FailsWith(ErrorCode::not_found));
  EXPECT_FALSE(directory.exists("state.json"));
}

TEST(DocumentFile, takes_names_of_255_bytes) {
  const TempDir directory;
  const std::string name(255, 'n');
  const DocumentFile file = open_document_file({directory.at(name)}).value();
  ASSERT_THAT(file.store->create(Call{}, kOnlyDocument, "one"), IsOk());
  EXPECT_EQ(directory.read(name), "one");
}

TEST(DocumentFile, refuses_what_cannot_be_a_document) {
  const TempDir directory;
  directory.write("file", "");
  directory.make_link("dangling.json", "missing.json");
  ASSERT_EQ(::mkfifo(directory.at("fifo").c_str(), 0600), 0);
  EXPECT_THAT(open_document_file({""}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(open_document_file({directory.at("missing/")}), FailsWith(ErrorCode::invalid_argument));
  EXPECT_THAT(open_document_file({directory.path()}), FailsWith(ErrorCode::is_a_directory));
  EXPECT_THAT(open_document_file({directory.at("fifo")}), FailsWith(ErrorCode::not_regular));
  EXPECT_THAT(open_document_file({directory.at("file/state.json")}), FailsWith(ErrorCode::not_a_directory));
  EXPECT_THAT(open_document_file({directory.at("missing/state.json")}), FailsWith(ErrorCode::not_found));
  EXPECT_THAT(open_document_file({directory.at("dangling.json")}), FailsWith(ErrorCode::not_found));
}

}  // namespace
}  // namespace berth::store
