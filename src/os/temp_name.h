#pragma once

#include <string>
#include <string_view>

namespace berth::os {

/// Names of temporary files made beside their target (C-WRITE-1): fixed length, whatever the target's name, so that
/// 255-byte names work; recognisable, so that listings hide them and the next open removes those of dead processes.
/// Shape: `.berth-tmp-` + 32 lower-case hexadecimal digits. Any name of that shape is ours and never shows.
///
/// Transactions have two more: `.berth-txn-` for their journals and `.berth-old-` for what they keep until they are
/// done. Those never show either, but are not removed as temporary files are.
std::string make_temp_name();
std::string make_journal_name();
std::string make_kept_name();

/// Whether a name has any of these shapes.
bool is_temp_name(std::string_view name) noexcept;
bool is_journal_name(std::string_view name) noexcept;
bool is_kept_name(std::string_view name) noexcept;

}  // namespace berth::os
