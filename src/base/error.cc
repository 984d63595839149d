#include "base/error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace berth {
namespace {

enum class retry { no, yes };

constexpr std::array kTable = {
#define BERTH_ERROR(name, http, errno_value, python_class, python_base, rpc, exit_code, retryable, hint) \
  ErrorInfo{ErrorCode::name,                                                                             \
            #name,                                                                                       \
            http,                                                                                        \
            errno_value,                                                                                 \
            #python_class,                                                                               \
            #python_base,                                                                                \
            rpc,                                                                                         \
            exit_code,                                                                                   \
            retry::retryable == retry::yes,                                                              \
            hint},
#include "base/error_table.inc"
#undef BERTH_ERROR
};

ErrorCode code_of_errno(int value) noexcept {
  switch (value) {
    case ENOENT: return ErrorCode::not_found;
    case EEXIST: return ErrorCode::already_exists;
    case ENOTDIR: return ErrorCode::not_a_directory;
    case EISDIR: return ErrorCode::is_a_directory;
    case ENOTEMPTY: return ErrorCode::not_empty;
    case ENAMETOOLONG: return ErrorCode::name_too_long;
    case ELOOP: return ErrorCode::symlink_loop;
    case EACCES:
    case EPERM: return ErrorCode::permission_denied;
    case EROFS: return ErrorCode::read_only;
    case EXDEV: return ErrorCode::path_escape;
    case ENXIO:
    case ENODEV: return ErrorCode::not_regular;
    case EFBIG: return ErrorCode::too_large;
    case ENOSPC:
    case EDQUOT: return ErrorCode::no_space;
    case ETIMEDOUT: return ErrorCode::timed_out;
    case ECANCELED: return ErrorCode::cancelled;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN: return ErrorCode::unavailable;
    case EBUSY:
    case ETXTBSY: return ErrorCode::conflict;
    case ESTALE: return ErrorCode::environment_gone;
    default: return ErrorCode::io;
  }
}

}  // namespace

std::span<const ErrorInfo> error_table() noexcept { return kTable; }

const ErrorInfo& error_info(ErrorCode code) noexcept { return kTable[static_cast<std::size_t>(code)]; }

std::optional<ErrorCode> try_error_code(std::string_view name) noexcept {
  const auto row = std::ranges::find(kTable, name, &ErrorInfo::name);
  if (row == kTable.end()) return std::nullopt;
  return row->code;
}

Error&& Error::with(std::string name, ErrorField::Value value) && {
  const auto known = std::ranges::find(fields, name, &ErrorField::name);
  if (known != fields.end()) {
    known->value = std::move(value);
  } else {
    fields.push_back({std::move(name), std::move(value)});
  }
  return std::move(*this);
}

Error&& Error::at(std::string_view as_written) && {
  if (path.empty()) path = as_written;
  return std::move(*this);
}

const ErrorField::Value* Error::field(std::string_view name) const noexcept {
  const auto known = std::ranges::find(fields, name, &ErrorField::name);
  return known == fields.end() ? nullptr : &known->value;
}

std::string_view Error::next_step() const noexcept { return hint.empty() ? error_info(code).hint : hint; }

std::string to_string(const Error& error) {
  std::string text;
  if (!error.path.empty()) text.append(error.path).append(": ");
  text.append(error.message.empty() ? error_info(error.code).name : std::string_view(error.message));
  return text.append("; ").append(error.next_step());
}

Error make_error(ErrorCode code, std::string message) { return Error{code, std::move(message), {}, {}, {}}; }

Error errno_error(int errno_value, std::string_view doing) {
  std::string message = "cannot ";
  message.append(doing).append(": ").append(std::strerror(errno_value));
  return make_error(code_of_errno(errno_value), std::move(message))
      .with("errno", static_cast<std::int64_t>(errno_value));
}

}  // namespace berth
