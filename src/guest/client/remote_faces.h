#pragma once

#include <memory>

#include "contract/capabilities.h"
#include "contract/jobs.h"
#include "contract/transactions.h"
#include "guest/client/connection.h"

/// The capabilities of a guest, each a call over the connection.
namespace berth::guest {

/// Asks for one operation: encodes what it is given, decodes what comes back.
class Remote final {
 public:
  Remote(std::shared_ptr<Connection> connection, std::uint8_t flags)
      : connection_(std::move(connection)), flags_(flags) {}

  /// What goes with a request beside its arguments.
  struct Extra {
    OutputSink* sink = nullptr;
    const PathFilter* filter = nullptr;
    std::chrono::milliseconds cancel_patience{1000};
  };

  template <typename Op, typename... Given>
  Result<typename Op::Answer> ask(const Call& call, const Extra& extra, const Given&... given) const {
    const Bytes arguments = Op::encode(given...);
    BERTH_TRY(const auto message, exchange(call, Op::kMethod, arguments, extra));
    Decoder from(message);
    auto answer = Codec<typename Op::Answer>::get(from);
    if (from.done()) return answer;
    return broken_protocol("an answer cannot be read");
  }

 private:
  Result<Bytes> exchange(const Call& call, Method method, BytesView arguments, const Extra& extra) const;

  const std::shared_ptr<Connection> connection_;
  const std::uint8_t flags_;
};

class RemoteFiles final : public FileReads, public FileWrites {
 public:
  explicit RemoteFiles(Remote remote) : remote_(std::move(remote)) {}

  Result<ReadPage> read(const Call& call, const Path& path, const ReadRange& range) override;
  Result<LinePage> read_lines(const Call& call, const Path& path, const LineRange& range) override;
  Result<FileStat> stat(const Call& call, const Path& path, FollowLeaf follow) override;
  Result<DirectoryListing> list_directory(const Call& call, const Path& path) override;
  Result<Path> real_path(const Call& call, const Path& path) override;

  Result<WriteOutcome> write(const Call& call, const Path& path, BytesView content, const WriteSpec& spec) override;
  Result<RemoveOutcome> remove(const Call& call, const Path& path, const RemoveSpec& spec) override;
  Result<MoveOutcome> move(const Call& call, const Path& from, const Path& to, const MoveSpec& spec) override;
  Result<MakeDirectoryOutcome> make_directory(const Call& call, const Path& path) override;
  Result<PruneOutcome> prune_empty_directories(const Call& call, const Path& path,
                                               std::int64_t max_directories) override;

 private:
  const Remote remote_;
};

class RemoteTransactions final : public FileTransactions {
 public:
  explicit RemoteTransactions(Remote remote) : remote_(std::move(remote)) {}
  Result<TransactionOutcome> apply(const Call& call, std::span<const FileOperation> operations) override;

 private:
  const Remote remote_;
};

class RemoteSearch final : public TreeSearch {
 public:
  explicit RemoteSearch(Remote remote) : remote_(std::move(remote)) {}
  Result<ListPage> list(const Call& call, const ListQuery& query) override;
  Result<SearchResult> search(const Call& call, const SearchQuery& query) override;

 private:
  const Remote remote_;
};

class RemoteCommands final : public CommandRunner {
 public:
  RemoteCommands(std::shared_ptr<Connection> connection)
      : quiet_(connection, 0), heard_(std::move(connection), RequestHead::kWantsOutput) {}
  Result<CommandOutcome> run(const Call& call, const CommandSpec& spec, OutputSink* sink) override;

 private:
  const Remote quiet_;
  const Remote heard_;
};

class RemoteJobs final : public JobControl {
 public:
  explicit RemoteJobs(Remote remote) : remote_(std::move(remote)) {}
  Result<JobInfo> start(const Call& call, const JobSpec& spec) override;
  Result<std::vector<JobInfo>> list(const Call& call) override;
  Result<JobInfo> get(const Call& call, const JobId& id) override;
  Result<JobOutput> read(const Call& call, const JobId& id, const JobRead& request) override;
  Result<StdinOutcome> write_stdin(const Call& call, const JobId& id, BytesView content, StdinEnd end) override;
  Result<SignalOutcome> signal(const Call& call, const JobId& id, int number) override;
  Result<JobInfo> stop(const Call& call, const JobId& id, std::chrono::milliseconds grace) override;
  Result<JobInfo> wait(const Call& call, const JobId& id, std::optional<std::chrono::milliseconds> at_most) override;
  Result<void> resize(const Call& call, const JobId& id, TerminalSize size) override;
  Result<void> forget(const Call& call, const JobId& id) override;

 private:
  const Remote remote_;
};

}  // namespace berth::guest
