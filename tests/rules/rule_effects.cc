// Tells of writes what they make the rules do: which regions of the instrumented floors run, which calls lead to
// errors, which rows of tables are kept and broken. In the `coverage` preset alone; driven by
// tests/reference/rule_cases.py.
//
// A line of JSON in is a write: {"group","version","resource","subresource","object","old","ask"}; the line of JSON out
// is
// {"code", "new": how many effects no write before had} and, as `ask` wants: "all" adds "effects", their numbers; a
// list of numbers adds "has", whether it has all of them. Only a line without `ask` counts its effects as seen.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "registry/rule_log.h"
#include "rule_player.h"
#include "value/json_reader.h"

extern "C" {
uint64_t* __llvm_profile_begin_counters();
uint64_t* __llvm_profile_end_counters();
}

namespace {

using value::Value;

// Calls and rows have greater numbers than any counter; what runs in a write that is accepted is another effect.
constexpr uint64_t kNotes = uint64_t{1} << 50, kAccepted = uint64_t{1} << 51;

// What happened since the last call, in order.
std::vector<uint64_t> TakeEffects() {
  std::vector<uint64_t> effects;
  uint64_t* const begin = __llvm_profile_begin_counters();
  for (uint64_t* counter = begin; counter != __llvm_profile_end_counters(); ++counter) {
    if (*counter != 0) effects.push_back(static_cast<uint64_t>(counter - begin));
    *counter = 0;
  }
  for (uint64_t note : registry::TakeNotes()) effects.push_back(kNotes | note);
  return effects;
}

std::string Reply(rules::RulePlayer& player, const Value& line, std::set<uint64_t>& seen) {
  rules::Write write{std::string(line.GetString("group")),
                     std::string(line.GetString("version")),
                     std::string(line.GetString("resource")),
                     std::string(line.GetString("subresource")),
                     line.Get("object"),
                     line.Find("old")};
  TakeEffects();
  const rules::Answer answer = player.Play(write);
  std::vector<uint64_t> effects = TakeEffects();
  if (answer.code / 100 == 2) {
    for (size_t i = 0, size = effects.size(); i < size; ++i) effects.push_back(kAccepted | effects[i]);
  }
  const Value ask = line.Get("ask");
  size_t fresh = 0;
  for (uint64_t effect : effects) {
    if (ask.is_null() ? seen.insert(effect).second : !seen.contains(effect)) ++fresh;
  }
  std::string reply = base::Cat("{\"code\":", answer.code, ",\"new\":", fresh);
  if (ask.is_string()) {
    for (size_t i = 0; i < effects.size(); ++i) base::Append(reply, i == 0 ? ",\"effects\":[" : ",", effects[i]);
    if (!effects.empty()) reply += "]";
  }
  if (ask.is_array()) {
    bool has = true;
    for (const Value& wanted : ask.items()) {
      has = has && std::binary_search(effects.begin(), effects.end(), static_cast<uint64_t>(wanted.AsInt()));
    }
    base::Append(reply, ",\"has\":", has ? "true" : "false");
  }
  return reply + "}";
}

}  // namespace

int main() {
  rules::RulePlayer player;
  std::set<uint64_t> seen;
  for (std::string text; std::getline(std::cin, text);) {
    value::Arena arena;
    const auto line = value::ReadJson(text, arena);
    std::cout << (line ? Reply(player, *line, seen) : std::string("{\"code\":0}")) << std::endl;
  }
  return 0;
}
