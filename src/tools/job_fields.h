#pragma once

#include "contract/jobs.h"
#include "tools/fields.h"

/// How jobs look in JSON, on every surface.
namespace berth {

std::span<const tools::EnumName<JobState>> enum_names(JobState);
std::span<const tools::EnumName<JobEndedBy>> enum_names(JobEndedBy);

const tools::Fields<JobStreamTotals>& json_fields(const JobStreamTotals*);
const tools::Fields<JobInfo>& json_fields(const JobInfo*);

}  // namespace berth
