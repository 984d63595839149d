#include "tests/soak/process_state.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

namespace berth::soak {
namespace fs = std::filesystem;
namespace {

std::int64_t count_descendants() {
  std::map<pid_t, pid_t> parents;
  std::error_code error;
  for (auto entry = fs::directory_iterator("/proc", error); entry != fs::directory_iterator(); entry.increment(error)) {
    if (error) break;
    const std::string name = entry->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    // pid (comm) state ppid …; the command may hold anything, so reading starts after its last parenthesis.
    std::ifstream stat(entry->path() / "stat");
    const std::string text{std::istreambuf_iterator<char>(stat), std::istreambuf_iterator<char>()};
    const auto end = text.rfind(") ");
    if (end == std::string::npos) continue;
    parents[std::stoi(name)] = std::stoi(text.substr(end + 4));
  }
  std::set<pid_t> ours = {::getpid()};
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& [child, parent] : parents) {
      if (ours.contains(parent) && ours.insert(child).second) grew = true;
    }
  }
  return static_cast<std::int64_t>(ours.size()) - 1;
}

}  // namespace

ProcessState process_state() {
  ProcessState state;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    (void)entry;
    ++state.open_files;
  }
  state.descendants = count_descendants();
  std::int64_t pages = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  state.resident_bytes = resident * ::sysconf(_SC_PAGESIZE);
  return state;
}

std::vector<std::string> temporary_files(const std::string& directory) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.path().filename().string().starts_with(".berth-tmp-")) found.push_back(entry.path().string());
  }
  return found;
}

}  // namespace berth::soak
