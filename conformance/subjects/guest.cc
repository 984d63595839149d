#include <filesystem>

#include "conformance/subject.h"
#include "guest/client/guest_backend.h"
#include "guest/client/guest_process.h"
#include "policy/sensitive.h"
#include "providers/local/local_id.h"
#include "testing/temp_dir.h"

namespace berth::conformance {
namespace {

using Made = Result<std::unique_ptr<Backend>>;

constexpr std::string_view kProvider = "guest";

/// A copy that every user may run, wherever the build is: some rules are tried as another user.
const std::string& program() {
  static const testing::TempDir place;
  static const std::string copy = [] {
    std::filesystem::permissions(place.path(), std::filesystem::perms(0755));
    std::filesystem::copy_file(BERTH_GUEST_PROGRAM, place.at("berth-guest"));
    return place.at("berth-guest");
  }();
  return copy;
}

Made open_guest(guest::OpenRequest request) {
  BERTH_TRY(auto process, guest::start_guest(program()));
  const Call call{.deadline = Deadline::after(std::chrono::seconds(60)), .stop = {}, .trace_id = {}};
  return guest::open_backend(call, std::move(process.channel),
                             {.provider = std::string(kProvider),
                              .isolation = "none",
                              .confinement = Confinement::root,
                              .ref = {},
                              .resource_key = {},
                              .open = std::move(request)});
}

Made attach_guest(const WorkspaceRef& ref, guest::OpenRequest request) {
  const auto id = local::try_parse_id(ref.id);
  if (ref.provider != kProvider || !id) return make_error(ErrorCode::foreign_ref, "the ref is not one of a guest");
  request.directory = id->path;
  request.incarnation = id->incarnation;
  auto backend = open_guest(std::move(request));
  if (!backend && backend.error().code == ErrorCode::not_found) {
    return make_error(ErrorCode::environment_gone, "the directory that the ref was given for no longer exists");
  }
  return backend;
}

/// A guest on this host: a process of its own for every handle, reached through two pipes.
HostSubject over_a_pipe(std::string name, std::string title, guest::OpenRequest request) {
  return {.name = std::move(name),
          .title = std::move(title),
          .open =
              [request](const std::string& directory) {
                auto asked = request;
                asked.directory = directory;
                return open_guest(std::move(asked));
              },
          .attach = [request](const WorkspaceRef& ref) { return attach_guest(ref, request); }};
}

/// A policy on this side whose filter the guest has to ask.
HostSubject guarded() {
  HostSubject subject = over_a_pipe("guest_sensitive", "guest over a pipe + sensitive", {});
  const auto guard = [](Made inner) -> Made {
    if (!inner) return inner;
    return make_sensitive(std::move(inner).value(), default_sensitive_policy());
  };
  subject.open = [open = subject.open, guard](const std::string& directory) { return guard(open(directory)); };
  subject.attach = [attach = subject.attach, guard](const WorkspaceRef& ref) { return guard(attach(ref)); };
  return subject;
}

}  // namespace

std::vector<Subject> subjects() {
  HostSubject strict =
      over_a_pipe("guest_links_refused", "guest over a pipe, links refused", {.links = guest::LinkRule::refuse});
  strict.links = Links::refused;
  program();
  return {host_subject(over_a_pipe("guest", "guest over a pipe", {})), host_subject(std::move(strict)),
          host_subject(guarded())};
}

}  // namespace berth::conformance
