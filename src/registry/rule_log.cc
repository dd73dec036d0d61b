#include "registry/rule_log.h"

#ifdef FAIRLEAD_RULE_LOG

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>

extern "C" const char __executable_start;  // of the linker: where the image begins

namespace registry {
namespace {

constexpr int kMostFrames = 64;
constexpr uintptr_t kMostFrameBytes = 1 << 20;
constexpr uint64_t kKept = uint64_t{1} << 48, kBroken = uint64_t{2} << 48;

uintptr_t InImage(const void* address) {
  return reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(&__executable_start);
}

struct Log {
  std::mutex mutex;  // guards all
  std::map<uintptr_t, uint64_t> errors;
  std::map<uintptr_t, std::pair<uint64_t, uint64_t>> rows;  // kept, broken
  std::set<uint64_t> fresh;

  Log() { std::atexit(Write); }
  static void Write();
};

// Never destroyed: other threads may still note.
Log& TheLog() {
  static Log* const log = new Log;
  return *log;
}

void Log::Write() {
  const char* wanted = std::getenv("FAIRLEAD_RULE_LOG");
  if (wanted == nullptr) return;
  std::string path = wanted;
  if (const size_t at = path.find("%p"); at != path.npos) path.replace(at, 2, std::to_string(getpid()));
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return;
  Log& log = TheLog();
  std::lock_guard lock(log.mutex);
  for (const auto& [address, count] : log.errors) {
    std::fprintf(file, "error 0x%lx %lu\n", address, static_cast<unsigned long>(count));
  }
  for (const auto& [address, counts] : log.rows) {
    std::fprintf(file, "row 0x%lx %lu %lu\n", address, static_cast<unsigned long>(counts.first),
                 static_cast<unsigned long>(counts.second));
  }
  std::fclose(file);
}

}  // namespace

__attribute__((noinline)) void NoteError() {
  Log& log = TheLog();
  std::lock_guard lock(log.mutex);
  auto* frame = static_cast<void**>(__builtin_frame_address(0));
  for (int i = 0; i < kMostFrames; ++i) {
    const uintptr_t call = InImage(frame[1]) - 1;  // the call stands before the address to which it returns
    ++log.errors[call];
    log.fresh.insert(call);
    auto* caller = static_cast<void**>(frame[0]);
    const uintptr_t bytes = reinterpret_cast<uintptr_t>(caller) - reinterpret_cast<uintptr_t>(frame);
    if (caller <= frame || bytes > kMostFrameBytes) return;
    frame = caller;
  }
}

void NoteRow(const void* row, bool broken) {
  Log& log = TheLog();
  std::lock_guard lock(log.mutex);
  auto& counts = log.rows[InImage(row)];
  ++(broken ? counts.second : counts.first);
  log.fresh.insert(InImage(row) | (broken ? kBroken : kKept));
}

std::vector<uint64_t> TakeNotes() {
  Log& log = TheLog();
  std::lock_guard lock(log.mutex);
  std::vector<uint64_t> notes(log.fresh.begin(), log.fresh.end());
  log.fresh.clear();
  return notes;
}

}  // namespace registry

#endif
