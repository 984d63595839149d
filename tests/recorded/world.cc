#include "world.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <regex>

#include <gmock/gmock.h>

#include "base/base64.h"
#include "policy/read_only.h"
#include "policy/rules/rule_file.h"
#include "policy/rules/ruled.h"
#include "policy/sensitive.h"
#include "providers/local/local.h"
#include "providers/state/provider.h"
#include "store/memory_store.h"
#include "testing/matchers.h"

namespace berth::recorded {
namespace {

namespace fs = std::filesystem;

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  if (what.empty()) return;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
}

}  // namespace

World::World(const Case& one, const tools::CatalogueOptions& catalogue, tools::ToolOptions options,
             const Guards& guards)
    : root_(dir_.at("wd")) {
  dir_.make_directory("wd");
  ::setenv("XDG_STATE_HOME", state_.path().c_str(), 1);
  workspace_ = std::make_unique<Workspace>(make_backend(one, guards));
  auto made = tools::Catalogue::make(catalogue, workspace_->capabilities());
  EXPECT_THAT(made, testing::IsOk());
  catalogue_ = std::move(made).value();
  session_ = std::make_unique<tools::ToolSession>(*workspace_, std::move(options));
}

World::~World() {
  if (!workspace_->capabilities().jobs) return;
  const auto jobs = workspace_->list_jobs({});
  if (!jobs) return;  // the case has deleted the workspace
  for (const auto& job : *jobs) EXPECT_THAT(workspace_->stop_job({}, job.id, {}), testing::IsOk());
}

std::unique_ptr<Backend> World::make_backend(const Case& one, const Guards& guards) {
  std::unique_ptr<Backend> backend;
  if (one.workspace == "none") {
    // The nearest thing that a Berth session can have to no workspace: one whose document does not exist.
    state::StateProvider provider(store::make_memory_store());
    return std::move(provider.attach({"state", "nothing"})).value();
  }
  if (one.workspace == "state") {
    state::StateProvider provider(store::make_memory_store());
    outside_ = std::make_unique<Workspace>(std::move(provider.create()).value());
    set_up_document(one.json);
    backend = std::move(provider.attach(*outside_->ref())).value();
  } else {
    set_up_directory(one.json);
    backend = std::move(local::open_local({root_}, {})).value();
    if (one.workspace == "local-gone" || one.workspace == "local, directory deleted") fs::remove_all(root_);
  }
  if (one.workspace == "local, read-only" || one.json.value("wrap", "") == "read_only" ||
      one.json["options"].value("permissions", Json()) == "READONLY") {
    backend = make_read_only(std::move(backend));
  }
  if (guards.sensitive != SensitivePolicy{}) {
    backend = std::move(make_sensitive(std::move(backend), guards.sensitive)).value();
  }
  if (!guards.rules.empty()) {
    const auto rules = parse_rules(guards.rules, RuleFormat::json);
    EXPECT_THAT(rules, testing::IsOk());
    backend = make_ruled(std::move(backend), *rules);
  }
  return backend;
}

void World::set_up_directory(const Json& json) {
  const auto given = json.value("files", Json::object());
  for (const auto& [path, file] : given.items()) {
    dir_.write("wd/" + path, content_of(file));
  }
  for (const auto& path : json.value("dirs", Json::array())) dir_.make_directory("wd/" + path.get<std::string>());
  const auto links = json.value("links", Json::object());
  for (const auto& [path, target] : links.items()) {
    dir_.make_link("wd/" + path, target.get<std::string>());
  }
  for (const auto& path : json.value("fifo", Json::array())) {
    ASSERT_EQ(mkfifo(dir_.at("wd/" + path.get<std::string>()).c_str(), 0600), 0);
  }
}

void World::set_up_document(const Json& json) {
  const berth::Call call;
  ASSERT_THAT(outside_->ensure(call), testing::IsOk());
  const auto given = json.value("files", Json::object());
  for (const auto& [path, file] : given.items()) {
    ASSERT_THAT(outside_->write(call, path, content_of(file)), testing::IsOk());
  }
  for (const auto& path : json.value("dirs", Json::array())) {
    ASSERT_THAT(outside_->make_directory(call, path.get<std::string>()), testing::IsOk());
  }
}

void World::change(const std::string& path, const std::string& content) {
  if (outside_ == nullptr) {
    dir_.write("wd/" + path, content);
  } else {
    ASSERT_THAT(outside_->write(berth::Call{}, path, content), testing::IsOk());
  }
}

std::string World::without_places(std::string text) {
  replace_all(text, root_, "{WD}");
  replace_all(text, dir_.path(), "{WD_PARENT}");
  replace_all(text, job_, "{ID}");
  for (const std::string before : {"PID: ", "\"pid\": "}) {
    if (!process_.empty()) replace_all(text, before + process_, before + "{PID}");
  }
  return text;
}

Answer World::call(const Call& call) {
  Json arguments = call.arguments;
  for (auto& [name, value] : arguments.items()) {
    if (value == "{ID}") value = job_;
  }
  const tools::Tool* tool = catalogue_->find(call.tool);
  if (tool == nullptr) return {.outcome = tools::ToolResult::Outcome::failed, .text = "not offered", .media = {}};
  const auto result = tool->call(berth::Call{}, *session_, arguments, nullptr);
  std::smatch id;
  if (std::regex_search(result.text, id, std::regex(R"((?:^|\n)ID: (\S+))"))) job_ = id[1].str();
  if (std::regex_search(result.text, id, std::regex(R"((?:^|\n)PID: (\d+))"))) process_ = id[1].str();
  Answer answer{.outcome = result.outcome, .text = without_places(result.text), .media = {}};
  for (const auto& media : result.media) {
    answer.media.push_back(media.media_type + " " + std::to_string(media.content.size()) + " bytes");
  }
  EXPECT_TRUE(is_utf8(result.text)) << call.tool;
  EXPECT_EQ(result.structured.contains("error"), result.outcome != tools::ToolResult::Outcome::success)
      << result.structured.dump();
  return answer;
}

std::map<std::string, std::string> World::files() {
  std::map<std::string, std::string> result;
  if (outside_ != nullptr) {
    const berth::Call call;
    const auto page = outside_->list(call);
    for (const auto& path : page->paths) result[path.text()] = outside_->read(call, path.text())->content;
    return result;
  }
  if (!fs::exists(root_)) return result;
  for (const auto& entry : fs::recursive_directory_iterator(root_)) {
    const auto relative = entry.path().lexically_relative(root_).string();
    if (fs::is_regular_file(entry.symlink_status())) result[relative] = dir_.read("wd/" + relative);
  }
  return result;
}

std::vector<std::string> World::offered() const {
  std::vector<std::string> names;
  for (const auto& tool : catalogue_->tools()) names.push_back(tool->info().name);
  return names;
}

Json differences(const std::map<std::string, std::string>& before, const std::map<std::string, std::string>& after) {
  Json result = Json::object();
  for (const auto& [path, content] : after) {
    const auto found = before.find(path);
    if (found == before.end() || found->second != content) result[path] = file_json(content);
  }
  for (const auto& [path, content] : before) {
    if (!after.contains(path)) result[path] = nullptr;
  }
  return result;
}

Json file_json(const std::string& content) {
  if (is_utf8(content)) return content;
  return {{"b64", encode_base64(content)}};
}

}  // namespace berth::recorded
