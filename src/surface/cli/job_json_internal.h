#pragma once

#include "contract/jobs.h"
#include "surface/cli/json_internal.h"

namespace berth::cli {

Json to_json(const JobInfo& job);

}  // namespace berth::cli
