// Plays a fuzzer's corpus once without libFuzzer: the ordinary test of every fuzzer. Arguments: corpus folders or files.
// A crash or a sanitizer report is the failure; a folder that is missing or empty is one too.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  size_t played = 0;
  auto play = [&](const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
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
  std::printf("%zu inputs played\n", played);
  return played == 0 ? 1 : 0;
}
