// DataDirectory: the directory that an engine keeps its files in, held by one process at a time, and of a known format.
// Used by local engines at open. Ownership: the lock is held as long as the object lives; the kernel drops it when the
// process dies.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace engine {

class DataDirectory {
 public:
  static constexpr int kFormat = 1;

  // Makes the directory where it is missing, for its owner alone, locks it, and checks (in a new one: writes) its
  // FORMAT file. kUnavailable names the process that holds it; kCorrupt is a format that this program does not know, or
  // files that are not ours. What is in a directory that is unfinished goes before. Others lose what rights they have
  // to an older one's files.
  static base::Result<DataDirectory> Open(const std::string& path);

  DataDirectory(DataDirectory&& other) noexcept
      : path_(std::move(other.path_)),
        lock_(std::exchange(other.lock_, -1)),
        head_(std::exchange(other.head_, -1)),
        made_(std::move(other.made_)),
        is_unfinished_(other.is_unfinished_) {}
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();

  const std::string& path() const { return path_; }

  // New, and not to be relied on before Finish(): there is a file UNFINISHED, and nobody was told of any write.
  bool is_unfinished() const { return is_unfinished_; }
  // The first write is about to be made: what was made is a store. `sync`: for good, also its FORMAT file and the
  // directory's own name; what else is in the directory was synced. kIo, kExhausted: it may be called again.
  base::Result<> Finish(bool sync);

  // The HEAD file: a revision that was durable once, so that a start that finds less knows that something is lost.
  // Written now and then and not synced: an old one does no harm. 0 where there is none that can be read.
  int64_t Head() const;
  void SetHead(int64_t revision);

 private:
  DataDirectory(std::string path, int lock, int head) : path_(std::move(path)), lock_(lock), head_(head) {}
  base::Result<> CheckFormat();
  base::Result<> Begin();

  std::string path_;
  int lock_;  // file descriptors
  int head_;
  std::vector<std::string> made_;  // directories on the way to path_ that Open() made, not yet synced
  bool is_unfinished_ = false;
};

}  // namespace engine
