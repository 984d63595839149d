#pragma once

#include "tools/fields.h"
#include "workspace/patch_outcome.h"

/// The tables and spellings of the contract's own types.
namespace berth {

std::span<const tools::EnumName<FileKind>> enum_names(FileKind);
std::span<const tools::EnumName<GitMode>> enum_names(GitMode);
std::span<const tools::EnumName<SearchBound>> enum_names(SearchBound);
std::span<const tools::EnumName<MoveOutcome::Fidelity>> enum_names(MoveOutcome::Fidelity);
std::span<const tools::EnumName<CommandOutcome::Kind>> enum_names(CommandOutcome::Kind);
std::span<const tools::EnumName<PatchedFile::What>> enum_names(PatchedFile::What);
/// Every row of the error table.
std::span<const tools::EnumName<ErrorCode>> enum_names(ErrorCode);

const tools::Fields<FileStat>& json_fields(const FileStat*);
const tools::Fields<PatchedFile>& json_fields(const PatchedFile*);
const tools::Fields<StreamOutput>& json_fields(const StreamOutput*);
const tools::Fields<Unreadable>& json_fields(const Unreadable*);

}  // namespace berth
