#include "git_fixture.h"

namespace berth::git {
namespace {

using ::testing::Contains;
using testing::IsOk;

/// Everything that is planted runs a program that leaves a marker. After every operation of ours there is none; that
/// the plant works is shown, where git itself would run it, by running git.
class Hardening : public GitTest {
 protected:
  void SetUp() override {
    dir.write("a", "1\n");
    dir.write("b.x", "1\n");
    dir.write("sub/c", "1\n");
    commit_all();
  }

  void all_operations(const std::string& below = "") {
    dir.write("a", "2 changed\n");
    dir.write("b.x", "2 changed\n");
    dir.write("new.x", "1\n");
    dir.write("sub/c", "3 changed\n");
    auto& repository = open(below);
    EXPECT_THAT(repository.diff(call), IsOk());
    EXPECT_THAT(repository.diff(call, {.trust = IndexTrust::none}), IsOk());
    EXPECT_THAT(repository.status_paths(call), IsOk());
    EXPECT_THAT(repository.baseline_paths(call), IsOk());
    auto before = repository.snapshot(call);
    EXPECT_THAT(before, IsOk());
    if (before) {
      EXPECT_THAT(repository.changed_since(call, *before), IsOk());
    }
    EXPECT_THAT(repository.is_ignored(call, path_of("x.o")), IsOk());
    EXPECT_FALSE(repository.require_clean(call));
    const std::vector<Path> paths = {Path()};
    EXPECT_THAT(repository.stage(call, paths), IsOk());
    EXPECT_FALSE(ran());
  }

  /// Show that a plant bites.
  void bites(const std::string& script) {
    try_sh("exec </dev/null\n" + script);
    EXPECT_TRUE(ran()) << "the plant does nothing in: " << script;
    sh("rm -f " + shell_word(marker()));
  }

