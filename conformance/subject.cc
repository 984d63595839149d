#include "conformance/subject.h"

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <utility>

namespace berth::conformance {
namespace {

class HostEnvironment final : public Environment {
 public:
  explicit HostEnvironment(HostSubject what) : what_(std::move(what)), tree_(what_.below) {
    // Where the records of jobs go that have no place of their own.
    ::setenv("XDG_STATE_HOME", state_.path().c_str(), 1);
  }

  std::unique_ptr<Workspace> open(PathRules rules) override {
    auto backend = what_.open(tree_.base());
    if (!backend) {
      std::fprintf(stderr, "%s: %s\n", what_.name.c_str(), to_string(backend.error()).c_str());
      std::abort();
    }
    return std::make_unique<Workspace>(std::move(backend).value(), rules);
  }

  void put(std::string_view path, BytesView content) override { tree_.write(path, content); }

  Result<std::unique_ptr<Workspace>> attach(const WorkspaceRef& ref) override {
    BERTH_TRY(auto backend, what_.attach(ref));
    return std::make_unique<Workspace>(std::move(backend));
  }

  void destroy() override { tree_.destroy(); }

  const HostTree* host() const noexcept override { return &tree_; }

 private:
  HostSubject what_;
  HostTree tree_;
  testing::TempDir state_;
};

}  // namespace

void PrintTo(const Subject& subject, std::ostream* stream) { *stream << subject.name; }

std::vector<Subject> host_subjects() {
  std::vector<Subject> found = subjects();
  std::erase_if(found, [](const Subject& subject) { return !subject.on_host; });
  return found;
}

Subject host_subject(HostSubject what) {
  Subject subject{.name = what.name,
                  .title = what.title,
                  .capabilities = what.capabilities,
                  .access = what.access,
                  .links = what.links,
                  .make = {},
                  .on_host = true};
  subject.make = [what = std::move(what)] { return std::make_unique<HostEnvironment>(what); };
  return subject;
}

const Deviation* find_deviation(std::string_view subject, std::string_view test) {
  const auto is_named = [subject](std::string_view name) {
    return name.ends_with('*') ? subject.starts_with(name.substr(0, name.size() - 1)) : subject == name;
  };
  for (const Deviation& deviation : deviations()) {
    if (deviation.test == test && is_named(deviation.subject)) return &deviation;
  }
  return nullptr;
}

}  // namespace berth::conformance
