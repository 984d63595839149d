#include "policy/rules/ruled.h"

#include "policy/policy_fixture.h"

namespace berth {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::path_of;

Rule rule(std::string pattern, RuleAction action, std::string description = {}) {
  return {.pattern = std::move(pattern), .group = {}, .action = action, .description = std::move(description)};
}

RuleSet compiled(RuleSpec spec) { return RuleSet::compile(std::move(spec)).value(); }

/// Everything is allowed but what lies in `private`, for some operations.
RuleSet guarding(std::initializer_list<Operation> operations) {
  RuleSpec spec{.fallback = RuleAction::allow, .operations = {}};
  for (const auto operation : operations) {
    spec.of(operation).rules = {rule("private/**", RuleAction::deny, "this is private."),
                                rule("private", RuleAction::deny)};
  }
  return compiled(std::move(spec));
}

RuleSet guarding_all() {
  return guarding({Operation::read, Operation::write, Operation::edit, Operation::execute, Operation::glob,
                   Operation::grep, Operation::ls});
}

class RuledTest : public PolicyTest {
 protected:
  explicit RuledTest(testing::MemoryBackend::Offers offers = {}) : PolicyTest(offers) {
    memory->file("a.txt", "hello\n")
        .file("private/key.txt", "hello key\n")
        .file("src/main.c", "hello main\n")
        .file("tree/private.txt", "hello tree\n")
        .link("to_private", "private")
        .link("to_key", "private/key.txt")
        .link("to_src", "src")
        .link("dangling", "private/none");
  }

  void rule_by(const RuleSet& rules) {
    backend = make_ruled(std::move(backend), rules);
    open();
    memory->calls.clear();
  }

