#include "store/sqlite_store.h"

#include <sys/stat.h>

#include <cerrno>

#include "store/call_mutex.h"
#include "store/sqlite_connection.h"

namespace berth::store {
namespace {

constexpr std::int64_t kApplicationId = 0x42525448;  // "BRTH"
constexpr std::int64_t kSchemaVersion = 1;

// The counter gives versions that no document ever had before, also after it was erased and made again.
constexpr const char* kSchema =
    "CREATE TABLE documents(id TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL, content BLOB NOT NULL) STRICT;"
    "CREATE TABLE counter(value INTEGER NOT NULL) STRICT;"
    "INSERT INTO counter(value) VALUES (0);"
    "PRAGMA application_id = 1112691784;"
    "PRAGMA user_version = 1;";
static_assert(kApplicationId == 1112691784);

Error missing() { return make_error(ErrorCode::not_found, "there is no document with this id"); }

Result<std::int64_t> one_number(SqliteConnection& connection, std::string_view sql) {
  BERTH_TRY(auto statement, SqliteStatement::prepare(connection, sql));
  BERTH_TRY(const auto row, statement.step());
  if (row == SqliteStatement::Row::done) return make_error(ErrorCode::io, "the store's database is damaged");
  return statement.number(0);
}

Result<void> check_schema(SqliteConnection& connection) {
  BERTH_TRY(const std::int64_t application, one_number(connection, "PRAGMA application_id"));
  BERTH_TRY(const std::int64_t version, one_number(connection, "PRAGMA user_version"));
  if (application == kApplicationId && version == kSchemaVersion) return {};
  if (application == kApplicationId && version > kSchemaVersion) {
    return make_error(ErrorCode::invalid_argument, "the database was written by a newer Berth");
  }
  BERTH_TRY(const std::int64_t tables, one_number(connection, "SELECT count(*) FROM sqlite_schema"));
  if (application != 0 || version != 0 || tables != 0) {
    return make_error(ErrorCode::invalid_argument, "the database belongs to another program");
  }
  return connection.execute(kSchema);
}

class SqliteStore final : public DocumentStore {
 public:
  SqliteStore(std::unique_ptr<SqliteConnection> connection, std::string key, StoreOptions options)
      : connection_(std::move(connection)), key_(std::move(key)), options_(options) {}

  const std::string& key() const noexcept override { return key_; }

  Result<StoredDocument> get(const Call& call, std::string_view id) override {
    BERTH_TRY(auto document, read(call, id, nullptr));
    return *std::move(document);
  }

  Result<std::optional<StoredDocument>> get_if_changed(const Call& call, std::string_view id,
                                                       const Version& known) override {
    return read(call, id, &known);
  }

  Result<Version> create(const Call& call, std::string_view id, BytesView content) override {
    BERTH_CHECK(check_document_id(id));
    BERTH_CHECK(check_document_size(static_cast<std::int64_t>(content.size()), options_));
    BERTH_TRY(const auto guard, mutex_.lock(call));
    const SqliteConnection::UsedBy used(*connection_, call);
    BERTH_TRY(auto transaction, SqliteTransaction::begin(*connection_));
    BERTH_TRY(const auto old, version_of(id));
    if (old) return make_error(ErrorCode::already_exists, "there is a document with this id");
    return write("INSERT INTO documents(version, content, id) VALUES (?1, ?2, ?3)", id, content, transaction);
  }

  Result<Version> put(const Call& call, std::string_view id, BytesView content, const Version& expected) override {
    BERTH_CHECK(check_document_id(id));
    BERTH_CHECK(check_document_size(static_cast<std::int64_t>(content.size()), options_));
    BERTH_TRY(const auto guard, mutex_.lock(call));
    const SqliteConnection::UsedBy used(*connection_, call);
    BERTH_TRY(auto transaction, SqliteTransaction::begin(*connection_));
    BERTH_TRY(const auto old, version_of(id));
    if (!old) return missing();
    if (*old != expected) return make_error(ErrorCode::conflict, "the document was changed meanwhile");
    return write("UPDATE documents SET version = ?1, content = ?2 WHERE id = ?3", id, content, transaction);
  }

  Result<Erased> erase(const Call& call, std::string_view id) override {
    BERTH_CHECK(check_document_id(id));
    BERTH_TRY(const auto guard, mutex_.lock(call));
    const SqliteConnection::UsedBy used(*connection_, call);
    BERTH_TRY(auto statement, SqliteStatement::prepare(*connection_, "DELETE FROM documents WHERE id = ?1"));
    statement.bind_text(1, id);
    BERTH_CHECK(statement.step());
    return connection_->changes() == 0 ? Erased::was_absent : Erased::yes;
  }

