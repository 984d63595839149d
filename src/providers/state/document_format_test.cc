#include "providers/state/document_format.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "testing/cases.h"
#include "testing/matchers.h"

namespace berth::state {
namespace {

using berth::testing::FailsWith;

std::string golden(const std::string& name) {
  std::ifstream file(testing::source_path("testing/golden/state/" + name), std::ios::binary);
  EXPECT_TRUE(file) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// With BERTH_ACCEPT_GOLDEN set, what the code writes now becomes the golden text.
void expect_golden(const std::string& name, BytesView text) {
  if (std::getenv("BERTH_ACCEPT_GOLDEN") != nullptr) {
    std::ofstream(testing::source_path("testing/golden/state/" + name), std::ios::binary) << text;
  }
  EXPECT_EQ(text, golden(name));
}

StoredFile stored(Bytes content) {
  StoredFile file;
  file.revision = revision_of(content);
  file.content = std::move(content);
  file.created_at = "2026-01-31T09:05:00.000120+00:00";
  file.modified_at = "2026-01-31T09:05:01+00:00";
  return file;
}

Document with_file(std::string_view path, StoredFile file) {
  Document document;
  document.put_file(path, std::make_shared<const StoredFile>(std::move(file)));
  return document;
}

/// A document of one file with the given entry.
Bytes with_entry(std::string_view entry) { return R"({"files": {"/a.txt": )" + std::string(entry) + "}}"; }

Bytes entry(std::string_view members) { return with_entry("{" + std::string(members) + "}"); }

Bytes rendered(const Document& document) { return render_document({}, document).value(); }

/// What the other system's reader finds: every file's bytes, every directory.
nlohmann::json contents_of(const Document& document) {
  nlohmann::json files = nlohmann::json::object();
  for (const auto& [path, file] : document.files()) files["/" + path] = encode_base64(file->content);
  nlohmann::json directories = nlohmann::json::array();
  for (const auto& path : document.directories()) directories.push_back("/" + path);
  return {{"files", files}, {"directories", directories}};
}

/// Documents that are large each in another way.
std::vector<Document> large_documents() {
  Bytes lines;
  while (lines.size() < 1 << 20) lines += "line\n";
  std::vector<Document> documents = {with_file("text", stored(Bytes(1 << 20, 'x'))),
                                     with_file("bytes", stored(Bytes(1 << 20, '\0'))),
                                     with_file("lines", stored(std::move(lines)))};
  const auto small = std::make_shared<const StoredFile>(stored("x"));
  Document files;
  for (int i = 0; i < 20'000; ++i) files.put_file("d/" + std::to_string(i), small);
  documents.push_back(std::move(files));
  Document directories;
  for (int i = 0; i < 100'000; ++i) directories.put_directory("d/" + std::to_string(i));
  documents.push_back(std::move(directories));
  return documents;
}

TEST(ParseDocument, C_VAL_2_a_large_document_does_not_outlast_the_call) {
  const Call late{Deadline::after(std::chrono::nanoseconds(0)), {}, {}};
  for (const Document& document : large_documents()) {
    const Bytes json = rendered(document);
    EXPECT_EQ(parse_document({}, json).value(), document);
    EXPECT_THAT(parse_document(late, json), FailsWith(ErrorCode::timed_out));
    EXPECT_THAT(render_document(late, document), FailsWith(ErrorCode::timed_out));
  }
}

TEST(ParseDocument, reads_what_the_other_system_wrote) {
  const auto expected = nlohmann::json::parse(golden("reference.expected.json"));
  EXPECT_EQ(contents_of(parse_document({}, golden("reference.json")).value()), expected);
  EXPECT_EQ(contents_of(parse_document({}, golden("reference_ascii.json")).value()), expected);
  EXPECT_EQ(parse_document({}, golden("reference.json")).value(),
            parse_document({}, golden("reference_ascii.json")).value());
}

TEST(ParseDocument, reads_older_documents_with_lone_surrogates_and_no_directories) {
  EXPECT_EQ(contents_of(parse_document({}, golden("legacy.json")).value()),
            nlohmann::json::parse(golden("legacy.expected.json")));
}

TEST(RenderDocument, writes_what_the_other_system_would_have_written) {
  const Document document = parse_document({}, golden("reference.json")).value();
  EXPECT_EQ(nlohmann::json::parse(rendered(document)), nlohmann::json::parse(golden("reference.json")));
}

// The golden file was loaded by pydantic-ai-backend 0.2.37 and gave back every byte.
TEST(RenderDocument, writes_the_golden_document) {
  Document document = with_file("src/app.py", stored("print('hello')\n"));
  const auto put = [&](std::string_view path, StoredFile file) {
    document.put_file(path, std::make_shared<const StoredFile>(std::move(file)));
  };
  put("empty", stored(""));
  put("nul.txt", stored(Bytes("a\0b\n", 4)));
  put("latin1.txt", stored("caf\xe9\n"));
  put("\xef\xbb\xbf \xf0\x9f\x98\x80\n\"\\", stored("\xef\xbb\xbf\r\n\x01\x7f\xe2\x80\xa8"));
  StoredFile script = stored("#!/bin/sh\n");
  script.git_mode = GitMode::executable;
  script.extra = R"("owner": {"name": "x"})";
  put("bin/run", script);
  document.put_directory("data/empty");
  document.set_extra(R"("schema": 3)");
  expect_golden("berth.json", rendered(document));
  EXPECT_EQ(parse_document({}, golden("berth.json")).value(), document);
}

TEST(RenderDocument, holds_nothing_that_strict_readers_refuse) {
  Document document = with_file("nul", stored(Bytes("a\0b", 3)));
  document.put_file("bytes", std::make_shared<const StoredFile>(stored("\xff\xfe\xed\xb0\x80")));
  const Bytes json = rendered(document);
  EXPECT_TRUE(is_utf8(json));
  EXPECT_EQ(json.find("\\u0000"), Bytes::npos);
  EXPECT_EQ(json.find("\\ud"), Bytes::npos);
  EXPECT_EQ(parse_document({}, json).value(), document);
}

TEST(RenderDocument, turns_nul_text_of_older_documents_into_base64) {
  const Document document = parse_document({}, golden("legacy.json")).value();
  const auto json = nlohmann::json::parse(rendered(document));
  EXPECT_EQ(json["files"]["/nul.txt"]["content"], nlohmann::json::array({encode_base64(BytesView("a\0b", 3))}));
  EXPECT_EQ(json["files"]["/nul.txt"]["encoding"], "base64");
  EXPECT_EQ(json["directories"], nlohmann::json::array({"/a", "/a/b"}));
}

TEST(RenderDocument, keeps_members_it_does_not_know) {
  const Bytes json =
      R"({"version": 1e999, "files": {"/a.txt": {"content": ["x"], "owner": [1, 2], "created_at": "2026-01-31T09:05:00+00:00",)"
      R"( "modified_at": "2026-01-31T09:05:00+00:00", "tags": {"a": null}}}, "directories": [], "note":"x\u0041"})";
  const Bytes written = rendered(parse_document({}, json).value());
  EXPECT_NE(written.find(R"("owner": [1, 2], "tags": {"a": null}})"), Bytes::npos) << written;
  EXPECT_NE(written.find(R"("version": 1e999, "note":"x\u0041"})"), Bytes::npos) << written;
  EXPECT_EQ(rendered(parse_document({}, written).value()), written);
}

TEST(RenderDocument, writes_names_that_are_not_utf8_as_they_came) {
  const Bytes json = R"({"files": {"/caf\udce9": {"content": ["x"]}}})";
  const Document document = parse_document({}, json).value();
  ASSERT_NE(document.find_file("caf\xe9"), nullptr);
  EXPECT_FALSE(is_storable_name("caf\xe9"));
  EXPECT_NE(rendered(document).find(R"("/caf\udce9")"), Bytes::npos);
  EXPECT_EQ(parse_document({}, rendered(document)).value(), document);
}

TEST(ParseDocument, normalises_names_as_text) {
  const Document document =
      parse_document(
          {},
          R"({"files": {"a/./b//c/": {"content": []}, "/../x/../y": {"content": []}}, "directories": ["d/", "/", "//e"]})")
          .value();
  EXPECT_EQ(contents_of(document),
            nlohmann::json::parse(R"({"files": {"/a/b/c": "", "/y": ""}, "directories": ["/a", "/a/b", "/d", "/e"]})"));
}

TEST(ParseDocument, takes_times_as_they_are) {
  const auto parse = [](std::string_view members) {
    return *parse_document({}, entry("\"content\": []" + std::string(members))).value().find_file("a.txt");
  };
  EXPECT_EQ(parse("").created_at, "1970-01-01T00:00:00+00:00");
  EXPECT_EQ(parse(R"(, "created_at": "some day")").created_at, "some day");
  EXPECT_EQ(parse(R"(, "created_at": "some day")").modified_at, "some day");
  EXPECT_EQ(parse(R"(, "modified_at": "x")").created_at, "x");
}

TEST(ParseDocument, takes_base64_in_pieces) {
  EXPECT_EQ(parse_document({}, entry(R"("encoding": "base64", "content": ["/w", "==", ""])"))
                .value()
                .find_file("a.txt")
                ->content,
            "\xff");
  EXPECT_EQ(parse_document({}, entry(R"("content": ["x"], "encoding": null)")).value().find_file("a.txt")->content,
            "x");
}

struct Hostile {
  std::string json;
  std::string message;  ///< part of it
};

TEST(ParseDocument, refuses_documents_that_are_wrong_and_says_where) {
  const std::vector<Hostile> rows = {
      {"", "empty"},
      {"null", "an object is needed"},
      {"[]", "an object is needed"},
      {"{}", "no `files`"},
      {R"({"name": "a-package", "files": ["dist"]})", "`files` is not an object"},
      {"\xef\xbb\xbf{\"files\": {}}", "at byte 0"},
      {"{\"files\": {}} x", "something follows the end"},
      {"{\"files\": {}", "at byte 12"},
      {"{\"files\": {\"/\xff\": {}}}", "not UTF-8"},
      {R"({"files": {}, "files": {}})", "`files` is there twice"},
      {R"({"files": {}, "directories": {}})", "`directories` is not an array"},
      {R"({"files": {}, "directories": [1]})", "not a string"},
      {R"({"files": {}, "directories": [], "directories": []})", "`directories` is there twice"},
      {with_entry("7"), "in the entry \"/a.txt\": it is not an object"},
      {with_entry("{}"), "in the entry \"/a.txt\": it has no `content`"},
      {entry(R"("content": "x")"), "in the entry \"/a.txt\": `content` is not an array"},
      {entry(R"("content": ["x", 1e400])"), "in the entry \"/a.txt\": `content` holds something that is not a string"},
      {entry(R"("content": ["x"], "content": ["y"])"), "in the entry \"/a.txt\": `content` is there twice"},
      {entry(R"("content": [], "created_at": 7)"), "`created_at` is not a string"},
      {entry(R"("content": [], "modified_at": "a\u0000")"), "`modified_at` is not text"},
      {entry(R"("content": ["x"], "encoding": "base64")"),
       "in the entry \"/a.txt\": `content` is base64 that does not"},
      {entry(R"("content": ["x"], "encoding": "gzip")"), "in the entry \"/a.txt\": `encoding`"},
      {entry(R"("content": ["x"], "encoding": 64)"), "`encoding` is not a string"},
      {entry(R"("content": ["x"], "git_mode": "120000")"), "in the entry \"/a.txt\": `git_mode`"},
      {entry(R"("content": ["\ud800"])"), "in the entry \"/a.txt\": a string holds half"},
      {R"({"files": {"/a": {"content": []}, "/a": {"content": []}}})", "in the entry \"/a\": the file is there twice"},
      {R"({"files": {"/a": {"content": []}, "a/": {"content": []}}})",
       "in the entry \"a/\": the file is the same path as \"/a\""},
      {R"({"files": {"/a": {"content": []}, "/a/b": {"content": []}}})",
       "in the entry \"/a\": a file cannot be a directory"},
      {R"({"files": {"/a": {"content": []}}, "directories": ["/a"]})",
       "in the entry \"/a\": a file cannot be a directory"},
      {R"({"files": {"/": {"content": []}}})", "in the entry \"/\": a file cannot be the root"},
      {R"({"files": {"/a\u0000": {"content": []}}})", "this cannot be a path"},
      {R"({"files": {"/)" + std::string(256, 'n') + R"(": {"content": []}}})", "this cannot be a path"},
      {R"({"files": {}, "x": )" + std::string(100'000, '[') + "}", "nested too deep"},
  };
  for (const Hostile& row : rows) {
    const auto refused = parse_document({}, row.json);
    ASSERT_THAT(refused, FailsWith(ErrorCode::invalid_argument)) << row.json.substr(0, 200);
    EXPECT_NE(refused.error().message.find(row.message), std::string::npos) << refused.error().message;
    EXPECT_TRUE(is_utf8(refused.error().message));
  }
}

TEST(ParseDocument, bounds_the_room_of_implied_directories) {
  std::string deep;
  while (deep.size() < 4000) deep += "/d";
  std::string json = R"({"files": {)";
  for (int i = 0; i < 100; ++i) {
    json += (i == 0 ? "\"/" : ", \"/") + std::to_string(i) + deep + R"(": {"content": []})";
  }
  const auto refused = parse_document({}, json + "}}");
  ASSERT_THAT(refused, FailsWith(ErrorCode::invalid_argument));
  EXPECT_NE(refused.error().message.find("too much room"), std::string::npos) << refused.error().message;
}

RC_GTEST_PROP(Document, survives_writing_and_reading, ()) {
  Document document;
  const auto names = rc::gen::element<std::string>("a", "b.txt", "dir", "\xc3\xa9", "x y", "\"", "\\", "\n");
  const int count = *rc::gen::inRange(0, 12);
  for (int i = 0; i < count; ++i) {
    std::string path = *names;
    for (int depth = *rc::gen::inRange(0, 3); depth > 0; --depth) path += "/" + *names;
    if (document.exists(path) || document.has_file_above(path)) continue;
    if (*rc::gen::inRange(0, 4) == 0) {
      document.put_directory(path);
      continue;
    }
    StoredFile file =
        stored(*rc::gen::container<std::string>(rc::gen::element('a', '\n', '\r', '\0', '\xff', '\xc3', '\xa9', '"')));
    file.git_mode = *rc::gen::element(GitMode::regular, GitMode::executable);
    document.put_file(path, std::make_shared<const StoredFile>(std::move(file)));
  }
  const Bytes json = rendered(document);
  RC_ASSERT(is_utf8(json));
  RC_ASSERT(json.find("\\u0000") == Bytes::npos);
  RC_ASSERT(parse_document({}, json).value() == document);
  RC_ASSERT(rendered(parse_document({}, json).value()) == json);
}

RC_GTEST_PROP(ParseDocument, never_fails_otherwise_than_typed, ()) {
  std::string json = golden("reference.json");
  for (int i = *rc::gen::inRange(1, 8); i > 0; --i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, json.size());
    json[at] = *rc::gen::element('"', '\\', '{', '}', '[', ']', ',', ':', 'u', '0', '/', '\xff', '\n');
  }
  const auto parsed = parse_document({}, json);
  const bool as_promised = parsed || parsed.error().code == ErrorCode::invalid_argument;
  RC_ASSERT(as_promised);
  if (parsed) RC_ASSERT(parse_document({}, rendered(*parsed)).value() == *parsed);
}

}  // namespace
}  // namespace berth::state
