#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/host_tree.h"
#include "workspace/workspace.h"

/// The suite that holds every provider and every policy to the contract. A program defines `subjects()` and links
/// `berth_conformance`; every rule then runs on every subject.
namespace berth::conformance {

/// One fresh environment of a subject, and the ways a test may reach into it from outside.
class Environment {
 public:
  virtual ~Environment() = default;

  /// Open a handle. Called several times: all handles are on the same environment, as separate opens would be.
  virtual std::unique_ptr<Workspace> open(PathRules rules = {}) = 0;

  /// Put a file there before the test, whatever the policies of the handles say.
  virtual void put(std::string_view path, BytesView content) = 0;

  /// Open by a ref that a handle gave.
  virtual Result<std::unique_ptr<Workspace>> attach(const WorkspaceRef& ref) = 0;

  /// Take the environment away from outside, so that refs to it are stale.
  virtual void destroy() = 0;

  /// The host directory below; null when the subject does not keep its files in one.
  virtual const HostTree* host() const noexcept { return nullptr; }
};

/// Whether a workspace follows links that stay inside its root.
enum class Links { followed_inside, refused };

/// What is tried against the contract.
struct Subject {
  std::string name;   ///< of tests: letters, digits and `_`
  std::string title;  ///< of the column in docs/providers.md
  Capabilities capabilities{.read_files = true,
                            .write_files = true,
                            .run_commands = true,
                            .search_files = true,
                            .transactions = true,
                            .jobs = true};
  Access access = Access::read_write;
  Links links = Links::followed_inside;
  std::function<std::unique_ptr<Environment>()> make;
  bool on_host = false;  ///< `Environment::host` is not null
};

/// Keep gtest from printing the bytes of the object.
void PrintTo(const Subject& subject, std::ostream* stream);

/// Defined by each program: what it tries.
std::vector<Subject> subjects();

/// Those of `subjects()` that keep their files in a host directory.
std::vector<Subject> host_subjects();

/// A subject over a fresh host directory. `open` makes the backend under test over the directory it is given;
/// `attach` opens one by its ref.
struct HostSubject {
  std::string name;
  std::string title;
  std::function<Result<std::unique_ptr<Backend>>(const std::string& directory)> open;
  std::function<Result<std::unique_ptr<Backend>>(const WorkspaceRef& ref)> attach;
  Capabilities capabilities{.read_files = true,
                            .write_files = true,
                            .run_commands = true,
                            .search_files = true,
                            .transactions = true,
                            .jobs = true};
  Access access = Access::read_write;
  Links links = Links::followed_inside;
  std::string below;  ///< the workspace's root below the directory that is opened; empty: the directory itself
};
Subject host_subject(HostSubject what);

/// Why a subject does not keep a rule.
struct Deviation {
  std::string_view subject;  ///< name; a final `*` stands for any rest
  std::string_view test;     ///< name of the rule's test
  std::string_view reason;
};

/// The one table of deviations. A test that is listed must fail: a deviation that is no longer one fails the suite.
const std::vector<Deviation>& deviations();
const Deviation* find_deviation(std::string_view subject, std::string_view test);

}  // namespace berth::conformance
