// Patcher: one patch request, applied to an object each time the update asks for it. Made by Patch, and by subresources
// that are patched in a form of their own (scale); lives as long as the request, used on its thread. What it reads of
// the body it reads once, at the first application: a patch of an object that is not there is 404, however broken it
// is.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/error.h"
#include "handlers/body.h"
#include "handlers/options.h"
#include "handlers/scope.h"
#include "value/value.h"

namespace handlers {

enum class PatchKind : uint8_t { kJson, kMerge, kStrategic, kApply };

// Of the Content-Type's first type.
std::optional<PatchKind> PatchKindOf(std::string_view content_type);

class Patcher {
 public:
  // `wanted` is what the patch works on and gives.
  Patcher(const Scope& scope, const BodyKind& wanted, PatchKind kind, const WriteParameters& parameters)
      : scope_(scope),
        wanted_(wanted),
        kind_(kind),
        parameters_(parameters),
        arena_(scope.request().body.size() * 4 + 1024) {}

  // `current` (canonical, of `wanted`; null where an apply creates) with the patch in it, decoded, its name and
  // namespace checked against the request. `shown` is what its JSON reads as, or null where nobody has read it. The
  // result is in `arena`, and shares with `shown`.
  api::Result<value::Value> Apply(const value::Value* current, const value::Value& shown, value::Arena& arena);

 private:
  // A document, to be decoded.
  api::Result<value::Value> ApplyToDocument(const value::Value& document, value::Arena& arena);
  api::Result<value::Value> Shown(const value::Value& current, value::Arena& arena) const;
  api::Result<value::Value> PatchObject(const value::Value& current, const value::Value& shown, value::Arena& arena);
  api::Result<value::Value> ApplyConfiguration(const value::Value* current, value::Arena& arena);
  api::Result<> ReadPatch();
  api::Result<> ReadJsonPatch();
  api::Result<> ReadConfiguration();
  // The patched document as an object; what strict decoding finds counts as the parameters say.
  api::Result<value::Value> Decode(const value::Value& patched, value::Arena& arena);
  api::Result<value::Value> DecodeUnversioned(const value::Value& patched, value::Arena& arena);
  // The served version of the same objects that the patched document says it is; null where that is the route's own.
  const registry::Resource* OtherVersion(const value::Value& patched) const;
  api::Result<value::Value> DecodeOtherVersion(const registry::Resource& other, const value::Value& patched,
                                               value::Arena& arena);
  // What strict decoding found in the patch and in `patched`: nothing, warnings, 422.
  api::Result<> Judge(const value::Value& patched, const std::vector<std::string>& found);
  api::Result<> JudgeConfiguration();
  std::unexpected<api::Error> Undecodable(const value::Value& patched, std::string_view why) const;
  // What Go's converter does not take.
  std::unexpected<api::Error> Inconvertible(const value::Value& patched, std::string_view why) const;
  std::string Described() const;  // an apply's object, as refusals name it
  // Whether the result becomes an object by Go's converter, and not by way of its text.
  bool converts() const { return kind_ == PatchKind::kApply || kind_ == PatchKind::kStrategic; }
  bool is_strict() const { return parameters_.field_validation == "Strict"; }
  bool looks() const { return parameters_.field_validation != "Ignore"; }

  const Scope& scope_;
  const BodyKind wanted_;
  const PatchKind kind_;
  const WriteParameters& parameters_;
  value::Arena arena_;
  bool read_ = false;
  value::Value patch_;
  value::Value applied_patch_;         // a strategic patch, as merging left it
  std::vector<std::string> findings_;  // of the patch itself
  bool warned_ = false;
};

}  // namespace handlers
