#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/sensitive.h"
#include "recorded_case.h"
#include "testing/temp_dir.h"
#include "tools/catalogue.h"
#include "tools/tool_session.h"

namespace berth::recorded {

/// What stands around the workspace of a case. The recorded tools had options for it; with us it is policies.
struct Guards {
  SensitivePolicy sensitive;
  std::string rules;  ///< permission rules in JSON; empty: none
};

/// The workspace of one case, its files set up, and a conversation with it.
class World {
 public:
  World(const Case& one, const tools::CatalogueOptions& catalogue, tools::ToolOptions options,
        const Guards& guards = {});

  /// Nothing that a case started outlives it.
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Call a tool as recorded; `{ID}` in an argument is the id that an answer named last.
  Answer call(const Call& call);

  /// Write behind the tools' back.
  void change(const std::string& path, const std::string& content);

  /// What every file holds now that was set up, or was made since.
  std::map<std::string, std::string> files();

  std::vector<std::string> offered() const;

 private:
  std::unique_ptr<Backend> make_backend(const Case& one, const Guards& guards);
  void set_up_directory(const Json& json);
  void set_up_document(const Json& json);
  std::string without_places(std::string text);

  testing::TempDir state_;  ///< for the records of jobs
  testing::TempDir dir_;
  std::string root_;                    ///< of a local workspace
  std::unique_ptr<Workspace> outside_;  ///< the same files without policies; null when they are a directory
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<tools::Catalogue> catalogue_;
  std::unique_ptr<tools::ToolSession> session_;
  std::string job_;
  std::string process_;
};

/// The files that differ between two states: new content, or null where a file is gone.
Json differences(const std::map<std::string, std::string>& before, const std::map<std::string, std::string>& after);

/// A file's content as the tables write it.
Json file_json(const std::string& content);

}  // namespace berth::recorded
