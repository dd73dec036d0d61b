// SystemFailure: why a system call has just failed. Asked beside the call, before anything else changes errno.
#pragma once

#include <errno.h>
#include <string.h>

#include <string_view>

#include "base/result.h"
#include "base/text.h"

namespace http {

// kIo: what failed (a call, a path) and the system's reason.
inline std::unexpected<base::Error> SystemFailure(std::string_view what) {
  return base::Fail(base::Code::kIo, base::Cat(what, ": ", strerror(errno)));
}

}  // namespace http
