// TornTail: tells a write-ahead log whose last write was cut off by a crash, which is no loss, from one that was
// damaged before its end, which is. RocksDB stops at the first bad record of either.
//
// The rocksdb engine syncs every batch before it writes the next one. So when the crash cut off a batch, no later batch
// stands behind it; and where a valid later one stands behind a bad record, the bad one had been acknowledged.
#pragma once

#include <string_view>

namespace engine {

struct LogState {
  bool batches = false;  // it has valid records that write something
  bool torn = false;     // it ends in bad bytes, but no batch begins after them: the last one was not finished
  bool damaged = false;  // a batch begins after bad bytes: something that was acknowledged is lost
};

// What the bytes of one log file are. Zeros, or a record that is cut off by the file's end, are an end like any other.
LogState ExamineLog(std::string_view log);

}  // namespace engine