  Result<std::vector<std::string>> list(const Call& call) override {
    BERTH_TRY(const auto guard, mutex_.lock(call));
    const SqliteConnection::UsedBy used(*connection_, call);
    BERTH_TRY(auto statement, SqliteStatement::prepare(*connection_, "SELECT id FROM documents ORDER BY id"));
    std::vector<std::string> ids;
    while (true) {
      BERTH_TRY(const auto row, statement.step());
      if (row == SqliteStatement::Row::done) return ids;
      ids.push_back(statement.bytes(0));
    }
  }

 private:
  Result<std::optional<StoredDocument>> read(const Call& call, std::string_view id, const Version* known) {
    BERTH_CHECK(check_document_id(id));
    BERTH_TRY(const auto guard, mutex_.lock(call));
    const SqliteConnection::UsedBy used(*connection_, call);
    BERTH_TRY(auto statement,
              SqliteStatement::prepare(*connection_,
                                       "SELECT version, length(content), content FROM documents WHERE id = ?1"));
    statement.bind_text(1, id);
    BERTH_TRY(const auto row, statement.step());
    if (row == SqliteStatement::Row::done) return missing();
    Version version{std::to_string(statement.number(0))};
    if (known != nullptr && version == *known) return std::optional<StoredDocument>();
    BERTH_CHECK(check_document_size(statement.number(1), options_));
    return std::optional(StoredDocument{statement.bytes(2), std::move(version)});
  }

  Result<std::optional<Version>> version_of(std::string_view id) {
    BERTH_TRY(auto statement, SqliteStatement::prepare(*connection_, "SELECT version FROM documents WHERE id = ?1"));
    statement.bind_text(1, id);
    BERTH_TRY(const auto row, statement.step());
    if (row == SqliteStatement::Row::done) return std::optional<Version>();
    return std::optional(Version{std::to_string(statement.number(0))});
  }

  Result<Version> write(std::string_view sql, std::string_view id, BytesView content, SqliteTransaction& transaction) {
    BERTH_TRY(const std::int64_t version, next_version());
    {
      BERTH_TRY(auto statement, SqliteStatement::prepare(*connection_, sql));
      statement.bind_number(1, version);
      statement.bind_blob(2, content);
      statement.bind_text(3, id);
      BERTH_CHECK(statement.step());
    }
    BERTH_CHECK(transaction.commit());
    return Version{std::to_string(version)};
  }

  Result<std::int64_t> next_version() {
    BERTH_CHECK(connection_->execute("UPDATE counter SET value = value + 1"));
    return one_number(*connection_, "SELECT value FROM counter");
  }

  CallMutex mutex_;
  const std::unique_ptr<SqliteConnection> connection_;
  const std::string key_;
  const StoreOptions options_;
};

/// The database is made here, so that its mode does not depend on the umask, and without a descriptor of it: closing
/// one would drop the locks of every other connection this process has to it.
Result<std::string> make_file(const std::string& name) {
  if (::mknod(name.c_str(), S_IFREG | 0600, 0) < 0 && errno != EEXIST) return errno_error(errno, "make the database");
  struct stat status {};
  if (::stat(name.c_str(), &status) < 0) return errno_error(errno, "look at the database");
  if (!S_ISREG(status.st_mode)) return make_error(ErrorCode::not_regular, "the database is not a regular file");
  return "sqlite:" + std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

Result<void> set_up(SqliteConnection& connection) {
  BERTH_CHECK(connection.execute("PRAGMA trusted_schema = OFF; PRAGMA synchronous = FULL;"));
  BERTH_TRY(auto transaction, SqliteTransaction::begin(connection));
  BERTH_CHECK(check_schema(connection));
  BERTH_CHECK(transaction.commit());
  return connection.execute("PRAGMA journal_mode = WAL;");
}

}  // namespace

Result<std::unique_ptr<DocumentStore>> open_sqlite_store(const Call& call, const os::HostPath& file,
                                                         StoreOptions options) {
  BERTH_CHECK(call.check());
  BERTH_TRY(std::string key, make_file(file.text));
  BERTH_TRY(auto connection, SqliteConnection::open(file.text));
  {
    const SqliteConnection::UsedBy used(*connection, call);
    // SQLite asks no busy handler where two connections turn a new database to WAL at once: the loser begins again.
    auto ready = set_up(*connection);
    for (int attempts = 0; !ready && ready.error().code == ErrorCode::conflict; ++attempts) {
      BERTH_CHECK(pause_while_busy(call, attempts));
      ready = set_up(*connection);
    }
    BERTH_CHECK(std::move(ready));
  }
  return std::unique_ptr<DocumentStore>(std::make_unique<SqliteStore>(std::move(connection), std::move(key), options));
}

}  // namespace berth::store
