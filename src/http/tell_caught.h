// TellCaught: what was thrown, in words, for whoever writes the log. Any thread; never throws.
#pragma once

#include <exception>
#include <functional>
#include <string_view>

#include "base/text.h"

namespace http {

// Called in a catch block: `what` says in what it came up.
inline void TellCaught(std::string_view what, const std::function<void(std::string_view)>& tell) noexcept {
  try {
    if (!tell) return;
    try {
      throw;
    } catch (const std::exception& caught) {
      tell(base::Cat(what, ": ", caught.what()));
    } catch (...) {
      tell(what);
    }
  } catch (...) {  // no memory for that either
  }
}

}  // namespace http
