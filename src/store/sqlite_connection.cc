#include "store/sqlite_connection.h"

#include <sqlite3.h>

#include <algorithm>
#include <chrono>

#include "os/wait.h"

namespace berth::store {
namespace {

constexpr int kStepsBetweenChecks = 10'000;
constexpr std::chrono::milliseconds kLongestPause{20};

}  // namespace

Result<std::unique_ptr<SqliteConnection>> SqliteConnection::open(const std::string& file) {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(file.c_str(), &handle, flags, nullptr);
  if (handle == nullptr) return make_error(ErrorCode::io, "there is no memory to open the database");
  std::unique_ptr<SqliteConnection> connection(new SqliteConnection(handle));
  if (code != SQLITE_OK) return connection->error(code, "open the database");
  sqlite3_busy_handler(handle, &SqliteConnection::on_busy, connection.get());
  sqlite3_progress_handler(handle, kStepsBetweenChecks, &SqliteConnection::on_progress, connection.get());
  return connection;
}

SqliteConnection::~SqliteConnection() { sqlite3_close_v2(handle_); }

Result<void> SqliteConnection::execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error(code, "use the database");
  return {};
}

std::int64_t SqliteConnection::changes() const noexcept { return sqlite3_changes64(handle_); }

Error SqliteConnection::error(int code, std::string_view doing) const {
  if (call_ != nullptr) {
    if (auto checked = call_->check(); !checked) return std::move(checked).error();
  }
  const std::string prefix = "cannot " + std::string(doing) + ": ";
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return make_error(ErrorCode::conflict, prefix + "another program keeps it locked");
    case SQLITE_FULL: return make_error(ErrorCode::no_space, prefix + "no space is left");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH: return make_error(ErrorCode::permission_denied, prefix + "it may not be written");
    case SQLITE_CANTOPEN: return errno_error(sqlite3_system_errno(handle_), doing);
    case SQLITE_TOOBIG: return make_error(ErrorCode::too_large, prefix + "the document is larger than SQLite can hold");
    case SQLITE_CORRUPT: return make_error(ErrorCode::io, prefix + "it is damaged");
    case SQLITE_NOTADB: return make_error(ErrorCode::io, prefix + "it is not an SQLite database");
    default: return make_error(ErrorCode::io, prefix + sqlite3_errstr(code)).with("sqlite_code", std::int64_t{code});
  }
}

int SqliteConnection::on_busy(void* self, int attempts) {
  const Call* const call = static_cast<SqliteConnection*>(self)->call_;
  if (call == nullptr) return 0;
  return pause_while_busy(*call, attempts) ? 1 : 0;
}

int SqliteConnection::on_progress(void* self) {
  const Call* const call = static_cast<SqliteConnection*>(self)->call_;
  return call != nullptr && !call->check() ? 1 : 0;
}

Result<void> pause_while_busy(const Call& call, int attempts) {
  return os::pause(call, std::min(std::chrono::milliseconds(1 + attempts), kLongestPause));
}

Result<SqliteStatement> SqliteStatement::prepare(SqliteConnection& connection, std::string_view sql) {
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v2(connection.handle(), sql.data(), static_cast<int>(sql.size()), &handle, nullptr);
  if (code != SQLITE_OK) return connection.error(code, "use the database");
  return SqliteStatement(connection, handle);
}

SqliteStatement::~SqliteStatement() { sqlite3_finalize(handle_); }

void SqliteStatement::bind_text(int index, std::string_view text) {
  sqlite3_bind_text64(handle_, index, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void SqliteStatement::bind_blob(int index, BytesView bytes) {
  // A null pointer would bind NULL, which the column refuses.
  sqlite3_bind_blob64(handle_, index, bytes.empty() ? "" : bytes.data(), bytes.size(), SQLITE_STATIC);
}

void SqliteStatement::bind_number(int index, std::int64_t number) { sqlite3_bind_int64(handle_, index, number); }

Result<SqliteStatement::Row> SqliteStatement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return Row::yes;
  if (code == SQLITE_DONE) return Row::done;
  return connection_->error(code, "use the database");
}

Bytes SqliteStatement::bytes(int column) const {
  const void* const data = sqlite3_column_blob(handle_, column);
  const int size = sqlite3_column_bytes(handle_, column);
  return data == nullptr ? Bytes() : Bytes(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

std::int64_t SqliteStatement::number(int column) const { return sqlite3_column_int64(handle_, column); }

Result<SqliteTransaction> SqliteTransaction::begin(SqliteConnection& connection) {
  BERTH_CHECK(connection.execute("BEGIN IMMEDIATE"));
  return SqliteTransaction(connection);
}

SqliteTransaction::~SqliteTransaction() {
  if (connection_ == nullptr) return;
  // What a full disk or an interrupt already rolled back needs no second time.
  if (sqlite3_get_autocommit(connection_->handle()) == 0) {
    sqlite3_exec(connection_->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

Result<void> SqliteTransaction::commit() {
  BERTH_CHECK(connection_->execute("COMMIT"));
  connection_ = nullptr;
  return {};
}

}  // namespace berth::store
