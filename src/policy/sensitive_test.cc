#include "policy/sensitive.h"

#include "policy/policy_fixture.h"

namespace berth {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOk;

const SensitivePolicy kPolicy{
    .deny = {".env", ".ssh", "*.key"}, .allow = {}, .protect = {".git", ".vscode"}, .hide = {"journal"}};

void fill(testing::MemoryBackend& memory) {
  memory.file("a.txt", "hello\n")
      .file(".env", "hello=secret\n")
      .file(".ssh/config", "hello host\n")
      .file(".git/config", "hello git\n")
      .file("journal/run.log", "hello journal\n")
      .file("src/main.c", "hello main\n")
      .file("tree/x/y.key", "hello key\n")
      .file("repo/.git/HEAD", "hello ref\n")
      .file("notes/journal", "hello hidden\n")
      .link("to_env", ".env")
      .link("to_ssh", ".ssh")
      .link("to_git", ".git")
      .link("to_journal", "journal")
      .link("to_src", "src")
      .link("dangling", ".ssh/none");
}

class SensitiveTest : public PolicyTest {
 protected:
  explicit SensitiveTest(testing::MemoryBackend::Offers offers = {}) : PolicyTest(offers) {
    fill(*memory);
    wrap(make_sensitive, kPolicy);
    open();
    memory->calls.clear();
  }
};

/// The same promises where links cannot be refused by the environment.
class SensitiveWithoutLinkFreeTest : public SensitiveTest {
 protected:
  SensitiveWithoutLinkFreeTest() : SensitiveTest({.link_free = false}) {}
};

TEST_F(SensitiveTest, C_POL_2_a_sensitive_path_is_not_read_by_any_name) {
  for (const char* path : {".env", ".ENV", ".ssh/config", "to_env", "to_ssh/config", "src/../.env", "to_src/../.env",
                           "/memory/.env", ".ssh", "to_ssh", "dangling", ".env/x", ".ssh/none", "tree/x/y.key"}) {
    SCOPED_TRACE(path);
    EXPECT_THAT(workspace->read(call, path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->read_lines(call, path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->stat(call, path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->exists(call, path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->list_directory(call, path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->real_path(call, path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->glob(call, "*", path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->search(call, path, {.pattern = "hello"}), FailsWith(ErrorCode::policy_denied));
  }
  EXPECT_EQ(workspace->read(call, "./to_env").error().path, "./to_env");
  EXPECT_EQ(*workspace->read(call, ".env").error().field("policy"), ErrorField::Value("sensitive"));
}

TEST_F(SensitiveTest, C_POL_2_a_link_tells_nothing_of_what_stands_at_a_hidden_path) {
  memory->link("journal/loop", "loop").link("journal/out", "/elsewhere").link("journal/up", "../../elsewhere");
  memory->link("journal/back", "../told").directory("journal/sub");
  const auto revision = revision_of("a.txt");
  const auto told = [&] {
    std::vector<Result<void>> answers;
    const auto note = [&answers](const auto& result) {
      answers.push_back(result ? Result<void>() : Result<void>(result.error()));
    };
    for (const char* path : {"told", "told/below"}) {
      note(workspace->read(call, path));
      note(workspace->read_lines(call, path));
      note(workspace->stat(call, path));
      note(workspace->stat(call, path, FollowLeaf::no));
      note(workspace->exists(call, path));
      note(workspace->list_directory(call, path));
      note(workspace->real_path(call, path));
      note(workspace->glob(call, "*", path));
      note(workspace->search(call, path, {.pattern = "hello"}));
      note(workspace->write(call, path, "x"));
      note(workspace->replace(call, path, "x", revision));
      note(workspace->make_directory(call, path));
    }
    note(workspace->create(call, "told/below", "x"));
    note(workspace->delete_file(call, "told/below"));
    note(workspace->delete_if(call, "told/below", revision));
    note(workspace->remove(call, "told/below"));
    note(workspace->prune_empty_directories(call, "told/below", 9));
    note(workspace->move_if(call, "told/below", "b", revision));
    note(workspace->move_if(call, "a.txt", "told/below", revision));
    const auto root = workspace->list_directory(call, ".").value();
    for (const auto& entry : root.entries) EXPECT_NE(entry.name, "told");
    return answers;
  };
  memory->link("told", "journal/none/x");
  const auto of_nothing = told();
  for (const char* target : {"journal/run.log/x", "journal/run.log", "journal/loop", "journal/loop/x", "journal/out",
                             "journal/out/x", "journal/up/x", "journal/back", "journal/sub/../../a.txt",
                             "journal/sub/../../src", "/memory/journal/run.log/x"}) {
    memory->link("told", target);
    EXPECT_EQ(told(), of_nothing) << target;
  }
}

TEST_F(SensitiveTest, C_POL_2_a_sensitive_or_protected_path_is_not_changed_by_any_name) {
  const auto revision = revision_of("a.txt");
  memory->calls.clear();
  const std::vector<Edit> edits{{.old_text = "hello", .new_text = "bye"}};
  for (const char* path : {".env", "to_env", "to_ssh/config", "to_ssh/new", ".ssh/config", "dangling", ".git/config",
                           ".git/hooks/new", "to_git/config", "to_git/hooks/new", ".Git/config", "repo/.git/HEAD",
                           "new/.vscode/tasks.json", "to_src/.vscode/x"}) {
    SCOPED_TRACE(path);
    EXPECT_THAT(workspace->write(call, path, "x"), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->replace(call, path, "x", revision), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->make_directory(call, path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->move_if(call, "a.txt", std::string(path) + "/in", revision),
                FailsWith(ErrorCode::policy_denied));
  }
  for (const char* path : {".env", "to_ssh/config", ".git/config", "to_git/config", ".git", ".ssh"}) {
    SCOPED_TRACE(path);
    EXPECT_THAT(workspace->create(call, path, "x"), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->delete_file(call, path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->delete_if(call, path, revision), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->remove(call, path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->prune_empty_directories(call, path, 9), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->move_if(call, path, "b", revision), FailsWith(ErrorCode::policy_denied));
  }
  for (const char* path : {".env", "to_ssh/config", ".git/config", "to_git/config"}) {
    EXPECT_THAT(workspace->edit(call, path, edits), FailsWith(ErrorCode::policy_denied)) << path;
  }
  EXPECT_THAT(changes(), IsEmpty());
  const auto moved = workspace->move_if(call, "a.txt", "./.git/x", revision);
  EXPECT_EQ(moved.error().path, "./.git/x");
  EXPECT_EQ(*moved.error().field("policy"), ErrorField::Value("protected"));
}

TEST_F(SensitiveTest, C_POL_2_a_protected_path_is_read_listed_and_searched) {
  EXPECT_EQ(workspace->read(call, ".git/config")->content, "hello git\n");
  EXPECT_EQ(workspace->read(call, "to_git/config")->content, "hello git\n");
  EXPECT_THAT(names(workspace->list_directory(call, ".git")), ElementsAre("config"));
}

TEST_F(SensitiveTest, C_POL_2_a_hidden_path_does_not_exist) {
  const auto revision = revision_of("a.txt");
  memory->calls.clear();
  for (const char* path : {"journal", "journal/run.log", "to_journal", "to_journal/run.log", "notes/journal"}) {
    SCOPED_TRACE(path);
    EXPECT_THAT(workspace->read(call, path), FailsWith(ErrorCode::not_found));
    EXPECT_THAT(workspace->stat(call, path), FailsWith(ErrorCode::not_found));
    EXPECT_EQ(*workspace->exists(call, path), false);
    EXPECT_THAT(workspace->list_directory(call, path), FailsWith(ErrorCode::not_found));
    EXPECT_THAT(workspace->replace(call, path, "x", revision), FailsWith(ErrorCode::not_found));
    EXPECT_THAT(workspace->write(call, path, "x"), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->make_directory(call, path), FailsWith(ErrorCode::policy_denied));
  }
  for (const char* path : {"journal", "journal/run.log", "to_journal/run.log"}) {
    SCOPED_TRACE(path);
    EXPECT_THAT(workspace->create(call, path, "x"), FailsWith(ErrorCode::policy_denied));
    EXPECT_EQ(workspace->delete_file(call, path)->removed, 0);
    EXPECT_EQ(workspace->prune_empty_directories(call, path, 9)->removed, 0);
    EXPECT_THAT(workspace->delete_if(call, path, revision), FailsWith(ErrorCode::not_found));
    EXPECT_THAT(workspace->remove(call, path), FailsWith(ErrorCode::not_found));
    EXPECT_THAT(workspace->move_if(call, path, "b", revision), FailsWith(ErrorCode::not_found));
    EXPECT_THAT(workspace->move_if(call, "a.txt", path, revision), FailsWith(ErrorCode::policy_denied));
  }
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_F(SensitiveTest, C_POL_2_listings_leave_out_what_is_kept_back_and_links_to_it) {
  EXPECT_THAT(names(workspace->list_directory(call, ".")),
              ElementsAre(".git", "a.txt", "notes", "repo", "src", "to_git", "to_src", "tree"));
  EXPECT_THAT(names(workspace->list_directory(call, "tree/x")), IsEmpty());
  const auto page = workspace->list(call);
  EXPECT_THAT(texts(page->paths),
              ElementsAre(".git/config", "a.txt", "repo/.git/HEAD", "src/main.c", "to_git", "to_src"));
  EXPECT_EQ(page->total, 6);
}

TEST_F(SensitiveTest, C_POL_2_searches_leave_out_what_is_kept_back) {
  const auto found = workspace->search(call, ".", {.pattern = "hello", .mode = SearchQuery::Mode::files});
  std::vector<std::string> paths;
  for (const auto& file : found->files) paths.push_back(file.path.text());
  EXPECT_THAT(paths, ElementsAre(".git/config", "a.txt", "repo/.git/HEAD", "src/main.c"));
  EXPECT_EQ(found->files_searched, 4);
}

TEST_F(SensitiveTest, AListingOrSearchBelowALinkNamesPathsAsTheCallerDid) {
  EXPECT_THAT(texts(workspace->glob(call, "*", "to_src")->paths), ElementsAre("to_src/main.c"));
  EXPECT_EQ(workspace->search(call, "to_src", {.pattern = "hello"})->lines.front().path.text(), "to_src/main.c");
}

TEST_F(SensitiveTest, ADirectoryIsNotRemovedWhileItHoldsWhatIsKept) {
  for (const char* path : {"tree", "tree/x", "repo", "notes"}) {
    EXPECT_THAT(workspace->remove(call, path), FailsWith(ErrorCode::policy_denied)) << path;
  }
  memory->directory("empty/deep").directory("kept/.git").directory("hiding/journal");
  EXPECT_THAT(workspace->prune_empty_directories(call, "kept", 9), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(workspace->prune_empty_directories(call, "hiding", 9), FailsWith(ErrorCode::not_empty));
  EXPECT_THAT(changes(), IsEmpty());
  EXPECT_EQ(workspace->prune_empty_directories(call, "empty", 9)->removed, 2);
  EXPECT_EQ(workspace->remove(call, "src")->removed, 2);
}

TEST_F(SensitiveTest, ALinkThatLeadsToWhatIsKeptCanItselfBeRemoved) {
  EXPECT_EQ(workspace->remove(call, "to_ssh")->removed, 1);
  EXPECT_EQ(memory->content(".ssh/config"), "hello host\n");
}

TEST_F(SensitiveTest, EverythingElseWorksAsBefore) {
  EXPECT_EQ(workspace->read(call, "to_src/main.c")->content, "hello main\n");
  EXPECT_THAT(workspace->write(call, "to_src/main.c", "new\n"), IsOk());
  EXPECT_EQ(memory->content("src/main.c"), "new\n");
  EXPECT_THAT(workspace->create(call, "to_src/more.c", "more\n"), IsOk());
  EXPECT_EQ(memory->content("src/more.c"), "more\n");
  EXPECT_THAT(workspace->create(call, "to_src", "x"), FailsWith(ErrorCode::already_exists));
  EXPECT_EQ(workspace->stat(call, "to_src", FollowLeaf::no)->kind, FileKind::symlink);
  const auto revision = workspace->read(call, "a.txt")->revision.value();
  EXPECT_THAT(workspace->move_if(call, "a.txt", "to_src/a.txt", revision), IsOk());
  EXPECT_EQ(memory->content("src/a.txt"), "hello\n");
  EXPECT_EQ(workspace->run(call, {.argv = {"cat", ".env"}})->kind, CommandOutcome::Kind::exited);
}

TEST_F(SensitiveTest, ALinkPutInPlaceAfterTheCheckLeadsNowhere) {
  memory->file("pub/config", "public\n");
  int exchanges = 0;
  memory->before_call = [&](const std::string& note) {
    if (note == "read pub/config" && ++exchanges == 1) {
      memory->drop("pub");
      memory->link("pub", ".ssh");
    }
  };
  EXPECT_THAT(workspace->read(call, "pub/config"), FailsWith(ErrorCode::policy_denied));
  memory->before_call = [&](const std::string& note) {
    if (note.starts_with("real_path")) {
      memory->drop("pub");
      memory->file("pub/config", "public\n");
    } else if (note.starts_with("write") || note.starts_with("read ")) {
      memory->drop("pub");
      memory->link("pub", ".ssh");
    }
  };
  EXPECT_THAT(workspace->read(call, "pub/config"), FailsWith(ErrorCode::conflict));
  EXPECT_THAT(workspace->write(call, "pub/config", "planted"), FailsWith(ErrorCode::conflict));
  EXPECT_EQ(memory->content(".ssh/config"), "hello host\n");
}

TEST_F(SensitiveWithoutLinkFreeTest, WhatWasReadThroughAnExchangedLinkIsNotHandedOut) {
  memory->file("pub/config", "public\n");
  memory->before_call = [&](const std::string& note) {
    if (note == "read pub/config") {
      memory->drop("pub");
      memory->link("pub", ".ssh");
    }
  };
  EXPECT_THAT(workspace->read(call, "pub/config"), FailsWith(ErrorCode::policy_denied));
}

TEST_F(SensitiveWithoutLinkFreeTest, LinksAreNoWayAroundEither) {
  EXPECT_THAT(workspace->read(call, "to_ssh/config"), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(workspace->write(call, "to_git/config", "x"), FailsWith(ErrorCode::policy_denied));
  EXPECT_EQ(workspace->read(call, "to_src/main.c")->content, "hello main\n");
}

TEST(Sensitive, AGlobThatCannotBeCompiledIsRefused) {
  EXPECT_THAT(make_sensitive(std::make_unique<testing::MemoryBackend>(), {.deny = {"[z-a]"}}),
              FailsWith(ErrorCode::invalid_argument));
}

TEST(Sensitive, OffersNothingThatTheEnvironmentDoesNot) {
  auto made = make_sensitive(
      std::make_unique<testing::MemoryBackend>(testing::MemoryBackend::Offers{
          .reads = false, .writes = true, .commands = false, .jobs = false, .search = true, .link_free = false}),
      kPolicy);
  ASSERT_THAT(made, IsOk());
  auto& backend = **made;
  EXPECT_EQ(backend.reads(), nullptr);
  EXPECT_EQ(backend.writes(), nullptr) << "without reads nothing can be checked";
  EXPECT_EQ(backend.search(), nullptr);
  EXPECT_EQ(backend.commands(), nullptr);
  EXPECT_EQ(backend.jobs(), nullptr);
  EXPECT_EQ(backend.link_free(), LinkFreeFaces{});
}

}  // namespace
}  // namespace berth
