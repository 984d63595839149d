#include "surface/cli/operations_json.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "surface/cli/edit_json.h"

namespace berth::cli {
namespace {

using Kind = PatchOperation::Kind;

Error wrong(std::string what) { return make_error(ErrorCode::invalid_argument, std::move(what)); }

std::optional<Kind> try_kind(std::string_view word) {
  if (word == "create") return Kind::create;
  if (word == "update") return Kind::update;
  if (word == "delete") return Kind::remove;
  if (word == "move") return Kind::move;
  if (word == "copy") return Kind::copy;
  return std::nullopt;
}

bool has_two_names(Kind kind) { return kind == Kind::move || kind == Kind::copy; }

Result<GitMode> mode_from_json(const Json& value) {
  if (value == "0644" || value == "100644") return GitMode::regular;
  if (value == "0755" || value == "100755") return GitMode::executable;
  return wrong("`git_mode` is neither \"0644\" nor \"0755\"");
}

/// What an operation's object says, before it is known whether it says enough.
struct Members {
  std::optional<Bytes> path;
  std::optional<Bytes> to;
  std::optional<Bytes> content;
  PatchOperation operation;
};

Result<void> take_member(Members& members, const std::string& key, const Json& value) {
  auto& operation = members.operation;
  const Kind kind = operation.kind;
  BERTH_TRY(const bool is_path, take_bytes(key, value, has_two_names(kind) ? "from" : "path", members.path));
  if (is_path) return {};
  if (has_two_names(kind)) {
    BERTH_TRY(const bool is_to, take_bytes(key, value, "to", members.to));
    if (is_to) return {};
  }
  if (kind == Kind::create) {
    BERTH_TRY(const bool is_content, take_bytes(key, value, "content", members.content));
    if (is_content) return {};
  }
  if (key == "git_mode" && kind != Kind::remove) {
    BERTH_TRY(operation.git_mode, mode_from_json(value));
    return {};
  }
  if (key == "if_revision" && kind != Kind::create) {
    if (!value.is_string() || value.get_ref<const std::string&>().empty()) return wrong("`if_revision` is no revision");
    operation.expected_revision = Revision{value.get<std::string>()};
    return {};
  }
  if (key == "edits" && kind != Kind::create && kind != Kind::remove) {
    BERTH_TRY(auto edits, edits_from_json(value));
    operation.change = std::move(edits);
    return {};
  }
  return wrong(fmt::format("unknown key `{}`", decode_utf8(key).text));
}

Result<PatchOperation> operation_from_json(const Workspace& workspace, const Json& item) {
  if (!item.is_object() || item.size() != 1) {
    return wrong("it is no object with one of `create`, `update`, `delete`, `move` and `copy`");
  }
  const auto word = item.begin().key();
  const auto kind = try_kind(word);
  if (!kind) return wrong(fmt::format("there is no operation `{}`", decode_utf8(word).text));
  const Json& object = item.begin().value();
  if (!object.is_object()) return wrong(fmt::format("`{}` is no object", word));

  Members members{.operation = {.kind = *kind}};
  for (const auto& [key, value] : object.items()) BERTH_CHECK(take_member(members, key, value));
  auto& operation = members.operation;
  if (!members.path || (has_two_names(*kind) && !members.to)) {
    return wrong(fmt::format("`{}` needs {}", word, has_two_names(*kind) ? "`from` and `to`" : "`path`"));
  }
  if (*kind == Kind::create && !members.content) return wrong("`create` needs `content`");
  if (*kind == Kind::update && !operation.git_mode && std::holds_alternative<std::monostate>(operation.change)) {
    return wrong("`update` needs `edits` or `git_mode`");
  }
  BERTH_TRY(operation.path, workspace.resolve(*members.path));
  if (members.to) {
    BERTH_TRY(operation.to, workspace.resolve(*members.to));
  }
  if (members.content) operation.content = *std::move(members.content);
  return std::move(operation);
}

}  // namespace

Result<Patch> operations_from_json(const Workspace& workspace, const Json& list) {
  if (!list.is_array()) return wrong("the operations are no JSON array");
  Patch patch;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto operation = operation_from_json(workspace, list[i]);
    if (!operation) {
      auto error = std::move(operation).error();
      error.message = fmt::format("operation {}: {}", i, error.message);
      return std::move(error).with("operation", static_cast<std::int64_t>(i));
    }
    patch.operations.push_back(*std::move(operation));
  }
  return patch;
}

}  // namespace berth::cli
