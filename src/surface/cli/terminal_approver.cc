#include "surface/cli/terminal_approver.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "os/wait.h"
#include "surface/cli/console.h"

namespace berth::cli {
namespace {

constexpr std::size_t kLongestAnswer = 1024;

std::string question_of(const ApprovalRequest& request) {
  std::string text = "berth: the rules ask before this is done:\n";
  for (const auto& target : request.targets) {
    text += fmt::format("  {:<8}{}", operation_name(target.operation), escape_for_terminal(target.target));
    if (!target.real.empty() && target.real != target.target) {
      text += fmt::format("  (leads to {})", escape_for_terminal(target.real));
    }
    if (!target.description.empty()) text += fmt::format("  - {}", escape_for_terminal(target.description));
    text += '\n';
  }
  return text += "Do it? [y/N] ";
}

}  // namespace

std::unique_ptr<TerminalApprover> TerminalApprover::try_open() {
  if (isatty(STDERR_FILENO) != 1) return nullptr;
  os::Fd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal) return nullptr;
  return std::unique_ptr<TerminalApprover>(new TerminalApprover(std::move(terminal)));
}

Result<Approval> TerminalApprover::approve(const Call& call, const ApprovalRequest& request) {
  const std::lock_guard lock(asking_);
  BERTH_TRY(const auto answer, ask(call, question_of(request)));
  const bool yes = answer == "y" || answer == "Y" || answer == "yes" || answer == "Yes";
  return Approval{yes ? Approval::Answer::once : Approval::Answer::refused, {}};
}

Result<std::string> TerminalApprover::ask(const Call& call, std::string_view question) {
  while (!question.empty()) {
    const auto written = ::write(terminal_.get(), question.data(), question.size());
    if (written < 0 && errno != EINTR) return errno_error(errno, "ask at the terminal");
    if (written > 0) question.remove_prefix(static_cast<std::size_t>(written));
  }
  const os::Wakeup wakeup(call.stop);
  std::string answer;
  while (answer.size() < kLongestAnswer) {
    pollfd ready{.fd = terminal_.get(), .events = POLLIN, .revents = 0};
    BERTH_CHECK(os::poll_fds(std::span(&ready, 1), call.deadline, wakeup));
    std::array<char, 256> piece;
    const auto size = ::read(terminal_.get(), piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    // A terminal that hung up says nothing, and that is no.
    if (size <= 0) return std::string();
    answer.append(piece.data(), static_cast<std::size_t>(size));
    if (const auto end = answer.find('\n'); end != std::string::npos) return answer.substr(0, end);
  }
  return std::string();
}

}  // namespace berth::cli
