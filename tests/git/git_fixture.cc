#include "git_fixture.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>

#include "providers/local/local.h"

namespace berth::git {

std::string shell_word(std::string_view word) {
  std::string text = "'";
  for (const char byte : word) {
    if (byte == '\'') {
      text += "'\\''";
    } else {
      text += byte;
    }
  }
  return text + "'";
}

GitTest::GitTest() {
  outside_.write("planted", "#!/bin/sh\n: > " + shell_word(marker()) + "\ncat\n");
  try_sh("chmod 755 " + shell_word(outside_.at("planted")));
}

std::string GitTest::planted_program() const { return outside_.at("planted"); }

std::string GitTest::try_sh(const std::string& script) const {
  const std::string line =
      "cd " + shell_word(dir.path()) +
      " && export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null "
      "GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a "
      "GIT_COMMITTER_EMAIL=a@example.com GIT_ALLOW_PROTOCOL=file LC_ALL=C HOME=/dev/null; exec 2>&1\n" +
      script;
  FILE* pipe = ::popen(line.c_str(), "re");
  if (pipe == nullptr) return "popen failed";
  std::string out;
  std::array<char, 65536> buffer{};
  for (std::size_t count = 0; (count = ::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    out.append(buffer.data(), count);
  }
  const int status = ::pclose(pipe);
  return (status == 0 ? "0" : "1") + out;
}

std::string GitTest::sh(const std::string& script) const {
  const auto out = try_sh("set -e\n" + script);
  EXPECT_EQ(out.front(), '0') << script << "\n" << out.substr(1);
  return out.substr(1);
}

void GitTest::commit_all(const std::string& init_options) const {
  sh("git init -q -b main " + init_options + " . && git add -A && git commit -q --allow-empty -m first");
}

std::unique_ptr<Workspace> GitTest::workspace(const std::string& below,
                                              std::vector<std::pair<std::string, Bytes>> env) const {
  local::LocalOptions options;
  options.features = os::Features::probe();
  options.commands.env = std::move(env);
  auto backend = local::open_local({below.empty() ? dir.path() : dir.at(below)}, std::move(options));
  EXPECT_THAT(backend, testing::IsOk());
  return std::make_unique<Workspace>(*std::move(backend));
}

GitRepository& GitTest::open(const std::string& below) {
  repository_.reset();
  workspace_ = workspace(below);
  auto opened = GitRepository::open(call, *workspace_);
  EXPECT_THAT(opened, testing::IsOk());
  repository_ = *std::move(opened);
  return *repository_;
}

Diff GitTest::diff(const DiffOptions& options) {
  if (!repository_) open();
  auto result = repository_->diff(call, options);
  EXPECT_THAT(result, testing::IsOk());
  return result ? *std::move(result) : Diff{};
}

std::vector<std::string> GitTest::status() {
  if (!repository_) open();
  auto result = repository_->status_paths(call);
  EXPECT_THAT(result, testing::IsOk());
  return result ? texts(*result) : std::vector<std::string>{"failed"};
}

std::vector<std::string> texts(const std::vector<StatusEntry>& entries) {
  std::vector<std::string> result;
  for (const auto& entry : entries) {
    result.push_back(std::string(change_name(entry.change)) + " " + entry.path.text() +
                     (entry.untracked ? " (untracked)" : ""));
  }
  return result;
}

std::vector<std::string> texts(const std::vector<FileChange>& files) {
  std::vector<std::string> result;
  for (const auto& file : files) {
    result.push_back(std::string(change_name(file.change)) + " " + (file.from ? file.from->text() + " -> " : "") +
                     file.path.text());
  }
  return result;
}

std::vector<std::string> texts(const std::vector<NotShown>& not_shown) {
  std::vector<std::string> result;
  for (const auto& entry : not_shown) result.push_back(std::string(why_name(entry.why)) + " " + entry.path.text());
  return result;
}

}  // namespace berth::git
