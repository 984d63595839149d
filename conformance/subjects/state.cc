#include <cstdio>
#include <cstdlib>

#include "conformance/rules.h"
#include "conformance/subject.h"
#include "providers/state/provider.h"
#include "store/directory_store.h"
#include "store/memory_store.h"
#include "store/sqlite_store.h"
#include "testing/temp_dir.h"

namespace berth::conformance {
namespace {

/// The value of what an environment stands on; without it no rule can be tried.
template <typename T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", to_string(result.error()).c_str());
    std::abort();
  }
  return std::move(result).value();
}

using Made = Result<std::unique_ptr<Workspace>>;

/// What both kinds of state workspaces share: files are put there through a handle of the suite's own.
class DocumentEnvironment : public Environment {
 public:
  std::unique_ptr<Workspace> open(PathRules rules) override {
    return std::make_unique<Workspace>(must(attach_backend(*ref_)), rules);
  }

  void put(std::string_view path, BytesView content) override { (void)must(own_->write(soon(), path, content)); }

  Made attach(const WorkspaceRef& ref) override {
    BERTH_TRY(auto backend, attach_backend(ref));
    return std::make_unique<Workspace>(std::move(backend));
  }

 protected:
  virtual Result<std::unique_ptr<Backend>> attach_backend(const WorkspaceRef& ref) = 0;

  /// Make the document with a first handle.
  void start(std::unique_ptr<Backend> backend) {
    own_ = std::make_unique<Workspace>(std::move(backend));
    (void)must(own_->write(soon(), "first", ""));
    (void)must(own_->remove(soon(), "first"));
    ref_ = own_->ref();
  }

  const WorkspaceRef& ref() const { return *ref_; }

 private:
  std::unique_ptr<Workspace> own_;
  std::optional<WorkspaceRef> ref_;
};

using OpenStore = std::function<Result<std::unique_ptr<store::DocumentStore>>(const testing::TempDir&)>;

class StoredEnvironment final : public DocumentEnvironment {
 public:
  explicit StoredEnvironment(const OpenStore& open_store) : provider_(must(open_store(directory_))) {
    start(must(provider_.create()));
  }

  void destroy() override { EXPECT_THAT(provider_.destroy(soon(), ref()), testing::IsOk()); }

 private:
  Result<std::unique_ptr<Backend>> attach_backend(const WorkspaceRef& ref) override { return provider_.attach(ref); }

  testing::TempDir directory_;
  state::StateProvider provider_;
};

class FileEnvironment final : public DocumentEnvironment {
 public:
  FileEnvironment() { start(must(state::open_state_file({directory_.at("state.json")}))); }

  void destroy() override { std::remove(directory_.at("state.json").c_str()); }

 private:
  Result<std::unique_ptr<Backend>> attach_backend(const WorkspaceRef& ref) override {
    return state::attach_state_file(ref);
  }

  testing::TempDir directory_;
};

Subject document(std::string name, std::string title, std::function<std::unique_ptr<Environment>()> make) {
  Subject subject;
  subject.name = std::move(name);
  subject.title = std::move(title);
  subject.capabilities.run_commands = false;
  subject.capabilities.jobs = false;
  subject.make = std::move(make);
  return subject;
}

Subject stored(std::string name, std::string title, OpenStore open_store) {
  return document(std::move(name), std::move(title),
                  [open_store] { return std::make_unique<StoredEnvironment>(open_store); });
}

}  // namespace

std::vector<Subject> subjects() {
  return {
      stored("state_memory", "state in memory", [](const testing::TempDir&) { return store::make_memory_store(); }),
      stored(
          "state_directory", "state in a directory",
          [](const testing::TempDir& directory) { return store::open_directory_store({directory.at("documents")}); }),
      stored("state_sqlite", "state in SQLite",
             [](const testing::TempDir& directory) {
               return store::open_sqlite_store(soon(), {directory.at("documents.db")});
             }),
      document("state_file", "state in one file", [] { return std::make_unique<FileEnvironment>(); }),
  };
}

}  // namespace berth::conformance
