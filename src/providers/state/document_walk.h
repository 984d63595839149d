#pragma once

#include <functional>
#include <string_view>

#include "base/call.h"
#include "contract/search.h"
#include "providers/state/document.h"

namespace berth::state {

/// Which files of a document a walk is for. What it refers to outlives the walk.
struct DocumentWalk {
  const Path& base;            ///< a directory of the document
  const PathPattern& pattern;  ///< matched below the base; decides about hidden names
  const WalkFilter& filter;
  const PathFilter* filter_out = nullptr;
};

enum class WalkOn { yes, no };

/// Visit the files in the byte order of their paths, until the visitor has enough. What a pattern, an ignore file or a
/// policy leaves out is stepped over whole. Errors: those of the call, which is looked at now and then.
Result<void> walk_document(const Call& call, const Document& document, const DocumentWalk& walk,
                           const std::function<WalkOn(const std::string& path, const StoredFile& file)>& visit);

}  // namespace berth::state
