#include "base/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace base {
namespace {

// The fields of /proc/self/stat behind the program's name: the first is field 3 of proc(5).
std::vector<std::string> ReadStat() {
  std::ifstream file("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<std::string> fields;
  size_t at = text.rfind(')');
  while (at != std::string::npos && at + 2 < text.size()) {
    const size_t start = at + 2 > text.size() ? text.size() : (fields.empty() ? at + 2 : at + 1);
    at = text.find(' ', start);
    fields.push_back(text.substr(start, at == std::string::npos ? at : at - start));
  }
  return fields;
}

double Number(const std::vector<std::string>& fields, size_t proc_index) {
  const size_t index = proc_index - 3;
  return index < fields.size() ? std::strtod(fields[index].c_str(), nullptr) : 0;
}

double BootTime() {
  std::ifstream file("/proc/stat");
  std::string word;
  while (file >> word) {
    double seconds = 0;
    if (word == "btime" && file >> seconds) return seconds;
  }
  return 0;
}

double OpenFiles() {
  std::error_code error;
  const auto files = std::filesystem::directory_iterator("/proc/self/fd", error);
  return error ? 0 : static_cast<double>(std::distance(begin(files), end(files)));
}

}  // namespace

void AddProcessMetrics(Metrics& metrics) {
  const auto gauge = [&metrics](std::string_view name, std::string_view help) {
    return &metrics.Gauges(name, help).With({});
  };
  Gauge* const cpu =
      &metrics.Totals("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.").With({});
  Gauge* const resident = gauge("process_resident_memory_bytes", "Resident memory size in bytes.");
  Gauge* const memory = gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.");
  Gauge* const open_files = gauge("process_open_fds", "Number of open file descriptors.");
  Gauge* const most_files = gauge("process_max_fds", "Maximum number of open file descriptors.");
  Gauge* const start = gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.");
  metrics.OnCollect([=] {
    const std::vector<std::string> stat = ReadStat();
    const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    cpu->Set((Number(stat, 14) + Number(stat, 15)) / ticks);
    start->Set(BootTime() + Number(stat, 22) / ticks);
    memory->Set(Number(stat, 23));
    resident->Set(Number(stat, 24) * static_cast<double>(sysconf(_SC_PAGESIZE)));
    open_files->Set(OpenFiles());
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) most_files->Set(static_cast<double>(limit.rlim_cur));
  });
}

}  // namespace base
