#pragma once

#include "contract/jobs.h"

namespace berth {

/// Passes everything on to the jobs it stands before, for policies that change only some of it.
class ForwardingJobs : public JobControl {
 public:
  Result<JobInfo> start(const Call& call, const JobSpec& spec) override { return inner_.start(call, spec); }
  Result<std::vector<JobInfo>> list(const Call& call) override { return inner_.list(call); }
  Result<JobInfo> get(const Call& call, const JobId& id) override { return inner_.get(call, id); }
  Result<JobOutput> read(const Call& call, const JobId& id, const JobRead& request) override {
    return inner_.read(call, id, request);
  }
  Result<StdinOutcome> write_stdin(const Call& call, const JobId& id, BytesView content, StdinEnd end) override {
    return inner_.write_stdin(call, id, content, end);
  }
  Result<SignalOutcome> signal(const Call& call, const JobId& id, int number) override {
    return inner_.signal(call, id, number);
  }
  Result<JobInfo> stop(const Call& call, const JobId& id, std::chrono::milliseconds grace) override {
    return inner_.stop(call, id, grace);
  }
  Result<JobInfo> wait(const Call& call, const JobId& id, std::optional<std::chrono::milliseconds> at_most) override {
    return inner_.wait(call, id, at_most);
  }
  Result<void> resize(const Call& call, const JobId& id, TerminalSize size) override {
    return inner_.resize(call, id, size);
  }
  Result<void> forget(const Call& call, const JobId& id) override { return inner_.forget(call, id); }

 protected:
  explicit ForwardingJobs(JobControl& inner) : inner_(inner) {}

  JobControl& inner() const noexcept { return inner_; }

 private:
  JobControl& inner_;
};

}  // namespace berth
