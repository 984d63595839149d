#include <deque>
#include <map>

#include <fmt/format.h>

#include "tools/filesystem/exclusions.h"
#include "tools/filesystem/filesystem_internal.h"
#include "tools/make_tool.h"
#include "tools/tree_walk.h"
#include "tools/value_fields.h"

namespace berth::tools::filesystem {
namespace {

constexpr std::int64_t kMostEntries = 20'000;

struct Arguments {
  std::string path;
  std::vector<std::string> exclude_patterns;

  static const Fields<Arguments>& fields() {
    static const auto table = Fields<Arguments>()
                                  .field("path", &Arguments::path, "The directory", kRequired)
                                  .field("excludePatterns", &Arguments::exclude_patterns,
                                         "Leave out what matches, by its path below `path`; without `*`, at any depth");
    return table;
  }
};

struct Tree {
  std::string content;
  std::int64_t entries = 0;
  bool truncated = false;
  std::vector<Unreadable> unreadable;

  static const Fields<Tree>& fields() {
    static const auto table = Fields<Tree>()
                                  .field("content", &Tree::content, "The tree in JSON")
                                  .field("entries", &Tree::entries, "In the tree")
                                  .field("truncated", &Tree::truncated, "The lowest levels are not all there")
                                  .field("unreadable", &Tree::unreadable, "Directories that could not be listed");
    return table;
  }
};

/// What is in a directory, as the walk comes by it.
struct Node {
  Json json;
  std::vector<Node*> children;  ///< of a directory
  bool is_directory = false;
};

/// Put the nodes' JSON together, from the last one up: a walk by levels has every node after its parent.
Json assembled(std::deque<Node>& nodes) {
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if (!node->is_directory) continue;
    auto& children = node->json["children"] = Json::array();
    for (auto* child : node->children) children.push_back(std::move(child->json));
  }
  return std::move(nodes.front().json["children"]);
}

Result<Tree> tree(const Call& call, ToolSession& session, const Arguments& arguments, ProgressSink*) {
  BERTH_TRY(const auto path, path_argument(arguments.path));
  BERTH_CHECK(session.permit(call, Operation::glob, path));
  BERTH_TRY(const auto base, session.workspace().resolve(path));
  BERTH_TRY(const auto exclusions,
            Exclusions::compile(arguments.exclude_patterns, Exclusions::Reading::names_anywhere));
  std::deque<Node> nodes(1);
  nodes.front().is_directory = true;
  std::map<Path, Node*> directories{{base, &nodes.front()}};
  Tree tree;
  const auto visit = [&](const WalkedEntry& walked) {
    if (exclusions.leave_out(walked.relative)) return WalkStep::pass;
    if (tree.entries == kMostEntries) {
      tree.truncated = true;
      return WalkStep::stop;
    }
    ++tree.entries;
    auto& node = nodes.emplace_back();
    node.is_directory = walked.entry.stat.kind == FileKind::directory;
    put_bytes(node.json, "name", walked.entry.name);
    node.json["type"] = node.is_directory ? "directory" : "file";
    directories.at(walked.path.parent())->children.push_back(&node);
    if (node.is_directory) directories.emplace(walked.path, &node);
    return WalkStep::enter;
  };
  BERTH_TRY(auto end, walk_tree(call, session.workspace(), base, {.order = WalkOrder::breadth_first}, visit));
  tree.truncated = tree.truncated || (!end.complete && end.unreadable.empty());
  tree.unreadable = std::move(end.unreadable);
  for (const auto& [where, code] : tree.unreadable) {
    directories.at(where)->json["unreadable"] = error_info(code).name;
  }
  tree.content = assembled(nodes).dump(2);
  return tree;
}

std::string render(const Arguments&, const Tree& tree) {
  return tree.truncated ? fmt::format("{}\n(the first {} entries; look at one directory below, or leave some out)",
                                      tree.content, tree.entries)
                        : tree.content;
}

}  // namespace

std::unique_ptr<Tool> make_directory_tree() {
  return make_tool<Arguments, Arguments, Tree>(
      {.info = {.name = "directory_tree",
                .title = "Show a directory as a tree",
                .description = "Show everything below a directory as JSON: `name`, `type` (file or directory), and the "
                               "`children` of a directory. Links are not entered. Of a very large tree the upper "
                               "levels are shown.",
                .input_schema = {},
                .output_schema = {},
                .annotations = {.read_only = true, .idempotent = true},
                .needs = {.reads = true},
                .uses = {Operation::glob}},
       .operation = tree,
       .render = render,
       .render_error = kRenderError});
}

}  // namespace berth::tools::filesystem
