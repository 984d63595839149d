#include "policy/rules/approval.h"

#include <algorithm>

#include "base/hash.h"

namespace berth {
namespace {

constexpr std::size_t kKeyDigits = 32;

}  // namespace

std::string ApprovalTarget::key() const {
  std::string named(operation_name(operation));
  named += '\0';
  named += real.empty() ? target : real;
  return to_hex(sha256(named)).substr(0, kKeyDigits);
}

void HeldApprovals::grant(const std::string& key, Use use) {
  const std::lock_guard lock(mutex_);
  auto& held = held_.try_emplace(key, use).first->second;
  held = std::max(held, use);
}

void HeldApprovals::grant_call(const std::string& trace_id) {
  if (trace_id.empty()) return;
  const std::lock_guard lock(mutex_);
  calls_.insert(trace_id);
}

void HeldApprovals::end_call(const std::string& trace_id) {
  const std::lock_guard lock(mutex_);
  calls_.erase(trace_id);
}

bool HeldApprovals::covers_call(const std::string& trace_id) const {
  const std::lock_guard lock(mutex_);
  return calls_.contains(trace_id);
}

bool HeldApprovals::take(const std::vector<ApprovalTarget>& targets) {
  std::vector<std::string> keys;
  for (const auto& target : targets) keys.push_back(target.key());
  const std::lock_guard lock(mutex_);
  if (!std::ranges::all_of(keys, [this](const std::string& key) { return held_.contains(key); })) return false;
  for (const auto& key : keys) {
    const auto held = held_.find(key);
    if (held != held_.end() && held->second == Use::once) held_.erase(held);
  }
  return true;
}

}  // namespace berth
