#pragma once

#include "tools/fields.h"
#include "workspace/git/git_types.h"

/// The tables and spellings of the git layer's types.
namespace berth::git {

std::span<const tools::EnumName<Change>> enum_names(Change);
std::span<const tools::EnumName<NotShown::Why>> enum_names(NotShown::Why);

const tools::Fields<FileChange>& json_fields(const FileChange*);
const tools::Fields<NotShown>& json_fields(const NotShown*);
const tools::Fields<StatusEntry>& json_fields(const StatusEntry*);

/// The commit that is compared with; nothing where there is none.
std::optional<std::string> commit_of(const Baseline& baseline);

}  // namespace berth::git
