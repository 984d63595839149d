#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// Every default number that is a promise (contract section 11). An error that reports a limit names the constant's
/// option: `output_limit`, `search_bytes`, …
namespace berth::limits {

inline constexpr std::size_t kPathBytes = 4096;
inline constexpr std::size_t kNameBytes = 255;

inline constexpr std::int64_t kOutputLimit = 10 * 1024 * 1024;  ///< both streams of a command together
inline constexpr std::int64_t kPartialOutput = 64 * 1024;       ///< kept of each stream when a command is stopped
inline constexpr std::chrono::milliseconds kTermGrace{2000};    ///< between TERM and KILL

inline constexpr std::int64_t kPageBytes = 256 * 1024;  ///< one page of a file in tools
inline constexpr std::int64_t kListEntries = 500;       ///< one page of a listing in tools

inline constexpr std::int64_t kPageLines = 2000;               ///< of a page of a file in tools, unless asked otherwise
inline constexpr std::int64_t kWholeReadBytes = 1024 * 1024;   ///< a file up to this size is read whole for a page
inline constexpr std::int64_t kMediaBytes = 50 * 1024 * 1024;  ///< of an image or a document in tools
inline constexpr std::int64_t kToolOutput = 64 * 1024;         ///< kept of each stream of a command in tools
inline constexpr std::chrono::seconds kToolCommandTime{120};   ///< of a command in tools, unless asked otherwise
inline constexpr std::int64_t kLineExcerpt = 500;              ///< shown of one matching line in a tool's text
inline constexpr std::size_t kLedgerFiles = 10'000;            ///< that a conversation remembers having read

inline constexpr std::chrono::seconds kSearchTime{120};
inline constexpr std::int64_t kSearchBytes = 8 * 1024 * 1024;  ///< text of the matches one search returns

inline constexpr int kReadAttempts = 3;                   ///< of a file that changes while it is read
inline constexpr std::size_t kEditDiffBytes = 16 * 1024;  ///< of the diff in an edit's result

inline constexpr std::int64_t kPatchFiles = 100;              ///< that one patch or transaction changes
inline constexpr std::size_t kPatchBytes = 16 * 1024 * 1024;  ///< of a patch's text

inline constexpr std::int64_t kJobJournal = 16 * 1024 * 1024;  ///< kept of each stream of a job
inline constexpr std::chrono::hours kJobAge{7 * 24};           ///< of an ended job's record
inline constexpr std::size_t kJobRecords = 256;                ///< of one workspace, running jobs included

}  // namespace berth::limits
