// Slice: a view of immutable bytes together with what keeps them alive. What answers, cells and watch events are made of:
// copying a Slice copies no bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace base {

struct Slice {
  std::string_view data;
  // Keeps `data` alive. Empty for static bytes, and where the holder of the Slice says that something else does.
  std::shared_ptr<const void> owner;

  static Slice Static(std::string_view bytes) { return {bytes, nullptr}; }
  static Slice Own(std::string bytes) {
    auto kept = std::make_shared<const std::string>(std::move(bytes));
    std::string_view view = *kept;
    return {view, std::move(kept)};
  }
};

}  // namespace base
