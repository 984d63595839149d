#include "testing/memory_backend.h"

#include <algorithm>
#include <cstdlib>

#include "base/hash.h"

namespace berth::testing {
namespace {

struct Node {
  FileKind kind = FileKind::file;
  Bytes content;  ///< of a link: its target
  int writes = 0;
};

Revision revision_of(BytesView content) { return {"sha256:" + to_hex(sha256(content))}; }

bool is_below(std::string_view path, std::string_view directory) {
  if (directory == ".") return true;
  return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

}  // namespace

class MemoryBackend::Files final : public FileReads, public FileWrites {
 public:
  using Nodes = std::map<std::string, Node>;
  enum class Links { follow, refuse };

  Files(MemoryBackend& owner, std::shared_ptr<Nodes> shared, Links links)
      : nodes(*shared), shared_(std::move(shared)), owner_(owner), links_(links) {}

  std::shared_ptr<Nodes> share() const { return shared_; }

  Nodes& nodes;

  void add(std::string_view path, Node node) {
    for (auto at = path.find('/'); at != std::string_view::npos; at = path.find('/', at + 1)) {
      nodes.try_emplace(std::string(path.substr(0, at)), Node{.kind = FileKind::directory});
    }
    nodes.insert_or_assign(std::string(path), std::move(node));
  }

  void drop(std::string_view path) {
    std::erase_if(nodes, [&](const auto& item) { return item.first == path || is_below(item.first, path); });
  }

  /// Where a path leads; missing last components stay.
  Result<Path> resolve(const Path& path, FollowLeaf follow) const {
    std::vector<std::string> todo;
    for (const auto part : path.components()) todo.emplace_back(part);
    std::ranges::reverse(todo);
    Path at;
    int links = 0;
    while (!todo.empty()) {
      std::string name = std::move(todo.back());
      todo.pop_back();
      if (name == "..") {
        if (at.is_root()) return make_error(ErrorCode::path_escape, "the link leads out of the workspace");
        at = at.parent();
        continue;
      }
      const Path next = at.child(name);
      const auto node = nodes.find(next.text());
      const bool is_leaf = todo.empty();
      if (node != nodes.end() && node->second.kind == FileKind::symlink && (!is_leaf || follow == FollowLeaf::yes)) {
        if (links_ == Links::refuse) return make_error(ErrorCode::path_escape, "the path holds a link");
        if (++links > 40) return make_error(ErrorCode::symlink_loop, "the links lead in a circle");
        std::string_view target = node->second.content;
        if (target.starts_with('/')) {
          if (target != "/memory" && !target.starts_with("/memory/")) {
            return make_error(ErrorCode::path_escape, "the link leads out of the workspace");
          }
          target.remove_prefix(std::min<std::size_t>(target.size(), 8));
          at = Path();
        }
        std::vector<std::string> parts;
        while (!target.empty()) {
          const auto end = std::min(target.find('/'), target.size());
          const auto part = target.substr(0, end);
          if (!part.empty() && part != ".") parts.emplace_back(part);
          target.remove_prefix(std::min(end + 1, target.size()));
        }
        todo.insert(todo.end(), parts.rbegin(), parts.rend());
        continue;
      }
      if (!is_leaf && node != nodes.end() && node->second.kind != FileKind::directory) {
        return make_error(ErrorCode::not_a_directory, "a parent is not a directory");
      }
      at = next;
    }
    return at;
  }

  Result<Node*> regular(const Path& path) {
    if (path.is_root()) return make_error(ErrorCode::is_a_directory, "this is a directory");
    const auto node = nodes.find(path.text());
    if (node == nodes.end()) return make_error(ErrorCode::not_found, "nothing stands there");
    if (node->second.kind == FileKind::directory) return make_error(ErrorCode::is_a_directory, "this is a directory");
    if (node->second.kind != FileKind::file) return make_error(ErrorCode::not_regular, "this is no regular file");
    return &node->second;
  }

  ChangeToken token_of(const std::string& path, const Node& node) const {
    return {{std::hash<std::string>()(path), node.content.size(), static_cast<std::uint64_t>(node.writes)}};
  }

