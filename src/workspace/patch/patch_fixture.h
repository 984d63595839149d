#pragma once

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "testing/matchers.h"
#include "workspace/edit/edit.h"
#include "workspace/patch/patch_plan.h"

namespace berth::testing {

/// Files by name, in memory. A name that ends with a slash is a directory, one with `@` at its end a link.
class MapFiles final : public PatchFiles {
 public:
  using Map = std::map<std::string, Bytes>;
  explicit MapFiles(Map files) : files_(std::move(files)) {}

  Result<std::optional<PatchedSource>> look(const Call&, const Path& path) override {
    const std::string& text = path.text();
    for (const auto& [name, content] : files_) {
      if (name == text) return std::optional(PatchedSource{content, {"r:" + content}, GitMode::regular});
      if (name.ends_with('@') && (text + "/").starts_with(name.substr(0, name.size() - 1) + "/")) {
        return make_error(ErrorCode::path_escape, "a link");
      }
      if (name.starts_with(text + "/")) return make_error(ErrorCode::is_a_directory, "a directory");
      if (text.starts_with(name + "/")) return make_error(ErrorCode::not_a_directory, "a file above");
    }
    return std::optional<PatchedSource>();
  }

  const Map& map() const { return files_; }

 private:
  Map files_;
};

/// The files after a patch.
inline Result<MapFiles::Map> patched(const MapFiles::Map& before, const Patch& patch) {
  MapFiles files(before);
  BERTH_TRY(const PatchPlan plan, plan_patch({}, patch, files));
  MapFiles::Map after = before;
  for (const auto& change : plan.changes) {
    if (change.after) {
      after[change.path.text()] = *change.after;
    } else {
      after.erase(change.path.text());
    }
  }
  return after;
}

inline Result<MapFiles::Map> patched(const MapFiles::Map& before, BytesView text) {
  BERTH_TRY(const Patch patch, parse_patch(text, form_of(text)));
  return patched(before, patch);
}

inline std::string reason_of(const Error& error) {
  const auto* reason = error.field("reason");
  return reason == nullptr ? std::string(error_info(error.code).name) : std::get<std::string>(*reason);
}

/// A refusal with a reason.
MATCHER_P(RejectedFor, reason, std::string("is rejected for ") + reason) {
  if (arg.has_value()) {
    *result_listener << "it was applied";
    return false;
  }
  *result_listener << to_string(arg.error()) << " (" << reason_of(arg.error()) << ")";
  return arg.error().code == ErrorCode::patch_rejected && reason_of(arg.error()) == reason;
}

}  // namespace berth::testing
