#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/call.h"
#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace berth::store {

/// One connection to a database. One thread at a time; the caller holds a mutex.
///
/// `UsedBy` ties the connection to a call: waits for other writers and long steps end with it.
class SqliteConnection {
 public:
  static Result<std::unique_ptr<SqliteConnection>> open(const std::string& file);
  ~SqliteConnection();
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  class UsedBy {
   public:
    UsedBy(SqliteConnection& connection, const Call& call) noexcept : connection_(connection) {
      connection_.call_ = &call;
    }
    ~UsedBy() { connection_.call_ = nullptr; }
    UsedBy(const UsedBy&) = delete;
    UsedBy& operator=(const UsedBy&) = delete;

   private:
    SqliteConnection& connection_;
  };

  /// Run statements that give no rows.
  Result<void> execute(const char* sql);
  /// What SQLite's result code means for the call.
  Error error(int code, std::string_view doing) const;

  /// How many rows the last statement changed.
  std::int64_t changes() const noexcept;
  sqlite3* handle() const noexcept { return handle_; }

 private:
  explicit SqliteConnection(sqlite3* handle) noexcept : handle_(handle) {}

  static int on_busy(void* self, int attempts);
  static int on_progress(void* self);

  sqlite3* handle_;
  const Call* call_ = nullptr;
};

/// Wait before the next try at a database that others keep busy: 1 ms after `attempts` 0, longer each time, at most
/// 20 ms. Ends with the call.
Result<void> pause_while_busy(const Call& call, int attempts);

/// A prepared statement, used once.
class SqliteStatement {
 public:
  static Result<SqliteStatement> prepare(SqliteConnection& connection, std::string_view sql);
  SqliteStatement(SqliteStatement&& other) noexcept
      : connection_(other.connection_), handle_(std::exchange(other.handle_, nullptr)) {}
  SqliteStatement& operator=(SqliteStatement&&) = delete;
  ~SqliteStatement();

  /// Bind the parameter at `index`, from 1. The bytes must outlive the statement.
  void bind_text(int index, std::string_view text);
  void bind_blob(int index, BytesView bytes);
  void bind_number(int index, std::int64_t number);

  enum class Row { yes, done };

  Result<Row> step();
  Bytes bytes(int column) const;
  std::int64_t number(int column) const;

 private:
  SqliteStatement(SqliteConnection& connection, sqlite3_stmt* handle) noexcept
      : connection_(&connection), handle_(handle) {}

  SqliteConnection* connection_;
  sqlite3_stmt* handle_;
};

/// Everything until `commit`, or nothing. Takes the write lock at once, so that what is read inside is what is changed.
class SqliteTransaction {
 public:
  static Result<SqliteTransaction> begin(SqliteConnection& connection);
  SqliteTransaction(SqliteTransaction&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  SqliteTransaction& operator=(SqliteTransaction&&) = delete;
  ~SqliteTransaction();

  Result<void> commit();

 private:
  explicit SqliteTransaction(SqliteConnection& connection) noexcept : connection_(&connection) {}

  SqliteConnection* connection_;
};

}  // namespace berth::store
