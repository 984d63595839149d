#pragma once

#include "contract/commands.h"
#include "contract/files.h"
#include "contract/jobs.h"
#include "contract/search.h"
#include "contract/transactions.h"
#include "guest/protocol/encoding.h"

/// Which members of the contract's types travel, in this order. Every member must be named: a line that does not name
/// them all, or too many, does not compile. A change here is a change of the protocol: its version goes up.
#define BERTH_GUEST_VALUE(Type, ...)                    \
  template <typename T>                                 \
    requires std::same_as<std::remove_const_t<T>, Type> \
  constexpr auto members_of(T& value) {                 \
    auto& [__VA_ARGS__] = value;                        \
    return std::tie(__VA_ARGS__);                       \
  }
/// The last value of an enumeration that counts from 0.
#define BERTH_GUEST_ENUM(Type, last) \
  constexpr Type last_of(Type) { return Type::last; }

namespace berth {

BERTH_GUEST_ENUM(FileKind, other)
BERTH_GUEST_ENUM(GitMode, executable)
BERTH_GUEST_ENUM(FollowLeaf, yes)
BERTH_GUEST_ENUM(WantRevision, no)
BERTH_GUEST_ENUM(WriteSpec::When, revision_matches)
BERTH_GUEST_ENUM(RemoveSpec::What, tree)
BERTH_GUEST_ENUM(MoveOutcome::Fidelity, link_unlink)
BERTH_GUEST_ENUM(OutputPolicy::Kind, keep)
BERTH_GUEST_ENUM(EndScope, group)
BERTH_GUEST_ENUM(CommandOutcome::Kind, lost)
BERTH_GUEST_ENUM(JobState, lost)
BERTH_GUEST_ENUM(JobEndedBy, timeout)
BERTH_GUEST_ENUM(JobStream, err)
BERTH_GUEST_ENUM(StdinEnd, close)
BERTH_GUEST_ENUM(SignalOutcome, already_ended)
BERTH_GUEST_ENUM(PatternGrammar, glob)
BERTH_GUEST_ENUM(SearchQuery::Mode, count)
BERTH_GUEST_ENUM(SearchBound, results)
BERTH_GUEST_ENUM(OperationOutcome::State, unknown)
BERTH_GUEST_ENUM(TransactionOutcome::State, ambiguous)

BERTH_GUEST_VALUE(ErrorField, name, content)
BERTH_GUEST_VALUE(Error, code, message, path, hint, fields)

BERTH_GUEST_VALUE(ChangeToken, words)
BERTH_GUEST_VALUE(Revision, text)
BERTH_GUEST_VALUE(FileStat, kind, size, modified_at, mode, git_mode, link_target, target_is_directory, token)
BERTH_GUEST_VALUE(DirectoryEntry, name, stat)
BERTH_GUEST_VALUE(Unreadable, path, code)
BERTH_GUEST_VALUE(DirectoryListing, entries)
BERTH_GUEST_VALUE(ReadRange, offset, max_bytes, want_revision)
BERTH_GUEST_VALUE(ReadPage, content, offset, total_bytes, truncated, next_offset, revision, git_mode, token)
BERTH_GUEST_VALUE(LineRange, first, count, max_bytes, count_lines)
BERTH_GUEST_VALUE(LinePage, content, first_line, line_count, first_offset, total_bytes, total_lines, truncated,
                  line_cut, next_line, token)
BERTH_GUEST_VALUE(WriteSpec, when, expected_revision, expected_git_mode, expected_token, git_mode)
BERTH_GUEST_VALUE(WriteOutcome, revision, previous_revision, created, bytes, token)
BERTH_GUEST_VALUE(RemoveSpec, what, expected_revision, expected_git_mode, expected_token)
BERTH_GUEST_VALUE(RemoveOutcome, removed)
BERTH_GUEST_VALUE(MoveSpec, expected_revision, expected_git_mode, expected_token)
BERTH_GUEST_VALUE(MoveOutcome, fidelity, revision)
BERTH_GUEST_VALUE(MakeDirectoryOutcome, created)
BERTH_GUEST_VALUE(PruneOutcome, removed)

BERTH_GUEST_VALUE(OutputPolicy, kind, limit, kept, head, tail)
BERTH_GUEST_VALUE(CommandSpec, argv, script, env, env_remove, cwd, stdin_bytes, timeout, output, end_scope, run_id)
BERTH_GUEST_VALUE(StreamOutput, head, tail, total_bytes)
BERTH_GUEST_VALUE(CommandOutcome, kind, exit_code, signal, reason, out, err, duration, survivors)

BERTH_GUEST_VALUE(JobId, text)
BERTH_GUEST_VALUE(TerminalSize, rows, columns)
BERTH_GUEST_VALUE(JobSpec, command, name, terminal)
BERTH_GUEST_VALUE(JobStreamTotals, total_bytes, dropped_bytes)
BERTH_GUEST_VALUE(JobInfo, id, name, argv, script, cwd, terminal, state, exit_code, signal, ended_by, reason, survivors,
                  left_processes, stdin_open, started_at, ended_at, duration, process, out, err)
BERTH_GUEST_VALUE(JobRead, stream, offset, max_bytes, wait)
BERTH_GUEST_VALUE(JobOutput, content, offset, next_offset, dropped_bytes, total_bytes, ended)
BERTH_GUEST_VALUE(StdinOutcome, accepted_bytes, open)

BERTH_GUEST_VALUE(WalkFilter, hidden, ignored)
BERTH_GUEST_VALUE(ListQuery, pattern, grammar, base, filter, limit, cursor, filter_out)
BERTH_GUEST_VALUE(ListPage, paths, total, truncated, cursor, complete, unreadable)
BERTH_GUEST_VALUE(SearchQuery, pattern, base, glob, literal, ignore_case, word, multiline, mode, filter, context, limit,
                  offset, max_files, max_bytes, filter_out)
BERTH_GUEST_VALUE(SearchMatch, path, line, column, text, before, after)
BERTH_GUEST_VALUE(FileMatches, path, matches)
BERTH_GUEST_VALUE(SearchResult, lines, files, files_searched, files_binary, bytes_searched, stopped_by, next_offset,
                  unreadable)

BERTH_GUEST_VALUE(WriteOperation, path, content, spec)
BERTH_GUEST_VALUE(RemoveOperation, path, spec)
BERTH_GUEST_VALUE(MoveOperation, from, to, spec)
BERTH_GUEST_VALUE(MakeDirectoryOperation, path)
BERTH_GUEST_VALUE(OperationOutcome, state, error, previous_revision, revision, changed, created)
BERTH_GUEST_VALUE(TransactionOutcome, state, operations)

}  // namespace berth
