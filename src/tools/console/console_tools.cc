#include "tools/console/console_tools.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/console/console_internal.h"
#include "tools/error_sentence.h"
#include "tools/make_tool.h"
#include "tools/text.h"

namespace berth::tools {
namespace console {
namespace {

constexpr std::size_t kUnreadableShown = 5;

}  // namespace

ToolResult error_result(const Error& error, Steering steering) {
  auto result = failed_result(error);
  result.text = "Error: " + error_sentence(error);
  // What is too large stays so, whatever the arguments are.
  if (steering == Steering::never_retries || error.code == ErrorCode::too_large) {
    result.outcome = ToolResult::Outcome::failed;
  }
  return result;
}

std::string spelled(Workspace& workspace, const Path& path) {
  const auto& roots = workspace.info().root_names;
  const bool absolute = std::find(roots.begin(), roots.end(), "/") != roots.end();
  return shown_name(absolute ? "/" + path.text() : path.text());
}

std::string unreadable_lines(const std::vector<Unreadable>& unreadable) {
  std::string text;
  for (std::size_t i = 0; i < std::min(unreadable.size(), kUnreadableShown); ++i) {
    text += fmt::format("\n  (could not be read: {}, {})", shown_name(unreadable[i].path.text()),
                        error_info(unreadable[i].code).name);
  }
  if (unreadable.size() > kUnreadableShown) {
    text += fmt::format("\n  (and {} more)", unreadable.size() - kUnreadableShown);
  }
  return text;
}

}  // namespace console

std::vector<std::unique_ptr<Tool>> console_tools(const CatalogueOptions& options) {
  const bool by_lines = options.edit_format == CatalogueOptions::EditFormat::hashline;
  std::vector<std::unique_ptr<Tool>> tools;
  tools.push_back(console::make_ls());
  tools.push_back(by_lines ? console::make_read_file_with_hashes() : console::make_read_file());
  tools.push_back(console::make_write_file());
  tools.push_back(by_lines ? console::make_hashline_edit() : console::make_edit_file());
  tools.push_back(console::make_glob());
  tools.push_back(console::make_grep());
  tools.push_back(console::make_execute());
  return tools;
}

}  // namespace berth::tools
