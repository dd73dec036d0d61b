// Files: small files and directories that outlive a crash and are nobody's but the server's user's. Used for what the
// server keeps beside its store: keys, tokens, certificates. Plain functions that block; any thread.
//
// Errors: kExhausted where the disk is full, else kIo; the message names the path and the system's reason.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace base {

inline constexpr int kOwnerOnly = 0600;  // the mode of a file that its owner alone reads and writes

// Makes the directory and its missing parents, each for its owner alone (0700). What is there already stays as it is.
// `made`, where it is given, gets those that were made, outermost first, and nothing is synced; without it the entries
// of the new ones are synced before it returns.
Result<> MakeDirectories(const std::string& path, std::vector<std::string>* made = nullptr);

// Writes `bytes` to `path` in place of what is there, whole or not at all, also over a crash of the machine: the file
// is synced before it takes its name, and the name before this returns. `sync` false: neither is waited for.
Result<> ReplaceFile(const std::string& path, std::string_view bytes, int mode = kOwnerOnly, bool sync = true);

// All of a file, such as an operator gives: "open PATH: no such file or directory" where there is none, and an error where
// it is larger than `most` bytes.
Result<std::string> ReadFile(const std::string& path, size_t most = size_t{16} << 20);

// Waits until the disk has a file's bytes, or a directory's entries.
Result<> SyncPath(const std::string& path);

// Takes from group and others what they may do with the file or directory, and with everything in it. Symbolic links
// are not followed. What is not there is well. The first failure is told after all was tried.
Result<> MakePrivate(const std::string& path);
// Whether group and others may do nothing with it; false also where it cannot be looked at.
bool IsPrivate(const std::string& path);
// MakePrivate of the file or directory alone. A directory with the sticky bit (/tmp) is shared on purpose: kInvalid.
Result<> MakePrivateAlone(const std::string& path);

}  // namespace base
