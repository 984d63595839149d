#include "policy/sensitive.h"

namespace berth {

SensitivePolicy default_sensitive_policy() {
  return {.deny = {".env",
                   ".env.*",
                   "*.pem",
                   "*.key",
                   "*.p12",
                   "*.pfx",
                   "id_rsa",
                   "id_dsa",
                   "id_ecdsa",
                   "id_ed25519",
                   ".ssh",
                   ".aws",
                   ".gnupg",
                   ".netrc",
                   ".npmrc",
                   ".pypirc",
                   "credentials*",
                   "secrets",
                   ".envrc",
                   ".git-credentials",
                   ".docker/config.json",
                   "**/.docker/config.json",
                   ".kube",
                   ".pgpass",
                   "_netrc",
                   "*.jks",
                   "*.keystore",
                   "id_*_sk",
                   "secrets.yaml",
                   "secrets.yml",
                   "secrets.json",
                   "secrets.toml",
                   "secrets.env",
                   ".htpasswd",
                   ".vault-token"},
          .allow = {".env.example", ".env.sample", ".env.template"},
          .protect =
              {// Version control: hooks, fsmonitor and filters run programs.
               ".git", ".gitmodules", ".gitconfig", ".hg", ".svn", ".jj",
               // Our own state.
               ".berth",
               // Editors: tasks and settings run programs when a folder is opened.
               ".vscode", ".idea", ".zed", ".vim", ".nvim", ".exrc", ".vimrc", ".nvimrc", ".nvim.lua", ".dir-locals.el",
               ".devcontainer", ".devcontainer.json", "*.code-workspace",
               // Agents: hooks, servers and permissions.
               ".mcp.json", ".claude", ".claude.json", ".cursor", ".codex", ".gemini", ".windsurf", ".continue",
               ".aider.conf.yml", ".opencode", ".cayu", ".pydantic-ai-harness",
               // Shells and what they load on entering a directory.
               ".envrc", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv",
               ".zprofile", ".zlogin", ".zlogout", ".inputrc", ".mise.toml",
               // Programs that agents are given and that read options from where they run.
               ".ripgreprc", ".gdbinit", ".lldbinit", ".wgetrc", ".curlrc"},
          .hide = {}};
}

}  // namespace berth
