#include "store/sqlite_probe.h"

#include "store/sqlite_connection.h"

namespace berth::store {

Result<std::string> probe_sqlite() {
  BERTH_TRY(const auto connection, SqliteConnection::open(":memory:"));
  BERTH_CHECK(connection->execute("CREATE TABLE probe (bytes BLOB); INSERT INTO probe VALUES (x'00ff')"));
  BERTH_TRY(auto statement, SqliteStatement::prepare(*connection, "SELECT sqlite_version() FROM probe"));
  BERTH_TRY(const auto row, statement.step());
  if (row != SqliteStatement::Row::yes) return make_error(ErrorCode::io, "the database lost what was written to it");
  return statement.bytes(0);
}

}  // namespace berth::store
