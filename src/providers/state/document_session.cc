#include "providers/state/document_session.h"

#include <algorithm>
#include <chrono>
#include <random>

#include "os/wait.h"
#include "providers/state/document_format.h"

namespace berth::state {
namespace {

constexpr std::chrono::microseconds kFirstPause{200};
constexpr int kMostDoublings = 6;

/// Wait a random while before trying again, so that processes that collided do not collide again.
Result<void> back_off(const Call& call, int attempt) {
  thread_local std::minstd_rand random{std::random_device{}()};
  const auto most = kFirstPause * (1 << std::min(attempt, kMostDoublings));
  return os::pause(call, std::chrono::microseconds(random() % static_cast<unsigned>(most.count())));
}

Error unreadable(Error error) {
  // The caller's arguments are not at fault, the stored bytes are.
  error.code = ErrorCode::io;
  error.message = "the workspace document cannot be read: " + error.message;
  error.hint = "repair the document, or restore it from a copy";
  return error;
}

bool is_outrun(const Error& error) {
  return error.code == ErrorCode::conflict || error.code == ErrorCode::already_exists;
}

}  // namespace

Error DocumentSession::gone() const {
  auto error = make_error(ErrorCode::environment_gone, "the workspace document does not exist");
  if (origin_ == Origin::make_on_write) {
    error.hint = existed_ ? "it was deleted meanwhile; open it again to make a new one"
                          : "check its name; the first write makes it, a read does not";
  }
  return error;
}

Result<void> DocumentSession::ensure(const Call& call) {
  if (ensured_) return {};
  BERTH_TRY(const auto turn, turn_.lock(call));
  if (ensured_) return {};
  if (origin_ == Origin::make_new) {
    // An id nobody else knows: when it is there already, an earlier try made it and did not live to say so.
    BERTH_TRY(const Bytes json, render_document(call, Document()));
    const auto created = store_->create(call, id_, json);
    if (!created && created.error().code != ErrorCode::already_exists) return created.error();
    existed_ = true;
  } else {
    auto snapshot = load(call);
    const bool may_be_missing = origin_ == Origin::make_on_write;
    if (!snapshot && !(may_be_missing && snapshot.error().code == ErrorCode::environment_gone)) {
      return std::move(snapshot).error();
    }
  }
  ensured_ = true;
  return {};
}

Result<DocumentSession::Snapshot> DocumentSession::read(const Call& call) { return load(call); }

Result<DocumentSession::Snapshot> DocumentSession::load(const Call& call) {
  BERTH_CHECK(call.check());
  const std::optional<Snapshot> known = cached();
  auto stored = store_->get_if_changed(call, id_, known ? known->version : store::Version{});
  if (!stored && stored.error().code == ErrorCode::not_found) return gone();
  if (!stored) return std::move(stored).error();
  existed_ = true;
  if (!*stored) return *known;
  auto document = parse_document(call, (*stored)->content);
  if (!document && document.error().code != ErrorCode::invalid_argument) return std::move(document).error();
  if (!document) return unreadable(std::move(document).error());
  return keep(std::make_shared<const Document>(*std::move(document)), std::move((*stored)->version));
}

Result<void> DocumentSession::update(const Call& call, Missing missing,
                                     const std::function<Result<Change>(Document&)>& change) {
  BERTH_TRY(const auto turn, turn_.lock(call));
  for (int attempt = 0;; ++attempt) {
    auto snapshot = load(call);
    if (!snapshot) {
      const bool can_be_made = origin_ == Origin::make_on_write && missing == Missing::is_made && !existed_;
      if (!can_be_made || snapshot.error().code != ErrorCode::environment_gone) return std::move(snapshot).error();
      snapshot = Snapshot{std::make_shared<const Document>(), {}};
    }
    auto document = std::make_shared<Document>(*snapshot->document);
    BERTH_TRY(const Change made, change(*document));
    if (made == Change::none) return {};
    auto version = put(call, *document, snapshot->version);
    if (version) {
      existed_ = true;
      keep(std::move(document), *std::move(version));
      return {};
    }
    if (!is_outrun(version.error())) return std::move(version).error();
    BERTH_CHECK(back_off(call, attempt));
  }
}

Result<store::Version> DocumentSession::put(const Call& call, const Document& document,
                                            const store::Version& expected) {
  BERTH_TRY(const Bytes json, render_document(call, document));
  if (expected.text.empty()) return store_->create(call, id_, json);
  auto version = store_->put(call, id_, json, expected);
  if (!version && version.error().code == ErrorCode::not_found) return gone();
  return version;
}

std::optional<DocumentSession::Snapshot> DocumentSession::cached() {
  const std::lock_guard lock(mutex_);
  return cache_;
}

DocumentSession::Snapshot DocumentSession::keep(std::shared_ptr<const Document> document, store::Version version) {
  Snapshot snapshot{std::move(document), std::move(version)};
  const std::lock_guard lock(mutex_);
  cache_ = snapshot;
  return snapshot;
}

std::string DocumentSession::stamp(std::string_view previous) {
  constexpr std::chrono::microseconds kTick{1};
  // A time further ahead than clocks differ is wrong, and is different from now anyhow.
  constexpr std::chrono::hours kClockDifference{1};
  Timestamp time = std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
  const auto before = try_parse_timestamp(previous);
  if (before && *before >= time && *before < time + kClockDifference) time = *before + kTick;
  const std::lock_guard lock(mutex_);
  last_stamp_ = std::max(time, last_stamp_ + kTick);
  return format_timestamp(last_stamp_);
}

}  // namespace berth::state
