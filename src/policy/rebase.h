#pragma once

#include <string>
#include <string_view>

#include "contract/search.h"
#include "path/path.h"

namespace berth {

/// Put a path below another: `invalid_argument` when the whole is longer than a path may be.
Result<Path> join(const Path& directory, const Path& below);

/// Name a path that is `from` or lies below it as if `from` were `to`. A path outside `from` stays.
Path rebase(const Path& path, const Path& from, const Path& to);
std::string rebase(std::string_view path, const Path& from, const Path& to);

/// The same for every path of a result.
void rebase(ListPage& page, const Path& from, const Path& to);
void rebase(SearchResult& result, const Path& from, const Path& to);

/// Asks a filter about paths that a walk names from another place.
class RebasedFilter : public PathFilter {
 public:
  RebasedFilter(const PathFilter* filter, const Path& from, const Path& to) : filter_(filter), from_(from), to_(to) {}

  bool leaves_out(std::string_view path) const override {
    if (filter_ == nullptr) return false;
    return from_ == to_ ? filter_->leaves_out(path) : filter_->leaves_out(rebase(path, from_, to_));
  }

 private:
  const PathFilter* filter_;
  const Path& from_;
  const Path& to_;
};

}  // namespace berth
