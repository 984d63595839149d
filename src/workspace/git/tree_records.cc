#include "workspace/git/tree_records.h"

#include <algorithm>
#include <utility>

#include "workspace/git/record_fields.h"

namespace berth::git {

Result<std::map<Bytes, GitEntry>> parse_tree(BytesView output) {
  const auto wrong_format = [] {
    return make_error(ErrorCode::protocol, "git ls-tree printed something else than its format");
  };
  std::map<Bytes, GitEntry> entries;
  while (!output.empty()) {
    const auto line = output.substr(0, output.find('\0'));
    output.remove_prefix(std::min(line.size() + 1, output.size()));
    // "mode type object\tpath"
    const auto tab = line.find('\t');
    const auto type = line.find(' ');
    if (tab == BytesView::npos || type >= tab) return wrong_format();
    const auto object = line.find(' ', type + 1);
    if (object >= tab) return wrong_format();
    const auto mode = try_mode(line.substr(0, type));
    if (!mode) return wrong_format();
    GitEntry entry{.mode = *mode, .object = std::string(line.substr(object + 1, tab - object - 1))};
    entries.emplace_hint(entries.end(), Bytes(line.substr(tab + 1)), std::move(entry));
  }
  return entries;
}

}  // namespace berth::git
