#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "providers/state/call_watch.h"
#include "providers/state/document.h"
#include "providers/state/json_reader.h"

namespace berth::state {

/// Read the value of one member of `files`. The error's message does not name the file; the caller does.
Result<StoredFile> parse_entry(JsonReader& reader);

/// Write it.
Result<void> append_entry(CallWatch& watch, Bytes& json, const StoredFile& file);

/// Keep a member that is not understood, as it was written.
void append_raw_member(std::string& members, BytesView member);

}  // namespace berth::state
