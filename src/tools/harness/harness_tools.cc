#include "tools/harness/harness_tools.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tools/error_sentence.h"
#include "tools/harness/harness_internal.h"
#include "tools/make_tool.h"

namespace berth::tools {
namespace harness {
namespace {

constexpr std::size_t kHashDigits = 12;
constexpr std::string_view kRevisionPrefix = "sha256:";

}  // namespace

ToolResult error_result(const Error& error) {
  auto result = failed_result(error);
  result.text = error_sentence(error);
  // This profile asks for another path or command where a policy keeps one back.
  if (error.code == ErrorCode::policy_denied) result.outcome = ToolResult::Outcome::retry;
  return result;
}

ToolResult never_retried(const Error& error) {
  auto result = error_result(error);
  result.outcome = ToolResult::Outcome::failed;
  return result;
}

std::string short_hash(const Revision& revision) {
  std::string_view text = revision.text;
  if (text.starts_with(kRevisionPrefix)) text.remove_prefix(kRevisionPrefix.size());
  return std::string(text.substr(0, kHashDigits));
}

std::string hash_part(const HarnessOptions& options, const std::optional<Revision>& revision, std::string_view before,
                      std::string_view after) {
  if (!revision || options.content_hashes == HarnessOptions::Hashes::left_out) return "";
  return fmt::format("{}hash:{}{}", before, short_hash(*revision), after);
}

Result<std::string> shown_path(ToolSession& session, const Bytes& path) {
  BERTH_TRY(const auto resolved, session.workspace().resolve(path));
  return resolved.text();
}

std::string any_depth(std::string_view glob) {
  return glob.find('/') == std::string_view::npos ? fmt::format("**/{}", glob) : std::string(glob);
}

Result<std::optional<Revision>> expected_revision(const Call& call, ToolSession& session, const Bytes& path,
                                                  const std::optional<std::string>& expected_hash) {
  if (!expected_hash) return std::optional<Revision>();
  BERTH_TRY(const auto page, session.workspace().read(call, path));
  if (page.revision && short_hash(*page.revision) == *expected_hash) return page.revision;
  return make_error(ErrorCode::revision_mismatch, "the file does not have the expected hash")
      .at(path)
      .with("expected_hash", *expected_hash)
      .with("hash", page.revision ? short_hash(*page.revision) : std::string());
}

}  // namespace harness

std::vector<std::unique_ptr<Tool>> harness_tools(const CatalogueOptions& options) {
  const HarnessOptions& layout = options.harness;
  std::vector<std::unique_ptr<Tool>> tools;
  tools.push_back(harness::make_read_file(layout));
  tools.push_back(harness::make_write_file(layout));
  tools.push_back(harness::make_edit_file(layout));
  tools.push_back(harness::make_list_directory(layout));
  tools.push_back(harness::make_search_files(layout));
  tools.push_back(harness::make_find_files(layout));
  tools.push_back(harness::make_create_directory());
  tools.push_back(harness::make_file_info(layout));
  if (!options.only.empty()) {
    tools.push_back(harness::make_list_files(layout));
    tools.push_back(harness::make_grep(layout));
    tools.push_back(harness::make_shell(layout));
  }
  tools.push_back(harness::make_run_command(layout));
  tools.push_back(harness::make_start_command());
  tools.push_back(harness::make_check_command(layout));
  tools.push_back(harness::make_stop_command(layout));
  return tools;
}

}  // namespace berth::tools
