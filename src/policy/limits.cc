#include "policy/limits.h"

#include <algorithm>

#include "policy/forwarding_backend.h"
#include "policy/forwarding_jobs.h"

namespace berth {
namespace {

template <typename Number>
Number at_most(Number asked, const std::optional<Number>& limit) {
  return limit ? std::min(asked, *limit) : asked;
}

template <typename Number>
std::optional<Number> at_most(const std::optional<Number>& asked, const std::optional<Number>& limit) {
  if (!asked) return limit;
  return at_most(*asked, limit);
}

Error too_large(std::string message, std::string_view limit, std::int64_t max) {
  return make_error(ErrorCode::too_large, std::move(message)).with("limit", std::string(limit)).with("max", max);
}

class LimitedReads final : public FileReads {
 public:
  LimitedReads(FileReads& reads, const LimitPolicy& policy) : reads_(reads), policy_(policy) {}

  Result<ReadPage> read(const Call& call, const Path& path, const ReadRange& range) override {
    ReadRange bounded = range;
    bounded.max_bytes = at_most(range.max_bytes, policy_.max_read_bytes);
    return reads_.read(call, path, bounded);
  }

  Result<LinePage> read_lines(const Call& call, const Path& path, const LineRange& range) override {
    LineRange bounded = range;
    bounded.max_bytes = at_most(range.max_bytes, policy_.max_read_bytes);
    return reads_.read_lines(call, path, bounded);
  }

  Result<FileStat> stat(const Call& call, const Path& path, FollowLeaf follow) override {
    return reads_.stat(call, path, follow);
  }

  Result<DirectoryListing> list_directory(const Call& call, const Path& path) override {
    auto listing = reads_.list_directory(call, path);
    if (listing && policy_.max_list_entries &&
        static_cast<std::int64_t>(listing->entries.size()) > *policy_.max_list_entries) {
      return too_large("the directory holds more entries than one listing may", "max_list_entries",
                       *policy_.max_list_entries)
          .with("entries", static_cast<std::int64_t>(listing->entries.size()));
    }
    return listing;
  }

  Result<Path> real_path(const Call& call, const Path& path) override { return reads_.real_path(call, path); }

 private:
  FileReads& reads_;
  const LimitPolicy& policy_;
};

class LimitedWrites final : public FileWrites {
 public:
  LimitedWrites(FileWrites& writes, const LimitPolicy& policy) : writes_(writes), policy_(policy) {}

  Result<WriteOutcome> write(const Call& call, const Path& path, BytesView content, const WriteSpec& spec) override {
    if (policy_.max_write_bytes && static_cast<std::int64_t>(content.size()) > *policy_.max_write_bytes) {
      return too_large("the content is larger than a file may be", "max_write_bytes", *policy_.max_write_bytes)
          .with("bytes", static_cast<std::int64_t>(content.size()));
    }
    return writes_.write(call, path, content, spec);
  }

  Result<RemoveOutcome> remove(const Call& call, const Path& path, const RemoveSpec& spec) override {
    return writes_.remove(call, path, spec);
  }

  Result<MoveOutcome> move(const Call& call, const Path& from, const Path& to, const MoveSpec& spec) override {
    return writes_.move(call, from, to, spec);
  }

  Result<MakeDirectoryOutcome> make_directory(const Call& call, const Path& path) override {
    return writes_.make_directory(call, path);
  }

  Result<PruneOutcome> prune_empty_directories(const Call& call, const Path& path,
                                               std::int64_t max_directories) override {
    return writes_.prune_empty_directories(call, path, max_directories);
  }

 private:
  FileWrites& writes_;
  const LimitPolicy& policy_;
};

class LimitedTransactions final : public FileTransactions {
 public:
  LimitedTransactions(FileTransactions& transactions, const LimitPolicy& policy)
      : transactions_(transactions), policy_(policy) {}

  Result<TransactionOutcome> apply(const Call& call, std::span<const FileOperation> operations) override {
    for (std::size_t i = 0; i < operations.size() && policy_.max_write_bytes; ++i) {
      const auto* write = std::get_if<WriteOperation>(&operations[i]);
      if (write == nullptr || static_cast<std::int64_t>(write->content.size()) <= *policy_.max_write_bytes) continue;
      return precondition_failed(
          operations.size(), i,
          too_large("the content is larger than a file may be", "max_write_bytes", *policy_.max_write_bytes)
              .with("bytes", static_cast<std::int64_t>(write->content.size())));
    }
    return transactions_.apply(call, operations);
  }

 private:
  FileTransactions& transactions_;
  const LimitPolicy& policy_;
};

class LimitedSearch final : public TreeSearch {
 public:
  LimitedSearch(TreeSearch& search, const LimitPolicy& policy) : search_(search), policy_(policy) {}

  Result<ListPage> list(const Call& call, const ListQuery& query) override {
    ListQuery bounded = query;
    bounded.limit = at_most(query.limit, policy_.max_list_entries);
    return search_.list(call, bounded);
  }

  Result<SearchResult> search(const Call& call, const SearchQuery& query) override {
    SearchQuery bounded = query;
    bounded.limit = at_most(query.limit, policy_.max_search_results);
    bounded.max_bytes = at_most(query.max_bytes, policy_.max_search_bytes);
    return search_.search(call, bounded);
  }

 private:
  TreeSearch& search_;
  const LimitPolicy& policy_;
};

class LimitedCommands final : public CommandRunner {
 public:
  LimitedCommands(CommandRunner& commands, const LimitPolicy& policy) : commands_(commands), policy_(policy) {}

