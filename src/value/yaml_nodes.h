// The node graph of a YAML document, between libyaml's events and the tree: what tags, anchors and merge keys need to
// be seen whole. Internal to the YAML reader.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "value/arena.h"
#include "value/yaml_reader.h"

namespace value {

enum class YamlNodeKind : uint8_t { kScalar, kSequence, kMapping, kAlias };

struct YamlNode {
  YamlNodeKind kind = YamlNodeKind::kScalar;
  bool implicit = false;                      // of a scalar: plain, its meaning follows from its text
  mutable bool expanding = false;             // of an alias: it is being read right now
  uint32_t line = 0;                          // from 1
  std::string_view tag;                       // "" or the long form, tag:yaml.org,2002:str
  std::string_view text;                      // of a scalar; the anchor's name of an alias
  const YamlNode* target = nullptr;           // of an alias
  std::span<const YamlNode* const> children;  // items; keys and values in turn
};

// The first document of `text`; null without one. Errors carry the server's text.
base::Result<const YamlNode*> ComposeYaml(std::string_view text, Arena& arena, const YamlLimits& limits);

}  // namespace value
