#include "guest/client/remote_faces.h"

#include "base/limits.h"

namespace berth::guest {

using namespace operations;

namespace {

/// A command that was cancelled gets TERM and its grace before it answers.
constexpr std::chrono::milliseconds kEndPatience = limits::kTermGrace + std::chrono::seconds(3);

template <typename Op>
Result<void> done(const Result<typename Op::Answer>& answer) {
  if (!answer) return answer.error();
  return {};
}

}  // namespace

Result<Bytes> Remote::exchange(const Call& call, Method method, BytesView arguments, const Extra& extra) const {
  BERTH_TRY(auto answer, connection_->exchange(call, {.method = method,
                                                      .flags = flags_,
                                                      .message = arguments,
                                                      .sink = extra.sink,
                                                      .filter = extra.filter,
                                                      .cancel_patience = extra.cancel_patience}));
  if (!answer.is_error) return std::move(answer.message);
  Decoder from(answer.message);
  auto error = get<Error>(from);
  if (from.done()) return error;
  return broken_protocol("an error cannot be read");
}

Result<ReadPage> RemoteFiles::read(const Call& call, const Path& path, const ReadRange& range) {
  return remote_.ask<Read>(call, {}, path, range);
}
Result<LinePage> RemoteFiles::read_lines(const Call& call, const Path& path, const LineRange& range) {
  return remote_.ask<ReadLines>(call, {}, path, range);
}
Result<FileStat> RemoteFiles::stat(const Call& call, const Path& path, FollowLeaf follow) {
  return remote_.ask<Stat>(call, {}, path, follow);
}
Result<DirectoryListing> RemoteFiles::list_directory(const Call& call, const Path& path) {
  return remote_.ask<ListDirectory>(call, {}, path);
}
Result<Path> RemoteFiles::real_path(const Call& call, const Path& path) {
  return remote_.ask<RealPath>(call, {}, path);
}

Result<WriteOutcome> RemoteFiles::write(const Call& call, const Path& path, BytesView content, const WriteSpec& spec) {
  return remote_.ask<Write>(call, {}, path, content, spec);
}
Result<RemoveOutcome> RemoteFiles::remove(const Call& call, const Path& path, const RemoveSpec& spec) {
  return remote_.ask<Remove>(call, {}, path, spec);
}
Result<MoveOutcome> RemoteFiles::move(const Call& call, const Path& from, const Path& to, const MoveSpec& spec) {
  return remote_.ask<Move>(call, {}, from, to, spec);
}
Result<MakeDirectoryOutcome> RemoteFiles::make_directory(const Call& call, const Path& path) {
  return remote_.ask<MakeDirectory>(call, {}, path);
}
Result<PruneOutcome> RemoteFiles::prune_empty_directories(const Call& call, const Path& path,
                                                          std::int64_t max_directories) {
  return remote_.ask<Prune>(call, {}, path, max_directories);
}

Result<TransactionOutcome> RemoteTransactions::apply(const Call& call, std::span<const FileOperation> operations) {
  return remote_.ask<Apply>(call, {}, operations);
}

Result<ListPage> RemoteSearch::list(const Call& call, const ListQuery& query) {
  return remote_.ask<List>(call, {.filter = query.filter_out}, query);
}
Result<SearchResult> RemoteSearch::search(const Call& call, const SearchQuery& query) {
  return remote_.ask<Search>(call, {.filter = query.filter_out}, query);
}

Result<CommandOutcome> RemoteCommands::run(const Call& call, const CommandSpec& spec, OutputSink* sink) {
  const Remote& remote = sink == nullptr ? quiet_ : heard_;
  return remote.ask<Run>(call, {.sink = sink, .cancel_patience = kEndPatience}, spec);
}

Result<JobInfo> RemoteJobs::start(const Call& call, const JobSpec& spec) {
  return remote_.ask<JobStart>(call, {}, spec);
}
Result<std::vector<JobInfo>> RemoteJobs::list(const Call& call) { return remote_.ask<JobList>(call, {}); }
Result<JobInfo> RemoteJobs::get(const Call& call, const JobId& id) { return remote_.ask<JobGet>(call, {}, id); }
Result<JobOutput> RemoteJobs::read(const Call& call, const JobId& id, const JobRead& request) {
  return remote_.ask<JobReadOutput>(call, {}, id, request);
}
Result<StdinOutcome> RemoteJobs::write_stdin(const Call& call, const JobId& id, BytesView content, StdinEnd end) {
  return remote_.ask<JobWriteStdin>(call, {}, id, content, end);
}
Result<SignalOutcome> RemoteJobs::signal(const Call& call, const JobId& id, int number) {
  return remote_.ask<JobSignal>(call, {}, id, number);
}
Result<JobInfo> RemoteJobs::stop(const Call& call, const JobId& id, std::chrono::milliseconds grace) {
  return remote_.ask<JobStop>(call, {}, id, grace);
}
Result<JobInfo> RemoteJobs::wait(const Call& call, const JobId& id, std::optional<std::chrono::milliseconds> at_most) {
  return remote_.ask<JobWait>(call, {}, id, at_most);
}
Result<void> RemoteJobs::resize(const Call& call, const JobId& id, TerminalSize size) {
  return done<JobResize>(remote_.ask<JobResize>(call, {}, id, size));
}
Result<void> RemoteJobs::forget(const Call& call, const JobId& id) {
  return done<JobForget>(remote_.ask<JobForget>(call, {}, id));
}

}  // namespace berth::guest
