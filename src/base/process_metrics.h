// What the operating system says of this process, as Prometheus clients name it: CPU, memory, file descriptors, start.
#pragma once

#include "base/metrics.h"

namespace base {

// The values are read from /proc at each exposition.
void AddProcessMetrics(Metrics& metrics);

}  // namespace base