  static std::vector<std::string> found(const Result<SearchResult>& result) {
    std::vector<std::string> paths;
    for (const auto& match : result->lines) paths.push_back(match.path.text());
    return paths;
  }
};

class RuledWithoutLinkFreeTest : public RuledTest {
 protected:
  RuledWithoutLinkFreeTest() : RuledTest({.link_free = false}) {}
};

constexpr std::array kNames{"private/key.txt",         "to_private/key.txt", "to_key",  "src/../private/key.txt",
                            "/memory/private/key.txt", "dangling",           "private", "to_private"};

TEST_F(RuledTest, C_POL_3_what_is_denied_is_not_read_by_any_name) {
  rule_by(guarding_all());
  for (const char* path : kNames) {
    SCOPED_TRACE(path);
    EXPECT_THAT(workspace->read(call, path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->read_lines(call, path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->stat(call, path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->real_path(call, path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->list_directory(call, path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->glob(call, "*", path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->search(call, path, {.pattern = "hello"}), FailsWith(ErrorCode::policy_denied));
  }
  const auto refused = workspace->read(call, "./to_key").error();
  EXPECT_EQ(refused.message, "the rules deny reading this path: this is private");
  EXPECT_EQ(refused.path, "./to_key");
  EXPECT_EQ(*refused.field("policy"), ErrorField::Value("rules"));
  EXPECT_EQ(*refused.field("operation"), ErrorField::Value("read"));
  EXPECT_EQ(*refused.field("rule"), ErrorField::Value("private/**"));
  EXPECT_EQ(workspace->read(call, "to_src/main.c")->content, "hello main\n");
}

TEST_F(RuledTest, C_POL_3_what_is_denied_is_not_changed_by_any_name) {
  rule_by(guarding({Operation::write, Operation::edit}));
  const auto revision = revision_of("a.txt");
  memory->calls.clear();
  const std::vector<Edit> edits{{.old_text = "hello", .new_text = "bye"}};
  for (const char* path : kNames) {
    SCOPED_TRACE(path);
    EXPECT_THAT(workspace->write(call, path, "x"), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->replace(call, path, "x", revision), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->make_directory(call, path), FailsWith(ErrorCode::policy_denied));
  }
  for (const char* path : {"private/key.txt", "to_private/key.txt", "to_private/new", "private"}) {
    SCOPED_TRACE(path);
    EXPECT_THAT(workspace->create(call, path, "x"), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->delete_file(call, path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->delete_if(call, path, revision), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->remove(call, path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->prune_empty_directories(call, path, 9), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->move_if(call, path, "b", revision), FailsWith(ErrorCode::policy_denied));
    const auto moved = workspace->move_if(call, "a.txt", path, revision);
    ASSERT_THAT(moved, FailsWith(ErrorCode::policy_denied));
    EXPECT_EQ(moved.error().path, path);
  }
  EXPECT_THAT(workspace->edit(call, "to_key", edits), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(changes(), IsEmpty());
  EXPECT_EQ(workspace->read(call, "to_key")->content, "hello key\n");
}

TEST_F(RuledTest, WritingAndEditingAreToldApart) {
  RuleSpec spec{.fallback = RuleAction::allow, .operations = {}};
  spec.of(Operation::write).fallback = RuleAction::deny;
  spec.of(Operation::edit).rules = {rule("src/**", RuleAction::deny)};
  rule_by(compiled(spec));
  const std::vector<Edit> edits{{.old_text = "hello", .new_text = "bye"}};
  EXPECT_THAT(workspace->edit(call, "a.txt", edits), IsOk());
  EXPECT_EQ(memory->content("a.txt"), "bye\n");
  EXPECT_THAT(workspace->edit(call, "src/main.c", edits), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(workspace->write(call, "a.txt", "x"), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(workspace->create(call, "new.txt", "x"), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(workspace->delete_file(call, "a.txt"), FailsWith(ErrorCode::policy_denied));
}

TEST_F(RuledTest, ADirectoryIsNotRemovedWhileItHoldsWhatIsDenied) {
  RuleSpec spec{.fallback = RuleAction::allow, .operations = {}};
  spec.of(Operation::write).rules = {rule("**/private.txt", RuleAction::deny)};
  rule_by(compiled(spec));
  EXPECT_THAT(workspace->remove(call, "tree"), FailsWith(ErrorCode::policy_denied));
  EXPECT_EQ(memory->content("tree/private.txt"), "hello tree\n");
  EXPECT_EQ(workspace->remove(call, "src")->removed, 2);
  // A link is removed itself.
  EXPECT_EQ(workspace->remove(call, "to_private")->removed, 1);
}

TEST_F(RuledTest, C_POL_3_listings_leave_out_what_is_denied_and_links_to_it) {
  rule_by(guarding({Operation::ls, Operation::glob}));
  EXPECT_THAT(names(workspace->list_directory(call, ".")), ElementsAre("a.txt", "src", "to_src", "tree"));
  const auto page = workspace->list(call);
  EXPECT_THAT(texts(page->paths), ElementsAre("a.txt", "src/main.c", "to_src", "tree/private.txt"));
  EXPECT_EQ(page->total, 4);
  EXPECT_THAT(texts(workspace->glob(call, "*", "to_src")->paths), ElementsAre("to_src/main.c"));
  EXPECT_EQ(workspace->read(call, "private/key.txt")->content, "hello key\n");
}

TEST_F(RuledTest, C_POL_3_a_denied_read_shows_the_name_and_hides_what_a_search_finds) {
  rule_by(guarding({Operation::read}));
  EXPECT_THAT(names(workspace->list_directory(call, "private")), ElementsAre("key.txt"));
  EXPECT_THAT(texts(workspace->glob(call, "*", "private")->paths), ElementsAre("private/key.txt"));
  EXPECT_THAT(workspace->stat(call, "private/key.txt"), IsOk());
  const auto result = workspace->search(call, ".", {.pattern = "hello"});
  EXPECT_THAT(found(result), ElementsAre("a.txt", "src/main.c", "tree/private.txt"));
  EXPECT_EQ(result->files_searched, 3);
  EXPECT_THAT(workspace->search(call, "private/key.txt", {.pattern = "hello"}), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(workspace->search(call, "to_key", {.pattern = "hello"}), FailsWith(ErrorCode::policy_denied));
}

TEST_F(RuledTest, ADeniedSearchHidesHitsThoughTheFileCanBeRead) {
  rule_by(guarding({Operation::grep}));
  EXPECT_THAT(found(workspace->search(call, ".", {.pattern = "hello"})),
              ElementsAre("a.txt", "src/main.c", "tree/private.txt"));
  EXPECT_EQ(workspace->read(call, "private/key.txt")->content, "hello key\n");
}

TEST_F(RuledTest, WhereOnlyADefaultDeniesWhatRulesPassIsFound) {
  RuleSpec spec{.fallback = RuleAction::deny, .operations = {}};
  for (const auto operation : {Operation::read, Operation::glob, Operation::grep, Operation::ls}) {
    spec.of(operation).rules = {rule("src/deep/**", RuleAction::allow)};
  }
  memory->file("src/deep/x.c", "hello x\n");
  rule_by(compiled(spec));
  EXPECT_THAT(names(workspace->list_directory(call, ".")), ElementsAre("src"));
  EXPECT_THAT(names(workspace->list_directory(call, "src")), ElementsAre("deep"));
  EXPECT_THAT(names(workspace->list_directory(call, "src/deep")), ElementsAre("x.c"));
  EXPECT_THAT(texts(workspace->list(call)->paths), ElementsAre("src/deep/x.c"));
  EXPECT_THAT(found(workspace->search(call, ".", {.pattern = "hello"})), ElementsAre("src/deep/x.c"));
  EXPECT_THAT(workspace->list_directory(call, "tree"), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(workspace->glob(call, "*", "tree"), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(workspace->stat(call, "a.txt"), FailsWith(ErrorCode::policy_denied));
}

TEST_F(RuledTest, C_POL_3_a_link_exchanged_after_the_check_leads_nowhere) {
  rule_by(
      guarding({Operation::read, Operation::write, Operation::edit, Operation::grep, Operation::glob, Operation::ls}));
  memory->file("door/key.txt", "open\n");
  // Whoever looks sees a directory, and whoever opens comes through a link.
  memory->before_call = [&](const std::string& note) {
    memory->drop("door");
    if (note.starts_with("real_path")) {
      memory->file("door/key.txt", "open\n");
    } else {
      memory->link("door", "private");
    }
  };
  EXPECT_THAT(workspace->read(call, "door/key.txt"), FailsWith(ErrorCode::conflict));
  EXPECT_THAT(workspace->write(call, "door/key.txt", "planted"), FailsWith(ErrorCode::conflict));
  EXPECT_THAT(workspace->create(call, "door/new.txt", "planted"), FailsWith(ErrorCode::conflict));
  EXPECT_THAT(workspace->list_directory(call, "door"), FailsWith(ErrorCode::conflict));
  EXPECT_THAT(workspace->glob(call, "*", "door"), FailsWith(ErrorCode::conflict));
  EXPECT_THAT(workspace->search(call, "door", {.pattern = "hello"}), FailsWith(ErrorCode::conflict));
  EXPECT_EQ(memory->content("private/key.txt"), "hello key\n");
}

TEST_F(RuledWithoutLinkFreeTest, C_POL_3_reads_hold_where_links_cannot_be_refused) {
  rule_by(guarding_all());
  for (const char* path : kNames) {
    SCOPED_TRACE(path);
    EXPECT_THAT(workspace->read(call, path), FailsWith(ErrorCode::policy_denied));
    EXPECT_THAT(workspace->write(call, path, "x"), FailsWith(ErrorCode::policy_denied));
  }
  EXPECT_EQ(workspace->read(call, "to_src/main.c")->content, "hello main\n");
}

TEST_F(RuledTest, C_POL_3_commands_that_are_denied_do_not_run) {
  RuleSpec spec{.fallback = RuleAction::allow, .operations = {}};
  spec.of(Operation::execute).rules = {rule("rm **", RuleAction::deny, "nothing is removed here"),
                                       rule("deploy*", RuleAction::ask)};
  rule_by(compiled(spec));
  const auto run = [&](std::vector<Bytes> argv) {
    CommandSpec command;
    command.argv = std::move(argv);
    return workspace->run(call, command);
  };
  const auto refused = run({"rm", "-r", "src"});
  ASSERT_THAT(refused, FailsWith(ErrorCode::policy_denied));
  EXPECT_EQ(refused.error().message, "the rules deny running this command: nothing is removed here");
  EXPECT_THAT(run({"sh", "-c", "rm x"}), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(workspace->run(call, {.script = "rm x"}), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(workspace->start_job(call, {.command = {.script = "rm x"}}), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(changes(), IsEmpty());
  EXPECT_THAT(workspace->start_job(call, {.command = {.argv = {"ls"}}}), IsOk());
  EXPECT_THAT(run({"ls"}), IsOk());
  // Asking is for who calls.
  EXPECT_THAT(run({"deploy"}), IsOk());
}

TEST_F(RuledTest, WordsOfACommandThatAreDeniedPathsAreRefused) {
  RuleSpec spec{.fallback = RuleAction::allow, .operations = {}};
  spec.of(Operation::read).rules = {rule("private/**", RuleAction::deny, "this is private"),
                                    rule("**/*password*", RuleAction::deny), rule("/etc/**", RuleAction::deny),
                                    rule("**/.env", RuleAction::deny)};
  spec.of(Operation::write).rules = {rule("tree/*", RuleAction::deny)};
  rule_by(compiled(spec));
  const auto run = [&](std::string script, std::string_view cwd = ".") {
    CommandSpec command;
    command.script = std::move(script);
    command.cwd = path_of(cwd);
    return workspace->run(call, command);
  };
  for (const char* script : {"cat private/key.txt", "cat ./src/../private/key.txt", "cat /memory/private/key.txt",
                             "cat to_key", "cat to_private/key.txt", "cat <private/key.txt", "dd if=private/key.txt",
                             "x --file=to_key", "cat .env", "cat /etc/shadow", "cat /etc/../etc/shadow",
                             "cp a.txt tree/private.txt", "cat 'private/key.txt", "cat private/new"}) {
    EXPECT_THAT(run(script), FailsWith(ErrorCode::policy_denied)) << script;
  }
  EXPECT_THAT(run("cat key.txt", "private"), FailsWith(ErrorCode::policy_denied));
  EXPECT_THAT(run("cat ../private/key.txt", "src"), FailsWith(ErrorCode::policy_denied));
  const auto refused = run("cat to_key").error();
  EXPECT_EQ(refused.message, "the command names a path, and the rules deny reading this path: this is private");
  EXPECT_EQ(*refused.field("target"), ErrorField::Value("to_key"));
  // A word is not taken for a path because a pattern would match it.
  for (const char* script : {"grep password src", "git commit -m 'reset the password/token'", "sed s/old/password/",
                             "ls", "cat a.txt", "cat key.txt", "echo -- --password"}) {
    EXPECT_THAT(run(script), IsOk()) << script;
  }
}

TEST_F(RuledTest, DefaultsThatDenyPathsDoNotRefuseCommands) {
  RuleSpec spec{.fallback = RuleAction::deny, .operations = {}};
  spec.of(Operation::execute).rules = {rule("make*", RuleAction::allow)};
  rule_by(compiled(spec));
  EXPECT_THAT(workspace->run(call, {.script = "make"}), IsOk());
  EXPECT_THAT(workspace->run(call, {.script = "ls"}), FailsWith(ErrorCode::policy_denied));
}

TEST_F(RuledTest, C_POL_1_it_offers_what_stands_below_and_nothing_else) {
  memory->calls.clear();
  rule_by(guarding_all());
  EXPECT_EQ(workspace->capabilities(), (Capabilities{.read_files = true,
                                                     .write_files = true,
                                                     .run_commands = true,
                                                     .search_files = true,
                                                     .transactions = false,
                                                     .jobs = true}));
  EXPECT_EQ(workspace->info().root_names, std::vector<std::string>{"/memory"});
}

TEST_F(RuledTest, WhereNothingCanBeDeniedCallsGoStraightThrough) {
  rule_by(compiled({.fallback = RuleAction::ask, .operations = {}}));
  EXPECT_THAT(workspace->read(call, "to_key"), IsOk());
  EXPECT_THAT(workspace->list_directory(call, "."), IsOk());
  EXPECT_THAT(memory->calls, ElementsAre("read to_key", "list_directory ."));
}

}  // namespace
}  // namespace berth
