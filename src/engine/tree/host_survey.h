#pragma once

#include <memory>

#include "contract/survey.h"
#include "os/root.h"

namespace berth::engine {

/// Surveys a host directory. `root` must refuse links, so that a directory that is swapped for one meanwhile is passed
/// over (C-PATH-6). `threads` as in `SearchOptions`.
std::unique_ptr<TreeSurvey> make_host_survey(std::shared_ptr<const os::Root> root, int threads);

}  // namespace berth::engine