  std::string plant() const { return shell_word(planted_program()); }
};

TEST_F(Hardening, C_GIT_3_fsmonitor) {
  sh("git config core.fsmonitor " + plant());
  bites("git status");
  all_operations();
  all_operations("sub");
}

TEST_F(Hardening, C_GIT_3_hooks) {
  for (const char* hook : {"post-index-change", "pre-commit", "post-checkout", "fsmonitor-watchman",
                           "reference-transaction", "pre-auto-gc", "post-rewrite"}) {
    sh("mkdir -p .git/hooks && cp " + plant() + " .git/hooks/" + hook);
  }
  bites("touch a; git update-index --refresh; git update-index --force-write-index");
  all_operations();
}

TEST_F(Hardening, C_GIT_3_a_hooks_path) {
  sh("mkdir h && cp " + plant() + " h/post-index-change && git config core.hooksPath h");
  bites("git update-index --force-write-index");
  all_operations();
}

TEST_F(Hardening, C_GIT_3_clean_and_smudge_filters) {
  sh("git config filter.evil.clean " + plant() + " && git config filter.evil.smudge " + plant() +
     " && git config filter.evil.required true");
  dir.write(".gitattributes", "* filter=evil\n");
  bites("echo 2 > a && git diff");
  all_operations();
}

TEST_F(Hardening, C_GIT_3_process_filters_named_by_info_attributes) {
  sh("git config filter.evil.process " + plant() + " && git config filter.evil.required true");
  dir.write(".git/info/attributes", "* filter=evil\n");
  bites("echo 2 > a && git diff");
  all_operations();
}

TEST_F(Hardening, C_GIT_3_text_conversion_and_external_diff_by_attribute) {
  sh("git config diff.evil.textconv " + plant() + " && git config diff.evil2.command " + plant());
  dir.write(".gitattributes", "a diff=evil\n*.x diff=evil2\n");
  bites("echo 2 > a && git diff a");
  bites("echo 2 > b.x && git diff b.x");
  all_operations();
}

TEST_F(Hardening, C_GIT_3_external_diff_pager_editor_gpg_and_ssh) {
  for (const char* key :
       {"diff.external", "core.pager", "pager.diff", "pager.status", "pager.rev-parse", "core.editor",
        "sequence.editor", "gpg.program", "core.sshCommand", "core.askPass", "credential.helper",
        "core.alternateRefsCommand", "core.gitProxy", "interactive.diffFilter", "uploadpack.packObjectsHook",
        "merge.evil.driver", "trailer.evil.command", "difftool.evil.cmd", "log.showSignature"}) {
    sh(std::string("git config ") + key + " " + plant());
  }
  bites("echo 2 > a && git diff");
  all_operations();
}

TEST_F(Hardening, C_GIT_3_aliases_named_like_what_we_run) {
  for (const char* name :
       {"status", "rev-parse", "diff-tree", "hash-object", "fast-import", "update-index", "ls-tree"}) {
    sh(std::string("git config alias.") + name + " '!" + planted_program() + "'");
  }
  all_operations();
}

TEST_F(Hardening, C_GIT_3_included_configuration) {
  dir.write("evil.config",
            "[core]\n\tfsmonitor = " + planted_program() + "\n[diff]\n\texternal = " + planted_program() + "\n");
  sh("git config include.path ../evil.config && git config includeIf.gitdir:/**.path " +
     shell_word(dir.at("evil.config")));
  bites("git status");
  all_operations();
}

TEST_F(Hardening, C_GIT_3_configuration_of_the_worktree) {
  sh("git config extensions.worktreeConfig true && git config --worktree core.fsmonitor " + plant());
  bites("git status");
  all_operations();
}

TEST_F(Hardening, C_GIT_3_a_submodule_with_a_configuration_of_its_own) {
  sh("git init -q -b main lib && cd lib && echo 1 > x && git add x && git commit -qm lib && cd .. && "
     "git -c advice.addEmbeddedRepo=false add lib && git commit -qm lib && "
     "git -C lib config core.fsmonitor " +
     plant() + " && git -C lib config filter.e.clean " + plant() +
     " && echo '* filter=e' > lib/.gitattributes && echo 2 > lib/x && git config submodule.recurse true && "
     "git config diff.submodule log && git config status.submoduleSummary true && "
     "printf '[submodule \"lib\"]\\n\\tpath = lib\\n\\turl = ./lib\\n\\tignore = none\\n' > .gitmodules");
  bites("git status");
  all_operations();
  sh("git -C lib -c core.fsmonitor= -c filter.e.clean=cat commit -qam second; rm -f " + shell_word(marker()));
  all_operations();
}

TEST_F(Hardening, C_GIT_3_a_partial_clone_fetches_nothing) {
  outside_.write("remote", "#!/bin/sh\n: > " + shell_word(marker()) + "\n");
  sh("chmod 755 " + shell_word(outside_.at("remote")));
  sh("git config remote.origin.url 'ext::" + outside_.at("remote") +
     "' && git config remote.origin.promisor true && "
     "git config remote.origin.partialclonefilter blob:none && git config extensions.partialClone origin && "
     "git config protocol.ext.allow always && git config core.repositoryformatversion 1");
  const auto object = sh("git rev-parse HEAD:a | tr -d '\\n'");
  sh("rm -f .git/objects/" + object.substr(0, 2) + "/" + object.substr(2));
  bites("GIT_ALLOW_PROTOCOL=ext git show HEAD:a");
  dir.write("a", "2 changed\n");
  auto& repository = open();
  EXPECT_THAT(repository.diff(call), testing::FailsWith(ErrorCode::io)) << "a stated error, not a short diff";
  EXPECT_THAT(status(), Contains("modified a"));
  EXPECT_FALSE(ran());
}

TEST_F(Hardening, core_worktree_is_not_believed) {
  testing::TempDir other;
  other.write("a", "elsewhere\n");
  sh("git config core.worktree " + shell_word(other.path()));
  dir.write("a", "2 changed\n");
  open();
  EXPECT_THAT(diff().text, ::testing::HasSubstr("+2 changed"));
}

TEST_F(Hardening, replaced_objects_and_grafts_are_not_believed) {
  dir.write("a", "2\n");
  sh("git replace HEAD:a $(git hash-object -w a)");
  open();
  EXPECT_THAT(diff().text, ::testing::HasSubstr("-1\n+2\n"));
}

TEST_F(Hardening, the_environment_of_the_workspace_does_not_lead_git_astray) {
  dir.write("a", "2\n");
  testing::TempDir other;
  const auto space = workspace("", {{"GIT_DIR", other.path()},
                                    {"GIT_WORK_TREE", other.path()},
                                    {"GIT_INDEX_FILE", other.at("index")},
                                    {"GIT_OBJECT_DIRECTORY", other.path()},
                                    {"GIT_EXTERNAL_DIFF", planted_program()},
                                    {"GIT_PAGER", planted_program()},
                                    {"GIT_SSH_COMMAND", planted_program()},
                                    {"GIT_EXEC_PATH", other.path()},
                                    {"GIT_CONFIG_COUNT", "1"},
                                    {"GIT_CONFIG_KEY_0", "core.fsmonitor"},
                                    {"GIT_CONFIG_VALUE_0", planted_program()},
                                    {"GIT_TRACE", other.at("trace")}});
  const auto repository = GitRepository::open(call, *space);
  ASSERT_THAT(repository, IsOk());
  const auto result = (*repository)->diff(call);
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->text, ::testing::HasSubstr("-1\n+2\n"));
  EXPECT_FALSE(ran());
  EXPECT_FALSE(other.exists("trace"));
}

TEST_F(Hardening, C_GIT_2_configuration_does_not_change_the_diff) {
  dir.write("a", "2\n");
  dir.write("sub/moved", "1\n1\n1\n1\n1\n");
  open();
  const auto before = diff();
  sh("git config color.ui always && git config diff.noprefix true && git config diff.renames false && "
     "git config diff.context 0 && git config diff.algorithm patience && git config diff.mnemonicPrefix true && "
     "git config core.quotePath true && git config diff.wordRegex . && git config diff.ignoreSubmodules all && "
     "git config status.showUntrackedFiles no && git config core.autocrlf true && git config core.fileMode false && "
     "git config core.ignoreCase true && git config diff.orderFile /dev/null && git config diff.interHunkContext 9 && "
     "git config core.excludesFile " +
     shell_word(outside_.at("planted")) +
     " && git config core.whitespace fix && "
     "git config core.symlinks false && git config core.trustctime false && git config core.checkStat minimal && "
     "git config core.bigFileThreshold 1");
  EXPECT_EQ(diff(), before);
  EXPECT_EQ(diff().text, before.text);
}

}  // namespace
}  // namespace berth::git
