#pragma once

#include "base/bytes.h"
#include "base/call.h"
#include "base/result.h"
#include "providers/state/document.h"

namespace berth::state {

/// The format of a workspace document: JSON as pydantic-ai-backend's `StateBackend` keeps it.
///
///     {"files": {"/src/a.py": {"content": ["line", ""], "created_at": "…", "modified_at": "…"}}, "directories":
///     ["/src"]}
///
/// `content` is the text split at LF, or one base64 string with `"encoding": "base64"` where the bytes are not UTF-8 or
/// hold a NUL. We add `"git_mode": "100755"` to executable files. Members we do not know are kept as they were written.

/// Read a document.
///
/// `files` is required, `directories` is not (older documents have none). Names are normalised as that system does:
/// absolute, `.`, `..` and doubled slashes collapsed as text. Texts with lone surrogates U+DC80–U+DCFF, as older
/// documents have them, give the bytes they stand for. Base64 may come in several pieces. A missing or unreadable time
/// is no error.
/// Errors are `invalid_argument`, the message naming the entry: not JSON, wrong types, a known member twice, two names
/// that are one path, a file above another entry, a name no workspace path can have, base64 that does not decode, an
/// unknown encoding or git mode, names of directories that take more room than the document may; and those of the call.
Result<Document> parse_document(const Call& call, BytesView json);

/// Write a document: UTF-8 without U+0000 or lone surrogates, so that it survives strict encoders and PostgreSQL's
/// jsonb, provided that every name in it is UTF-8 (`is_storable_name`) and so are the members that are kept as they
/// were. A name that is not UTF-8 can only have come with an older document; it is written as it came, with lone
/// surrogates. Equal documents give equal bytes. Errors: those of the call.
Result<Bytes> render_document(const Call& call, const Document& document);

/// Whether JSON can hold a path as a name: it must be UTF-8.
bool is_storable_name(std::string_view path) noexcept;

}  // namespace berth::state