  FileStat stat_of(const std::string& path, const Node& node) const {
    FileStat facts{.kind = node.kind, .mode = 0644, .token = token_of(path, node)};
    if (node.kind == FileKind::file) {
      facts.size = static_cast<std::int64_t>(node.content.size());
      facts.git_mode = GitMode::regular;
    }
    if (node.kind == FileKind::symlink) {
      facts.link_target = node.content;
      const auto real = owner_.files_->resolve(path_of(path), FollowLeaf::yes);
      if (real) {
        const auto target = nodes.find(real->text());
        facts.target_is_directory =
            real->is_root() || (target != nodes.end() && target->second.kind == FileKind::directory);
      }
    }
    return facts;
  }

  Result<ReadPage> read(const Call&, const Path& path, const ReadRange& range) override {
    owner_.note("read " + path.text());
    BERTH_TRY(const Path real, resolve(path, FollowLeaf::yes));
    BERTH_TRY(const Node* node, regular(real));
    const auto total = static_cast<std::int64_t>(node->content.size());
    if (range.offset > total) {
      return make_error(ErrorCode::offset_out_of_range, "the offset is past the end of the file")
          .with("offset", range.offset)
          .with("total_bytes", total);
    }
    const auto count = std::min(range.max_bytes.value_or(total), total - range.offset);
    ReadPage page{
        .content = node->content.substr(static_cast<std::size_t>(range.offset), static_cast<std::size_t>(count)),
        .offset = range.offset,
        .total_bytes = total,
        .truncated = range.offset + count < total,
        .token = token_of(real.text(), *node)};
    if (page.truncated) page.next_offset = range.offset + count;
    if (range.offset == 0 && !page.truncated) {
      if (range.want_revision == WantRevision::yes) page.revision = revision_of(page.content);
      page.git_mode = GitMode::regular;
    }
    return page;
  }

  Result<LinePage> read_lines(const Call&, const Path& path, const LineRange& range) override {
    owner_.note("read_lines " + path.text());
    BERTH_TRY(const Path real, resolve(path, FollowLeaf::yes));
    BERTH_TRY(const Node* node, regular(real));
    return LinePage{.content = node->content, .first_line = range.first, .token = token_of(real.text(), *node)};
  }

  Result<FileStat> stat(const Call&, const Path& path, FollowLeaf follow) override {
    owner_.note("stat " + path.text());
    BERTH_TRY(const Path real, resolve(path, follow));
    if (real.is_root()) return FileStat{.kind = FileKind::directory, .mode = 0755, .token = {{1}}};
    const auto node = nodes.find(real.text());
    if (node == nodes.end()) return make_error(ErrorCode::not_found, "nothing stands there");
    return stat_of(real.text(), node->second);
  }

  Result<DirectoryListing> list_directory(const Call&, const Path& path) override {
    owner_.note("list_directory " + path.text());
    BERTH_TRY(const Path real, resolve(path, FollowLeaf::yes));
    if (!real.is_root()) {
      const auto node = nodes.find(real.text());
      if (node == nodes.end()) return make_error(ErrorCode::not_found, "nothing stands there");
      if (node->second.kind != FileKind::directory) {
        return make_error(ErrorCode::not_a_directory, "this is no directory");
      }
    }
    DirectoryListing listing;
    for (const auto& [name, node] : nodes) {
      const Path entry = path_of(name);
      if (entry.parent() == real) listing.entries.push_back({Bytes(entry.name()), stat_of(name, node)});
    }
    return listing;
  }

  Result<Path> real_path(const Call&, const Path& path) override {
    owner_.note("real_path " + path.text());
    return resolve(path, FollowLeaf::yes);
  }

  Result<WriteOutcome> write(const Call&, const Path& path, BytesView content, const WriteSpec& spec) override {
    owner_.note("write " + path.text());
    if (spec.when == WriteSpec::When::absent) {
      BERTH_TRY(const Path leaf, resolve(path, FollowLeaf::no));
      if (nodes.contains(leaf.text())) return make_error(ErrorCode::already_exists, "something stands there");
    }
    BERTH_TRY(const Path real, resolve(path, FollowLeaf::yes));
    const auto known = nodes.find(real.text());
    WriteOutcome outcome{.revision = revision_of(content), .bytes = static_cast<std::int64_t>(content.size())};
    int writes = 0;
    if (known == nodes.end()) {
      if (spec.when == WriteSpec::When::revision_matches) {
        return make_error(ErrorCode::not_found, "nothing stands there");
      }
      outcome.created = true;
    } else {
      BERTH_TRY(const Node* node, regular(real));
      BERTH_CHECK(check(*node, spec.when == WriteSpec::When::revision_matches, spec.expected_revision));
      if (spec.when == WriteSpec::When::revision_matches) outcome.previous_revision = spec.expected_revision;
      writes = node->writes + 1;
    }
    add(real.text(), {FileKind::file, Bytes(content), writes});
    outcome.token = token_of(real.text(), nodes.at(real.text()));
    return outcome;
  }

