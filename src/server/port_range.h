// A range of ports as a flag says it: "30000-32767", "30000+2767" or "30000". Pure; any thread.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace server {

struct PortRange {
  int first = 0;
  int count = 0;  // 0: nothing is said ("")
};

// The error says what is wrong with it, in kube-apiserver's words.
std::expected<PortRange, std::string> ParsePortRange(std::string_view text);

}  // namespace server
