#include "engine/tree/host_survey.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/limits.h"
#include "os/directory.h"
#include "os/temp_name.h"

namespace berth::engine {
namespace {

constexpr int kMaxThreads = 8;
constexpr std::size_t kNamesPerCheck = 512;

bool is_gone(ErrorCode code) noexcept {
  return code == ErrorCode::not_found || code == ErrorCode::not_a_directory || code == ErrorCode::path_escape;
}

SurveyedName surveyed(const struct stat& st) noexcept {
  return {.name = {},
          .mode = st.st_mode,
          .inode = st.st_ino,
          .owner = st.st_uid,
          .group = st.st_gid,
          .size = static_cast<std::uint64_t>(st.st_size),
          .modified_s = st.st_mtim.tv_sec,
          .modified_ns = static_cast<std::uint32_t>(st.st_mtim.tv_nsec),
          .changed_s = st.st_ctim.tv_sec,
          .changed_ns = static_cast<std::uint32_t>(st.st_ctim.tv_nsec)};
}

/// The names of one directory, one after the other in one piece of memory that is used again.
class Names {
 public:
  void clear() {
    bytes_.clear();
    names_.clear();
  }

  void add(std::string_view name, const struct stat& st) {
    auto& added = names_.emplace_back(surveyed(st));
    added.name = name;  // the length: where it is, `take` says
    bytes_.append(name);
  }

  std::span<const SurveyedName> take() {
    std::string_view rest = bytes_;
    for (auto& name : names_) {
      name.name = rest.substr(0, name.name.size());
      rest.remove_prefix(name.name.size());
    }
    return names_;
  }

 private:
  std::string bytes_;
  std::vector<SurveyedName> names_;
};

/// One survey: threads that share a stack of directories, deep before wide.
class Survey {
 public:
  Survey(const os::Root& root, const Call& call, SurveyVisitor& visitor)
      : root_(root), call_(call), visitor_(visitor) {}

  Result<void> run(int threads) {
    waiting_.emplace_back();
    {
      std::vector<std::jthread> helpers;
      for (int i = 1; i < threads; ++i) helpers.emplace_back([this] { work(); });
      work();
    }
    if (failure_) return *std::move(failure_);
    return {};
  }

 private:
  void work() {
    Names names;
    std::vector<Path> found;
    std::unique_lock lock(mutex_);
    for (;;) {
      // Whoever is busy looks at the call, so this wait ends with it.
      changed_.wait(lock, [&] { return failure_ || !waiting_.empty() || busy_ == 0; });
      if (failure_ || waiting_.empty()) return;
      const Path directory = std::move(waiting_.back());
      waiting_.pop_back();
      ++busy_;
      lock.unlock();

      names.clear();
      found.clear();
      auto outcome = visit(directory, names, found);
      if (!outcome && is_gone(outcome.error().code) && !directory.is_root()) outcome = {};

      lock.lock();
      --busy_;
      std::move(found.begin(), found.end(), std::back_inserter(waiting_));
      if (!outcome && !failure_) failure_ = std::move(outcome).error();
      if (failure_ || busy_ == 0 || !found.empty()) changed_.notify_all();
    }
  }

  Result<void> visit(const Path& directory, Names& names, std::vector<Path>& found) {
    BERTH_CHECK(call_.check());
    BERTH_TRY(const os::Fd fd, root_.open_path(call_, directory, O_RDONLY | O_DIRECTORY | O_NONBLOCK));
    os::DirectoryReader reader(fd.get());
    for (std::size_t seen = 1;; ++seen) {
      if (seen % kNamesPerCheck == 0) BERTH_CHECK(call_.check());
      BERTH_TRY(const auto* entry, reader.next());
      if (entry == nullptr) break;
      if (os::is_temp_name(entry->name)) continue;
      struct stat st {};
      // The kernel ends names with NUL where the reader keeps them.
      if (::fstatat(fd.get(), entry->name.data(), &st, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) continue;
        return errno_error(errno, "look at a file");
      }
      names.add(entry->name, st);
      if (!S_ISDIR(st.st_mode)) continue;
      BERTH_TRY(auto child, child_of(directory, entry->name));
      if (visitor_.enter(child)) found.push_back(std::move(child));
    }
    visitor_.directory(directory, names.take());
    return {};
  }

  static Result<Path> child_of(const Path& directory, std::string_view name) {
    if (directory.text().size() + 1 + name.size() > limits::kPathBytes) {
      return make_error(ErrorCode::name_too_long, "the path of a directory is too long");
    }
    return directory.child(name);
  }

  const os::Root& root_;
  const Call& call_;
  SurveyVisitor& visitor_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Path> waiting_;  ///< a stack
  int busy_ = 0;
  std::optional<Error> failure_;
};

class HostSurvey final : public TreeSurvey {
 public:
  HostSurvey(std::shared_ptr<const os::Root> root, int threads) : root_(std::move(root)), threads_(threads) {}

  Result<void> survey(const Call& call, SurveyVisitor& visitor) override {
    return Survey(*root_, call, visitor).run(threads_);
  }

 private:
  std::shared_ptr<const os::Root> root_;
  int threads_;
};

}  // namespace

std::unique_ptr<TreeSurvey> make_host_survey(std::shared_ptr<const os::Root> root, int threads) {
  const int machine = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxThreads);
  return std::make_unique<HostSurvey>(std::move(root), threads > 0 ? threads : machine);
}

}  // namespace berth::engine
