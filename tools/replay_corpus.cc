// Plays a fuzzer's corpus once without libFuzzer: the ordinary test of every fuzzer. Arguments: corpus folders or
// files. A crash, a sanitizer report or an input that costs too much (fuzz_bounds.h) is the failure; a folder that is
// missing or empty is one too.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fuzz_bounds.h"

int main(int argc, char** argv) {
  size_t played = 0;
  fuzzing::Cost most;
  auto play = [&](const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    std::fprintf(stderr, "%s\r", file.c_str());  // the last one is the one that ends it
    const fuzzing::Cost cost = fuzzing::RunBounded(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    most.allocated = std::max(most.allocated, cost.allocated);
    most.seconds = std::max(most.seconds, cost.seconds);
    ++played;
  };
  for (int i = 1; i < argc; ++i) {
    std::error_code missing;
    if (std::filesystem::is_directory(argv[i], missing)) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
        if (entry.is_regular_file()) play(entry.path());
      }
    } else if (std::filesystem::is_regular_file(argv[i], missing)) {
      play(argv[i]);
    }
  }
  std::printf("%zu inputs played; one allocated %.1f MiB at most, and took %.2f s\n", played,
              static_cast<double>(most.allocated) / (1 << 20), most.seconds);
  return played == 0 ? 1 : 0;
}