  Result<RemoveOutcome> remove(const Call&, const Path& path, const RemoveSpec& spec) override {
    owner_.note("remove " + path.text());
    BERTH_TRY(const Path leaf, resolve(path, FollowLeaf::no));
    const auto node = nodes.find(leaf.text());
    if (node == nodes.end()) {
      if (spec.what == RemoveSpec::What::file_if_present) return RemoveOutcome{};
      return make_error(ErrorCode::not_found, "nothing stands there");
    }
    if (spec.what != RemoveSpec::What::tree && node->second.kind == FileKind::directory) {
      return make_error(ErrorCode::is_a_directory, "this is a directory");
    }
    BERTH_CHECK(check(node->second, spec.what == RemoveSpec::What::file_if_revision, spec.expected_revision));
    const auto before = nodes.size();
    drop(leaf.text());
    return RemoveOutcome{static_cast<std::int64_t>(before - nodes.size())};
  }

  Result<MoveOutcome> move(const Call&, const Path& from, const Path& to, const MoveSpec& spec) override {
    owner_.note("move " + from.text() + " " + to.text());
    BERTH_TRY(const Path source, resolve(from, FollowLeaf::no));
    BERTH_TRY(const Path destination, resolve(to, FollowLeaf::no));
    BERTH_TRY(const Node* node, regular(source));
    BERTH_CHECK(check(*node, true, spec.expected_revision));
    if (nodes.contains(destination.text())) {
      return make_error(ErrorCode::already_exists, "something stands there").with("destination", "true");
    }
    add(destination.text(), *node);
    drop(source.text());
    return MoveOutcome{MoveOutcome::Fidelity::atomic_rename, spec.expected_revision};
  }

  Result<MakeDirectoryOutcome> make_directory(const Call&, const Path& path) override {
    owner_.note("make_directory " + path.text());
    BERTH_TRY(const Path real, resolve(path, FollowLeaf::yes));
    const auto node = nodes.find(real.text());
    if (node == nodes.end()) {
      add(real.text(), {.kind = FileKind::directory});
      return MakeDirectoryOutcome{.created = true};
    }
    if (node->second.kind == FileKind::directory) return MakeDirectoryOutcome{};
    return make_error(ErrorCode::already_exists, "something stands there");
  }

  Result<PruneOutcome> prune_empty_directories(const Call&, const Path& path, std::int64_t max_directories) override {
    owner_.note("prune_empty_directories " + path.text());
    BERTH_TRY(const Path leaf, resolve(path, FollowLeaf::no));
    std::int64_t count = 0;
    for (const auto& [name, node] : nodes) {
      if (name != leaf.text() && !is_below(name, leaf.text())) continue;
      if (node.kind != FileKind::directory) return make_error(ErrorCode::not_empty, "the tree is not empty");
      ++count;
    }
    if (count > max_directories) return make_error(ErrorCode::too_large, "too many directories");
    drop(leaf.text());
    return PruneOutcome{count};
  }

 private:
  static Result<void> check(const Node& node, bool compare, const Revision& expected) {
    if (!compare || revision_of(node.content) == expected) return {};
    return make_error(ErrorCode::revision_mismatch, "the file was changed since that revision")
        .with("expected_revision", expected.text)
        .with("actual_revision", revision_of(node.content).text);
  }

  std::shared_ptr<Nodes> shared_;
  MemoryBackend& owner_;
  Links links_;
};

class MemoryBackend::Commands final : public CommandRunner {
 public:
  explicit Commands(MemoryBackend& owner) : owner_(owner) {}

  Result<CommandOutcome> run(const Call&, const CommandSpec& spec, OutputSink* sink) override {
    std::string words = spec.script;
    for (const auto& word : spec.argv) words += (words.empty() ? "" : " ") + word;
    owner_.note("run " + words + " in " + spec.cwd.text());
    if (!spec.cwd.is_root() && !owner_.files_->nodes.contains(spec.cwd.text())) {
      return make_error(ErrorCode::not_found, "nothing stands there");
    }
    if (sink != nullptr) sink->write(OutputSink::Stream::out, words);
    CommandOutcome outcome{.kind = CommandOutcome::Kind::exited};
    outcome.out = {.head = words, .tail = {}, .total_bytes = static_cast<std::int64_t>(words.size())};
    return outcome;
  }

