// What a plain YAML scalar means, by the rules that the API reads YAML with (YAML 1.1 as Go's yaml v2 knows it). For
// the YAML reader and writer: a string that means something else unquoted must be quoted. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace value {

enum class YamlTag : uint8_t { kString, kBool, kInt, kUint, kFloat, kNull, kTimestamp };

struct YamlScalar {
  YamlTag tag = YamlTag::kString;
  bool boolean = false;
  int64_t integer = 0;
  uint64_t natural = 0;  // kUint: beyond int64
  double number = 0;     // kFloat, may be infinite or NaN
};

// `timestamps` off: a date is no timestamp (it is tagged as something else).
YamlScalar ResolveYaml(std::string_view text, bool timestamps = true);

// "!!int", as error texts name it.
std::string_view ShortTag(YamlTag tag);

// A double as Go's %g prints it, shortest form: 1e+06, 1.5, 1e-05, .inf, -.inf, .nan.
std::string FormatYamlFloat(double number);
// The same with the fewest digits that tell float32 numbers apart: how map keys that are floats become strings.
std::string FormatYamlFloat32(double number);

}  // namespace value
