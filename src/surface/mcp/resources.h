#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "surface/mcp/conversation.h"

/// The files of the workspace as resources: listed, read, watched, and their names completed. Permission rules hold
/// here as for tools, but only a read asks the user.
namespace berth::mcp {

/// A page of the files that git's ignore rules leave, hidden ones left out; any other file can be read all the same.
Answer list_resources(Work& work);
/// The template that stands for every file.
Json resource_templates(const Service& service);
/// The file as text when it is UTF-8 without NUL, else as a blob.
Answer read_resource(Work& work);
Answer subscribe(Work& work);
Answer unsubscribe(Work& work);
/// Names of files and directories that go on from what was typed, at most 100.
Answer complete_path(Work& work, const Json& reference, const Json& argument);

/// The path to watch for a URI; nothing when it can name no file here, or rules do not let it be read unasked.
std::optional<std::string> watchable_path(Work& work, std::string_view uri);

}  // namespace berth::mcp
