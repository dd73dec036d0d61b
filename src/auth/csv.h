// CSV as RFC 4180 has it, read the way the real server reads its files: quotes only around whole fields, `""` for a
// quote inside, empty lines skipped, any number of fields. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace auth {

base::Result<std::vector<std::vector<std::string>>> ParseCsv(std::string_view text);

}  // namespace auth