  Result<CommandOutcome> run(const Call& call, const CommandSpec& spec, OutputSink* sink) override {
    CommandSpec bounded = spec;
    bounded.timeout = at_most(spec.timeout, policy_.max_command_time);
    auto& output = bounded.output;
    output.limit = at_most(output.limit, policy_.max_output_bytes);
    output.kept = at_most(output.kept, policy_.max_output_bytes);
    output.head = at_most(output.head, policy_.max_output_bytes);
    if (policy_.max_output_bytes) output.tail = std::min(output.tail, *policy_.max_output_bytes - output.head);
    return commands_.run(call, bounded, sink);
  }

 private:
  CommandRunner& commands_;
  const LimitPolicy& policy_;
};

class LimitedJobs final : public ForwardingJobs {
 public:
  LimitedJobs(JobControl& jobs, const LimitPolicy& policy) : ForwardingJobs(jobs), policy_(policy) {}

  Result<JobInfo> start(const Call& call, const JobSpec& spec) override {
    JobSpec bounded = spec;
    bounded.command.timeout = at_most(spec.command.timeout, policy_.max_command_time);
    return inner().start(call, bounded);
  }

  Result<JobOutput> read(const Call& call, const JobId& id, const JobRead& request) override {
    JobRead bounded = request;
    bounded.max_bytes = at_most(request.max_bytes, policy_.max_output_bytes);
    return inner().read(call, id, bounded);
  }

  Result<StdinOutcome> write_stdin(const Call& call, const JobId& id, BytesView content, StdinEnd end) override {
    if (policy_.max_write_bytes && static_cast<std::int64_t>(content.size()) > *policy_.max_write_bytes) {
      return too_large("the input is larger than one write may be", "max_write_bytes", *policy_.max_write_bytes)
          .with("bytes", static_cast<std::int64_t>(content.size()));
    }
    return inner().write_stdin(call, id, content, end);
  }

 private:
  const LimitPolicy& policy_;
};

template <typename Limited, typename Face>
std::unique_ptr<Limited> limited(Face* face, const LimitPolicy& policy) {
  return face == nullptr ? nullptr : std::make_unique<Limited>(*face, policy);
}

class LimitedBackend final : public ForwardingBackend {
 public:
  LimitedBackend(std::unique_ptr<Backend> wrapped, const LimitPolicy& policy)
      : ForwardingBackend(std::move(wrapped)),
        policy_(policy),
        reads_(limited<LimitedReads>(inner().reads(), policy_)),
        writes_(limited<LimitedWrites>(inner().writes(), policy_)),
        search_(limited<LimitedSearch>(inner().search(), policy_)),
        commands_(limited<LimitedCommands>(inner().commands(), policy_)),
        jobs_(limited<LimitedJobs>(inner().jobs(), policy_)),
        link_free_reads_(limited<LimitedReads>(inner().link_free().reads, policy_)),
        link_free_writes_(limited<LimitedWrites>(inner().link_free().writes, policy_)),
        link_free_search_(limited<LimitedSearch>(inner().link_free().search, policy_)),
        transactions_(limited<LimitedTransactions>(inner().transactions(), policy_)),
        link_free_transactions_(limited<LimitedTransactions>(inner().link_free().transactions, policy_)) {}

  FileReads* reads() noexcept override { return reads_.get(); }
  FileWrites* writes() noexcept override { return writes_.get(); }
  TreeSearch* search() noexcept override { return search_.get(); }
  CommandRunner* commands() noexcept override { return commands_.get(); }
  JobControl* jobs() noexcept override { return jobs_.get(); }
  FileTransactions* transactions() noexcept override { return transactions_.get(); }
  LinkFreeFaces link_free() noexcept override {
    return {.reads = link_free_reads_.get(),
            .writes = link_free_writes_.get(),
            .search = link_free_search_.get(),
            .transactions = link_free_transactions_.get()};
  }

 private:
  const LimitPolicy policy_;
  std::unique_ptr<LimitedReads> reads_;
  std::unique_ptr<LimitedWrites> writes_;
  std::unique_ptr<LimitedSearch> search_;
  std::unique_ptr<LimitedCommands> commands_;
  std::unique_ptr<LimitedJobs> jobs_;
  std::unique_ptr<LimitedReads> link_free_reads_;
  std::unique_ptr<LimitedWrites> link_free_writes_;
  std::unique_ptr<LimitedSearch> link_free_search_;
  std::unique_ptr<LimitedTransactions> transactions_;
  std::unique_ptr<LimitedTransactions> link_free_transactions_;
};

Result<void> check(std::string_view name, std::optional<std::int64_t> limit) {
  if (!limit || *limit > 0) return {};
  return make_error(ErrorCode::invalid_argument, "the limit " + std::string(name) + " must be greater than 0");
}

}  // namespace

Result<std::unique_ptr<Backend>> make_limited(std::unique_ptr<Backend> inner, const LimitPolicy& policy) {
  BERTH_CHECK(check("max_read_bytes", policy.max_read_bytes));
  BERTH_CHECK(check("max_write_bytes", policy.max_write_bytes));
  BERTH_CHECK(check("max_list_entries", policy.max_list_entries));
  BERTH_CHECK(check("max_search_results", policy.max_search_results));
  BERTH_CHECK(check("max_search_bytes", policy.max_search_bytes));
  BERTH_CHECK(check("max_output_bytes", policy.max_output_bytes));
  if (policy.max_command_time) BERTH_CHECK(check("max_command_time", policy.max_command_time->count()));
  return std::unique_ptr<Backend>(std::make_unique<LimitedBackend>(std::move(inner), policy));
}

}  // namespace berth