 private:
  MemoryBackend& owner_;
};

class MemoryBackend::Jobs final : public JobControl {
 public:
  explicit Jobs(MemoryBackend& owner) : owner_(owner) {}

  Result<JobInfo> start(const Call&, const JobSpec& spec) override {
    JobInfo job{.id = {"job-" + std::to_string(jobs_.size() + 1)},
                .name = spec.name,
                .argv = spec.command.argv,
                .script = spec.command.script,
                .cwd = spec.command.cwd,
                .state = JobState::running};
    std::string note = "start_job " + words_of(job) + " in " + spec.command.cwd.text();
    if (spec.command.timeout) note += " for " + std::to_string(spec.command.timeout->count());
    owner_.note(note);
    jobs_.push_back(job);
    return job;
  }
  Result<std::vector<JobInfo>> list(const Call&) override {
    owner_.note("list_jobs");
    return jobs_;
  }
  Result<JobInfo> get(const Call&, const JobId& id) override { return noted("job", id); }
  Result<JobOutput> read(const Call&, const JobId& id, const JobRead& request) override {
    BERTH_TRY(const auto job, noted("read_job", id));
    auto content = words_of(job).substr(0, static_cast<std::size_t>(request.max_bytes));
    const auto size = static_cast<std::int64_t>(content.size());
    return JobOutput{.content = std::move(content), .next_offset = size, .total_bytes = size};
  }
  Result<StdinOutcome> write_stdin(const Call&, const JobId& id, BytesView content, StdinEnd end) override {
    BERTH_CHECK(noted("write_job_stdin", id));
    return StdinOutcome{.accepted_bytes = static_cast<std::int64_t>(content.size()), .open = end == StdinEnd::open};
  }
  Result<SignalOutcome> signal(const Call&, const JobId& id, int) override {
    BERTH_TRY(const auto job, noted("signal_job", id));
    return job.has_ended() ? SignalOutcome::already_ended : SignalOutcome::delivered;
  }
  Result<JobInfo> stop(const Call&, const JobId& id, std::chrono::milliseconds) override {
    BERTH_CHECK(noted("stop_job", id));
    JobInfo& job = *find(id);
    job.state = JobState::signaled;
    job.signal = 15;
    job.ended_by = JobEndedBy::stop;
    return job;
  }
  Result<JobInfo> wait(const Call&, const JobId& id, std::optional<std::chrono::milliseconds>) override {
    return noted("wait_job", id);
  }
  Result<void> resize(const Call&, const JobId& id, TerminalSize) override {
    BERTH_CHECK(noted("resize_job", id));
    return {};
  }
  Result<void> forget(const Call&, const JobId& id) override {
    BERTH_CHECK(noted("forget_job", id));
    jobs_.erase(find(id));
    return {};
  }

 private:
  static std::string words_of(const JobInfo& job) {
    std::string words = job.script;
    for (const auto& word : job.argv) words += (words.empty() ? "" : " ") + word;
    return words;
  }
  std::vector<JobInfo>::iterator find(const JobId& id) { return std::ranges::find(jobs_, id, &JobInfo::id); }
  Result<JobInfo> noted(std::string_view what, const JobId& id) {
    owner_.note(std::string(what) + " " + id.text);
    const auto job = find(id);
    if (job == jobs_.end()) return make_error(ErrorCode::not_found, "there is no such job");
    return *job;
  }

  MemoryBackend& owner_;
  std::vector<JobInfo> jobs_;
};

class MemoryBackend::Search final : public TreeSearch {
 public:
  Search(MemoryBackend& owner, Files& files) : owner_(owner), files_(files) {}

  Result<ListPage> list(const Call&, const ListQuery& query) override {
    owner_.note("list " + query.base.text());
    ListPage page;
    BERTH_TRY(const Path base, files_.resolve(query.base, FollowLeaf::yes));
    for (const auto& [name, node] : files_.nodes) {
      if (node.kind == FileKind::directory || !is_below(name, base.text()) || left_out(query.filter_out, name)) {
        continue;
      }
      ++page.total;
      if (name <= query.cursor || page.truncated) continue;
      if (query.limit && static_cast<std::int64_t>(page.paths.size()) == *query.limit) {
        page.truncated = true;
        page.cursor = page.paths.back().text();
        continue;
      }
      page.paths.push_back(path_of(name));
    }
    return page;
  }

