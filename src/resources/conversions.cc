#include "resources/conversions.h"

#include <span>

namespace resources {

namespace {
constexpr std::span<const Conversion> kConversions;
}  // namespace

const Conversion* FindConversion(std::string_view group, std::string_view version, std::string_view kind) {
  for (const Conversion& conversion : kConversions) {
    if (conversion.kind == kind && conversion.group == group && conversion.version == version) return &conversion;
  }
  return nullptr;
}

}  // namespace resources
