#include "guest/program/dispatch.h"

namespace berth::guest {
namespace {

/// Calls a capability's method with the arguments that a request holds.
struct Dispatcher {
  const Call& call;
  Decoder& arguments;

  template <typename Op, typename Face, typename Function, typename... More>
  Result<Bytes> on(Op, Face* face, Function function, More... more) const {
    BERTH_TRY(const auto given, decode_arguments<Op>(arguments));
    if (face == nullptr) return make_error(ErrorCode::unsupported, "the guest does not offer this");
    auto result =
        std::apply([&](const auto&... each) { return std::invoke(function, *face, call, each..., more...); }, given);
    if (!result) return std::move(result).error();
    if constexpr (std::same_as<typename Op::Answer, Nothing>)
      return Bytes();
    else
      return encode_answer<typename Op::Answer>(*result);
  }
};

}  // namespace

Result<Bytes> dispatch(const engine::Faces& faces, const Call& call, Method method, Decoder& arguments,
                       OutputSink* sink) {
  using namespace operations;
  const Dispatcher to{call, arguments};
  switch (method) {
    case Method::open:
    case Method::ensure: break;
    case Method::read: return to.on(Read(), faces.reads, &FileReads::read);
    case Method::read_lines: return to.on(ReadLines(), faces.reads, &FileReads::read_lines);
    case Method::stat: return to.on(Stat(), faces.reads, &FileReads::stat);
    case Method::list_directory: return to.on(ListDirectory(), faces.reads, &FileReads::list_directory);
    case Method::real_path: return to.on(RealPath(), faces.reads, &FileReads::real_path);
    case Method::write: return to.on(Write(), faces.writes, &FileWrites::write);
    case Method::remove: return to.on(Remove(), faces.writes, &FileWrites::remove);
    case Method::move: return to.on(Move(), faces.writes, &FileWrites::move);
    case Method::make_directory: return to.on(MakeDirectory(), faces.writes, &FileWrites::make_directory);
    case Method::prune_empty_directories: return to.on(Prune(), faces.writes, &FileWrites::prune_empty_directories);
    case Method::apply: return to.on(Apply(), faces.transactions, &FileTransactions::apply);
    case Method::list: return to.on(List(), faces.search, &TreeSearch::list);
    case Method::search: return to.on(Search(), faces.search, &TreeSearch::search);
    case Method::run: return to.on(Run(), faces.commands, &CommandRunner::run, sink);
    case Method::job_start: return to.on(JobStart(), faces.jobs, &JobControl::start);
    case Method::job_list: return to.on(JobList(), faces.jobs, &JobControl::list);
    case Method::job_get: return to.on(JobGet(), faces.jobs, &JobControl::get);
    case Method::job_read: return to.on(JobReadOutput(), faces.jobs, &JobControl::read);
    case Method::job_write_stdin: return to.on(JobWriteStdin(), faces.jobs, &JobControl::write_stdin);
    case Method::job_signal: return to.on(JobSignal(), faces.jobs, &JobControl::signal);
    case Method::job_stop: return to.on(JobStop(), faces.jobs, &JobControl::stop);
    case Method::job_wait: return to.on(JobWait(), faces.jobs, &JobControl::wait);
    case Method::job_resize: return to.on(JobResize(), faces.jobs, &JobControl::resize);
    case Method::job_forget: return to.on(JobForget(), faces.jobs, &JobControl::forget);
  }
  return make_error(ErrorCode::protocol, "the guest knows no such request");
}

Deadline timeout_of(Method method, BytesView arguments) {
  if (method != Method::run) return Deadline::never();
  Decoder from(arguments);
  const auto [spec] = operations::Run::decode(from);
  constexpr std::chrono::hours kLongest{100 * 365 * 24};  // longer ones do not fit in nanoseconds
  if (!from.done() || !spec.timeout || *spec.timeout >= kLongest) return Deadline::never();
  return Deadline::after(*spec.timeout);
}

}  // namespace berth::guest