  Result<SearchResult> search(const Call&, const SearchQuery& query) override {
    owner_.note("search " + query.base.text());
    SearchResult result;
    BERTH_TRY(const Path base, files_.resolve(query.base, FollowLeaf::yes));
    std::int64_t records = 0;
    for (const auto& [name, node] : files_.nodes) {
      if (node.kind != FileKind::file || (name != base.text() && !is_below(name, base.text()))) continue;
      if (left_out(query.filter_out, name)) continue;
      ++result.files_searched;
      result.bytes_searched += static_cast<std::int64_t>(node.content.size());
      if (node.content.find(query.pattern) == Bytes::npos) continue;
      if (records++ < query.offset) continue;
      if (query.limit && records - query.offset > *query.limit) {
        result.next_offset = query.offset + *query.limit;
        break;
      }
      if (query.mode == SearchQuery::Mode::lines) {
        result.lines.push_back({.path = path_of(name), .line = 1, .column = 1, .text = node.content});
      } else {
        result.files.push_back({.path = path_of(name), .matches = 1});
      }
    }
    return result;
  }

 private:
  static bool left_out(const PathFilter* filter, std::string_view path) {
    if (filter == nullptr) return false;
    for (auto end = path.find('/'); end != std::string_view::npos; end = path.find('/', end + 1)) {
      if (filter->leaves_out(path.substr(0, end))) return true;
    }
    return filter->leaves_out(path);
  }

  MemoryBackend& owner_;
  Files& files_;
};

MemoryBackend::MemoryBackend() : MemoryBackend(Offers{}) {}

MemoryBackend::MemoryBackend(Offers offers, BackendInfo info)
    : offers_(offers),
      info_(std::move(info)),
      files_(std::make_unique<Files>(*this, std::make_shared<Files::Nodes>(), Files::Links::follow)),
      link_free_files_(std::make_unique<Files>(*this, files_->share(), Files::Links::refuse)),
      commands_(std::make_unique<Commands>(*this)),
      jobs_(std::make_unique<Jobs>(*this)),
      search_(std::make_unique<Search>(*this, *files_)),
      link_free_search_(std::make_unique<Search>(*this, *link_free_files_)) {}

MemoryBackend::~MemoryBackend() = default;

BackendInfo MemoryBackend::default_info() {
  return {.provider = "memory",
          .resource_key = "memory:1",
          .root_names = {"/memory"},
          .confinement = Confinement::root,
          .access = Access::read_write,
          .isolation = "document"};
}

MemoryBackend& MemoryBackend::file(std::string_view path, std::string_view content) {
  files_->add(path, {FileKind::file, Bytes(content)});
  return *this;
}

MemoryBackend& MemoryBackend::link(std::string_view path, std::string_view target) {
  files_->add(path, {FileKind::symlink, Bytes(target)});
  return *this;
}

MemoryBackend& MemoryBackend::directory(std::string_view path) {
  files_->add(path, {.kind = FileKind::directory});
  return *this;
}

void MemoryBackend::drop(std::string_view path) { files_->drop(path); }

std::optional<Bytes> MemoryBackend::content(std::string_view path) const {
  const auto node = files_->nodes.find(std::string(path));
  if (node == files_->nodes.end() || node->second.kind != FileKind::file) return std::nullopt;
  return node->second.content;
}

void MemoryBackend::note(std::string text) {
  if (before_call) before_call(text);
  calls.push_back(std::move(text));
}

Result<void> MemoryBackend::ensure(const Call&) {
  ++ensured;
  return ensure_answer;
}

FileReads* MemoryBackend::reads() noexcept { return offers_.reads ? files_.get() : nullptr; }
FileWrites* MemoryBackend::writes() noexcept { return offers_.writes ? files_.get() : nullptr; }
CommandRunner* MemoryBackend::commands() noexcept { return offers_.commands ? commands_.get() : nullptr; }
JobControl* MemoryBackend::jobs() noexcept { return offers_.jobs ? jobs_.get() : nullptr; }
TreeSearch* MemoryBackend::search() noexcept { return offers_.search ? search_.get() : nullptr; }

LinkFreeFaces MemoryBackend::link_free() noexcept {
  if (!offers_.link_free) return {};
  return {.reads = offers_.reads ? link_free_files_.get() : nullptr,
          .writes = offers_.writes ? link_free_files_.get() : nullptr,
          .search = offers_.search ? link_free_search_.get() : nullptr};
}

}  // namespace berth::testing
