#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/subject.h"

namespace berth::conformance {

/// One operation that takes a path, made uniform, for rules that hold for every one.
struct Operation {
  enum class Kind { reads, writes, searches, runs };

  std::string name;
  Kind kind;
  std::function<Result<void>(Workspace& workspace, const Call& call, PathArg path)> run;
};

/// Every operation of the façade that takes a path.
const std::vector<Operation>& all_operations();

/// Those that a subject offers.
std::vector<Operation> operations_of(const Subject& subject);

}  // namespace berth::conformance
