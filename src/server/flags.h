// Flags: command lines with the names, types and error texts of kube-apiserver and etcd. Used by main alone, on one
// thread, before anything else runs. The tables of what is known are constant data (data/flags).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace server {

struct Flag {
  std::string_view name, type,
      default_value;         // type: "bool", "int", "string", "strings" (comma separated), "duration", ...
  std::string_view section;  // heading in the help
  std::string_view description;
  std::string_view note;  // of an effect: what to know of it, or why it is none

  // What Fairlead makes of it: does as it says; has nothing that it could act on; has not what it asks for, which
  // protects something: the server does not start with it (unenforced_controls.h).
  enum class Effect : uint8_t { kHonoured, kNone, kRefused };
  Effect effect = Effect::kHonoured;
  bool first = false;  // among what most people use: the help of `fairlead serve` begins with these
};

// Each sorted by name.
std::span<const Flag> KubeApiserverFlags();
std::span<const Flag> EtcdFlags();
std::span<const Flag> ServeFlags();  // of `fairlead serve`: its own and all of kube-apiserver's

// How a program reads its command line.
struct FlagStyle {
  std::string_view program;  // "kube-apiserver", in error texts
  std::span<const Flag> known;
  bool single_dash = false;  // -name means --name (etcd); else -v, -h are the only short ones
};

// What a command line sets. Values are checked against their types when it is made, so the accessors cannot fail.
class FlagValues {
 public:
  // `arguments` without the program's name. The error's message is what the real program prints, without "Error: ".
  static base::Result<FlagValues> Parse(const FlagStyle& style, std::span<const std::string_view> arguments);

  bool IsSet(std::string_view name) const { return values_.contains(name); }
  // The last value given, or the default.
  std::string_view Text(std::string_view name) const;
  bool Bool(std::string_view name) const;
  int64_t Int(std::string_view name) const;
  std::chrono::nanoseconds Duration(std::string_view name) const;
  // All values given, in order; of "strings" each split at its commas. The default where none is given.
  std::vector<std::string> List(std::string_view name) const;

  // Names of the flags that are set, sorted.
  std::vector<std::string_view> names() const;
  // What is known of a flag; an empty one where there is none of that name.
  const Flag& Known(std::string_view name) const;

 private:
  explicit FlagValues(std::span<const Flag> known) : known_(known) {}
  base::Result<> Set(const Flag& flag, std::string_view value);

  std::span<const Flag> known_;
  std::map<std::string_view, std::vector<std::string>, std::less<>> values_;  // keys are names in known_
};

// The help text: each flag at the start of a line, "--name type", then what it is for and its default; under their
// sections. `first`: before them, under a heading of their own, those that most people use.
std::string FlagHelp(std::span<const Flag> flags, bool first = false);

}  // namespace server
