#include "bench/memory.h"

#include <fstream>
#include <string>

#include "bench/harness.h"

namespace berth::bench {
namespace {

std::int64_t status_field(const std::string& wanted) {
  std::ifstream status("/proc/self/status");
  std::string name;
  while (status >> name) {
    if (name == wanted) {
      std::int64_t kib = 0;
      status >> kib;
      return kib * 1024;
    }
  }
  return 0;
}

}  // namespace

std::int64_t reset_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
  return status_field("VmRSS:");
}

std::int64_t peak() { return status_field("VmHWM:"); }

}  // namespace berth::bench
