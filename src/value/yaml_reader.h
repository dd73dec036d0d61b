// YAML text to a Value: bodies of `application/yaml` and of server-side apply, and policy files.
//
// Exactly what the real server makes of it (sigs.k8s.io/yaml over Go's yaml v2): YAML 1.1 scalars (yes/no/on/off, 0x,
// octal, 1_000, .inf), merge keys, anchors, tags, the first document only; a date stays a string; keys that are
// numbers, booleans or floats become strings; members come sorted by key, the last of duplicates only, because the
// server's way leads through sorted JSON. Errors speak in its words: "yaml: line 2: mapping values are not allowed in
// this context".
//
// Ownership: the tree's strings are in the arena. Pure functions, any thread.
// Bounds: nesting 10,000; aliases may make at most 99 % of the values of a small document and 10 % of a large one; the
// scanner's work is bounded (a long document inside thousands of open brackets is refused).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace value {

struct YamlLimits {
  uint32_t max_depth = 10000;           // of flow brackets, of block indents, and of the tree
  uint32_t max_directives = 100;        // lines that begin with %TAG
  uint64_t max_scan_work = 50'000'000;  // sum over all tokens of the brackets and indents around each
};

// `duplicates`, where given, receives what strict decoding says of keys set twice, "" if there are none:
// "yaml: unmarshal errors:\n  line 3: key \"a\" already set in map".
base::Result<Value> ReadYaml(std::string_view text, Arena& arena, std::string* duplicates = nullptr,
                             const YamlLimits& limits = {});

}  // namespace value
