#include "tools/plain_tools.h"

#include "tools/apply_patch.h"
#include "tools/check_command.h"
#include "tools/delete_file.h"
#include "tools/edit_file.h"
#include "tools/execute.h"
#include "tools/git_diff.h"
#include "tools/git_status.h"
#include "tools/grep.h"
#include "tools/hashline_edit.h"
#include "tools/list_files.h"
#include "tools/ls.h"
#include "tools/make_directory.h"
#include "tools/move_file.h"
#include "tools/read_file.h"
#include "tools/send_input.h"
#include "tools/start_command.h"
#include "tools/stop_command.h"
#include "tools/write_file.h"

namespace berth::tools {

std::vector<std::unique_ptr<Tool>> plain_tools() {
  std::vector<std::unique_ptr<Tool>> tools;
  tools.push_back(ls_tool());
  tools.push_back(read_file_tool());
  tools.push_back(write_file_tool());
  tools.push_back(edit_file_tool());
  tools.push_back(hashline_edit_tool());
  tools.push_back(multi_edit_tool());
  tools.push_back(apply_patch_tool());
  tools.push_back(delete_file_tool());
  tools.push_back(move_file_tool());
  tools.push_back(make_directory_tool());
  tools.push_back(list_files_tool());
  tools.push_back(glob_tool());
  tools.push_back(grep_tool());
  tools.push_back(execute_tool());
  tools.push_back(start_command_tool());
  tools.push_back(check_command_tool());
  tools.push_back(send_input_tool());
  tools.push_back(stop_command_tool());
  tools.push_back(git_status_tool());
  tools.push_back(git_diff_tool());
  return tools;
}

}  // namespace berth::tools
