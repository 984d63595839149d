#include "providers/local/local.h"

#include "conformance/subject.h"

namespace berth::conformance {
namespace {

/// A host directory, opened with the kernel features that are given.
HostSubject local(std::string name, std::string title, os::Features features) {
  local::LocalOptions options;
  options.features = features;
  return {.name = std::move(name),
          .title = std::move(title),
          .open = [options](const std::string& directory) { return local::open_local({directory}, options); },
          .attach = [options](const WorkspaceRef& ref) { return local::attach_local(ref, options); }};
}

Subject local_without(std::string feature, bool os::Features::*flag) {
  os::Features features = os::Features::probe();
  features.*flag = false;
  return host_subject(local("local_no_" + feature, "local without " + feature, features));
}

Subject durable() {
  HostSubject subject = local("local_durable", "local, durable", os::Features::probe());
  local::LocalOptions options;
  options.features = os::Features::probe();
  options.files.durability = engine::Durability::durable;
  subject.open = [options](const std::string& directory) { return local::open_local({directory}, options); };
  return host_subject(std::move(subject));
}

Subject links_refused() {
  HostSubject subject = local("local_links_refused", "local, links refused", os::Features::probe());
  local::LocalOptions options;
  options.features = os::Features::probe();
  options.links = os::LinkPolicy::refuse;
  subject.links = Links::refused;
  subject.open = [options](const std::string& directory) { return local::open_local({directory}, options); };
  return host_subject(std::move(subject));
}

}  // namespace

std::vector<Subject> subjects() {
  return {
      host_subject(local("local", "local", os::Features::probe())),
      host_subject(local("local_no_features", "local, no kernel features", os::Features::none())),
      local_without("openat2", &os::Features::openat2),
      local_without("pidfd", &os::Features::pidfd),
      local_without("cgroup2", &os::Features::cgroup2),
      local_without("o_tmpfile", &os::Features::o_tmpfile),
      local_without("renameat2", &os::Features::renameat2),
      local_without("memfd_exec", &os::Features::memfd_exec),
      durable(),
      links_refused(),
  };
}

}  // namespace berth::conformance
