#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "guest/protocol/values.h"

/// What can be asked of a guest: each operation once, with what it is given and what it answers. The client encodes the
/// arguments and decodes the answer by it, the guest the other way round.
namespace berth::guest {

/// Numbers are for good: a new one goes at the end.
enum class Method : std::uint8_t {
  open = 1,
  ensure,
  read,
  read_lines,
  stat,
  list_directory,
  real_path,
  write,
  remove,
  move,
  make_directory,
  prune_empty_directories,
  apply,
  list,
  search,
  run,
  job_start,
  job_list,
  job_get,
  job_read,
  job_write_stdin,
  job_signal,
  job_stop,
  job_wait,
  job_resize,
  job_forget
};

enum class LinkRule : std::uint8_t { follow_inside, refuse };
enum class Writes : std::uint8_t { visible, durable };

/// The directory that a guest serves. Every connection begins with it, and says it once.
struct OpenRequest {
  Bytes directory;          ///< absolute, in the guest's own file system
  std::string incarnation;  ///< not empty: no other directory than this one will do
  LinkRule links = LinkRule::follow_inside;
  Writes writes = Writes::visible;
  std::vector<std::pair<std::string, Bytes>> env;  ///< for commands and jobs, beside the guest's allow-listed variables
  std::string job_directory;                       ///< where jobs are recorded; empty: where the guest finds a place

  bool operator==(const OpenRequest&) const = default;
};

struct OpenAnswer {
  std::string incarnation;              ///< tells the directory from a later one of the same name
  std::string resource_key;             ///< equal for every name of one directory of one machine
  std::vector<std::string> root_names;  ///< absolute names of the directory; the last is the kernel's
  bool jobs = false;                    ///< whether there is a place to record them

  bool operator==(const OpenAnswer&) const = default;
};

constexpr LinkRule last_of(LinkRule) { return LinkRule::refuse; }
constexpr Writes last_of(Writes) { return Writes::durable; }
BERTH_GUEST_VALUE(OpenRequest, directory, incarnation, links, writes, env, job_directory)
BERTH_GUEST_VALUE(OpenAnswer, incarnation, resource_key, root_names, jobs)

/// The answer of operations that only succeed.
struct Nothing {
  bool operator==(const Nothing&) const = default;
};
template <>
struct Codec<Nothing> {
  static void put(Encoder&, Nothing) {}
  static Nothing get(Decoder&) { return {}; }
};

template <Method M, typename A, typename... Args>
struct Operation {
  static constexpr Method kMethod = M;
  using Answer = A;
  using Arguments = std::tuple<Args...>;

  /// What the caller gives may be a view of what the argument is: `BytesView` for `Bytes`, a span for a vector.
  template <typename... Given>
    requires(sizeof...(Given) == sizeof...(Args))
  static Bytes encode(const Given&... given) {
    Encoder to;
    (Codec<Args>::put(to, given), ...);
    return to.take();
  }

  static Arguments decode(Decoder& from) { return Arguments{Codec<Args>::get(from)...}; }
};

namespace operations {

using Milliseconds = std::chrono::milliseconds;

using Open = Operation<Method::open, OpenAnswer, OpenRequest>;
using Ensure = Operation<Method::ensure, Nothing>;
using Read = Operation<Method::read, ReadPage, Path, ReadRange>;
using ReadLines = Operation<Method::read_lines, LinePage, Path, LineRange>;
using Stat = Operation<Method::stat, FileStat, Path, FollowLeaf>;
using ListDirectory = Operation<Method::list_directory, DirectoryListing, Path>;
using RealPath = Operation<Method::real_path, Path, Path>;
using Write = Operation<Method::write, WriteOutcome, Path, Bytes, WriteSpec>;
using Remove = Operation<Method::remove, RemoveOutcome, Path, RemoveSpec>;
using Move = Operation<Method::move, MoveOutcome, Path, Path, MoveSpec>;
using MakeDirectory = Operation<Method::make_directory, MakeDirectoryOutcome, Path>;
using Prune = Operation<Method::prune_empty_directories, PruneOutcome, Path, std::int64_t>;
using Apply = Operation<Method::apply, TransactionOutcome, std::vector<FileOperation>>;
using List = Operation<Method::list, ListPage, ListQuery>;
using Search = Operation<Method::search, SearchResult, SearchQuery>;
using Run = Operation<Method::run, CommandOutcome, CommandSpec>;
using JobStart = Operation<Method::job_start, JobInfo, JobSpec>;
using JobList = Operation<Method::job_list, std::vector<JobInfo>>;
using JobGet = Operation<Method::job_get, JobInfo, JobId>;
using JobReadOutput = Operation<Method::job_read, JobOutput, JobId, JobRead>;
using JobWriteStdin = Operation<Method::job_write_stdin, StdinOutcome, JobId, Bytes, StdinEnd>;
using JobSignal = Operation<Method::job_signal, SignalOutcome, JobId, int>;
using JobStop = Operation<Method::job_stop, JobInfo, JobId, Milliseconds>;
using JobWait = Operation<Method::job_wait, JobInfo, JobId, std::optional<Milliseconds>>;
using JobResize = Operation<Method::job_resize, Nothing, JobId, TerminalSize>;
using JobForget = Operation<Method::job_forget, Nothing, JobId>;

using All = std::tuple<Open, Ensure, Read, ReadLines, Stat, ListDirectory, RealPath, Write, Remove, Move, MakeDirectory,
                       Prune, Apply, List, Search, Run, JobStart, JobList, JobGet, JobReadOutput, JobWriteStdin,
                       JobSignal, JobStop, JobWait, JobResize, JobForget>;

}  // namespace operations

/// Call `use` with the operation of a method; false when there is no such method.
template <typename Use>
bool with_operation(Method method, Use&& use) {
  return [&]<typename... Ops>(std::tuple<Ops...>*) {
    return ((Ops::kMethod == method && (use(Ops{}), true)) || ...);
  }(static_cast<operations::All*>(nullptr));
}

}  // namespace berth::guest
