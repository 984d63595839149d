#include "surface/mcp/resources.h"

#include <utility>

#include <fmt/format.h>

#include "base/base64.h"
#include "surface/mcp/protocol/cursor.h"
#include "surface/mcp/protocol/resource_uri.h"

namespace berth::mcp {
namespace {

constexpr std::string_view kList = "resources";
constexpr std::size_t kMaxCompletions = 100;

RpcError invalid(std::string message) { return {rpc::kInvalidParams, std::move(message), {}}; }

const std::string* uri_in(const Json& params) {
  const auto uri = params.find("uri");
  return uri != params.end() && uri->is_string() ? &uri->get_ref<const std::string&>() : nullptr;
}

// What tools say in their results, as the error of a request.
RpcError failed(const Error& error, std::string_view uri) {
  return {rpc::kInternalError,
          fmt::format("{}; {}", error.message, error.next_step()),
          {{"uri", uri}, {"code", error_info(error.code).name}}};
}

bool means_missing(ErrorCode code) {
  return code == ErrorCode::not_found || code == ErrorCode::not_a_directory || code == ErrorCode::is_a_directory ||
         code == ErrorCode::not_regular;
}

RpcError read_error(const Work& work, const Error& error, std::string_view uri) {
  if (means_missing(error.code)) return work.era.missing_resource(uri, "there is no such resource");
  if (error.code == ErrorCode::invalid_argument || error.code == ErrorCode::path_escape ||
      error.code == ErrorCode::name_too_long) {
    return {rpc::kInvalidParams, error.message, {{"uri", uri}, {"code", error_info(error.code).name}}};
  }
  return failed(error, uri);
}

// Where the user is not there to be asked: lists, watches and completions come by themselves.
Result<void> permitted_unasked(Work& work, Operation operation, const std::string& path) {
  return work.conversation.tools().gate().permit_unasked(work.call, {.operation = operation, .path = path});
}

Json resource_entry(const Path& path) {
  const auto& text = path.text();
  Json entry = {{"uri", uri_of_path(text)}, {"name", decode_utf8(text).text}};
  if (const auto type = media_type_of(text); !type.empty()) entry["mimeType"] = type;
  return entry;
}

}  // namespace

std::optional<std::string> watchable_path(Work& work, std::string_view uri) {
  auto& service = work.conversation.service();
  const auto path = path_of_uri(uri);
  if (!path || !service.offers_resources() || !service.workspace().resolve(*path)) return std::nullopt;
  if (!permitted_unasked(work, Operation::read, *path)) return std::nullopt;
  return path;
}

Answer list_resources(Work& work) {
  auto& service = work.conversation.service();
  std::string cursor;
  const auto& params = work.request.params;
  const auto given = params.find("cursor");
  if (given != params.end()) {
    const auto position =
        given->is_string() ? decode_cursor(kList, given->get_ref<const std::string&>()) : std::nullopt;
    if (!position || position->empty()) return invalid("`cursor` is none that this list gave out");
    cursor = *position;
  }
  Json resources = Json::array();
  if (cursor.empty() && service.extras() != nullptr) service.extras()->list_resources(resources);
  Json result;
  if (!service.offers_resources()) {
    result["resources"] = std::move(resources);
    return Done{std::move(result), Caching::allowed};
  }
  ListOptions options;
  options.filter = {.hidden = false, .ignored = false};
  options.limit = static_cast<std::int64_t>(service.options().page_entries);
  options.cursor = cursor;
  const auto list = [&]() -> Result<ListPage> {
    BERTH_CHECK(permitted_unasked(work, Operation::glob, "."));
    return service.workspace().list(work.call, "**/*", options);
  };
  auto page = list();
  if (!page) {
    if (!cursor.empty() && page.error().code == ErrorCode::invalid_argument) {
      return invalid("`cursor` is none that this list gave out");
    }
    return RpcError{rpc::kInternalError, to_string(page.error()), {{"code", error_info(page.error().code).name}}};
  }
  for (const auto& path : page->paths) resources.push_back(resource_entry(path));
  result["resources"] = std::move(resources);
  if (page->truncated) result["nextCursor"] = encode_cursor(kList, page->cursor);
  return Done{std::move(result), Caching::allowed};
}

Json resource_templates(const Service& service) {
  Json templates = Json::array();
  if (service.offers_resources()) {
    templates.push_back({{"uriTemplate", kFileTemplate},
                         {"name", "file"},
                         {"title", "A file of the workspace"},
                         {"description", "Any file by its path from the workspace's root, percent-encoded."}});
  }
  if (service.extras() != nullptr) service.extras()->list_templates(templates);
  return templates;
}

Answer read_resource(Work& work) {
  const auto* uri = uri_in(work.request.params);
  if (uri == nullptr) return invalid("`uri` must be a string");
  auto& service = work.conversation.service();
  if (service.extras() != nullptr) {
    if (auto answer = service.extras()->read_resource(work, *uri)) return std::move(*answer);
  }
  const auto path = path_of_uri(*uri);
  if (!path || !service.offers_resources()) return work.era.missing_resource(*uri, "there is no such resource");
  const auto bound = service.options().max_resource_bytes;
  const auto read = [&]() -> Result<ReadPage> {
    BERTH_CHECK(work.conversation.tools().permit(work.call, Operation::read, *path));
    return service.workspace().read(work.call, *path, {.max_bytes = bound, .want_revision = WantRevision::no});
  };
  auto page = read();
  if (!page) return read_error(work, page.error(), *uri);
  if (page->truncated) {
    return RpcError{rpc::kInvalidParams,
                    fmt::format("the file has {} bytes, and a resource at most {}: read it with a tool, page by page",
                                page->total_bytes, bound),
                    {{"uri", *uri}, {"code", "too_large"}}};
  }
  Json contents = {{"uri", *uri}};
  const bool text = page->content.find('\0') == Bytes::npos && is_utf8(page->content);
  const auto type = media_type_of(*path);
  contents["mimeType"] = !type.empty() ? std::string(type) : text ? "text/plain" : "application/octet-stream";
  if (text) {
    contents["text"] = std::move(page->content);
  } else {
    contents["blob"] = encode_base64(page->content);
  }
  Json result;
  result["contents"] = Json::array({std::move(contents)});
  return Done{std::move(result), Caching::allowed};
}

Answer subscribe(Work& work) {
  const auto* uri = uri_in(work.request.params);
  if (uri == nullptr) return invalid("`uri` must be a string");
  auto& service = work.conversation.service();
  if (service.extras() != nullptr && service.extras()->has_resource(*uri)) return Done{Json::object()};
  const auto path = path_of_uri(*uri);
  if (!path || !service.offers_resources()) return work.era.missing_resource(*uri, "there is no such resource");
  if (auto permitted = permitted_unasked(work, Operation::read, *path); !permitted) {
    return read_error(work, permitted.error(), *uri);
  }
  if (auto begun = work.conversation.subscribe(work.call, *uri, *path); !begun) {
    return read_error(work, begun.error(), *uri);
  }
  return Done{Json::object()};
}

Answer unsubscribe(Work& work) {
  const auto* uri = uri_in(work.request.params);
  if (uri == nullptr) return invalid("`uri` must be a string");
  work.conversation.unsubscribe(*uri);
  return Done{Json::object()};
}

Answer complete_path(Work& work, const Json& reference, const Json& argument) {
  auto& service = work.conversation.service();
  Json values = Json::array();
  std::size_t total = 0;
  const auto* uri = uri_in(reference);
  if (reference["type"] == "ref/resource" && uri != nullptr && *uri == kFileTemplate && argument["name"] == "path" &&
      service.offers_resources()) {
    const auto& typed = argument["value"].get_ref<const std::string&>();
    const auto slash = typed.rfind('/');
    const auto directory = slash == std::string::npos ? std::string() : typed.substr(0, slash + 1);
    const auto start = typed.substr(directory.size());
    const auto base = directory.empty() ? std::string(".") : directory;
    const auto listing = service.workspace().list_directory(work.call, base);
    if (listing && permitted_unasked(work, Operation::ls, base)) {
      for (const auto& entry : listing->entries) {
        if (!entry.name.starts_with(start) || (start.empty() && entry.name.starts_with('.')) || !is_utf8(entry.name)) {
          continue;
        }
        const bool is_directory = entry.stat.kind == FileKind::directory || entry.stat.target_is_directory;
        if (++total <= kMaxCompletions) values.push_back(directory + entry.name + (is_directory ? "/" : ""));
      }
    }
  }
  Json completion;
  completion["values"] = std::move(values);
  completion["total"] = total;
  completion["hasMore"] = total > kMaxCompletions;
  Json result;
  result["completion"] = std::move(completion);
  return Done{std::move(result)};
}

}  // namespace berth::mcp
