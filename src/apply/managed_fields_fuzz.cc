// Any document as metadata.managedFields: no crash; what is written reads back as the same sets, and the operations on
// sets keep their laws.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "apply/field_set.h"
#include "apply/managed_fields.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace {

using apply::FieldSet;

void Hold(bool law) {
  if (!law) std::abort();
}

void HoldLaws(value::Arena& arena, const FieldSet* a, const FieldSet* b) {
  const FieldSet* both = apply::Intersection(arena, a, b);
  const FieldSet* all = apply::Union(arena, a, b);
  const FieldSet* rest = apply::Difference(arena, a, b);
  Hold(apply::Equal(apply::Union(arena, rest, both), a));
  Hold(apply::Equal(apply::Union(arena, b, a), all));
  Hold(apply::Difference(arena, a, all) == nullptr);
  Hold(apply::Intersection(arena, rest, b) == nullptr);
  Hold(apply::Difference(arena, apply::RecursiveDifference(arena, a, b), rest) == nullptr);
}

void HoldRoundTrip(value::Arena& arena, const FieldSet* set) {
  std::string json;
  value::WriteJson(apply::EncodeFieldsV1(arena, set), json);
  const auto document = value::ReadJson(json, arena);
  Hold(document.has_value());
  const auto again = apply::DecodeFieldsV1(arena, *document);
  Hold(again && apply::Equal(*again, set));
  (void)apply::Paths(set);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  value::Arena arena;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto document = value::ReadJson(input, arena, {.max_depth = 200});
  if (!document) return 0;
  auto managers = apply::Managers::Decode(arena, *document);
  if (!managers) return 0;
  const FieldSet* before = nullptr;
  for (apply::Manager& manager : managers->list()) {
    const FieldSet* set = managers->Fields(arena, manager);
    HoldRoundTrip(arena, set);
    HoldLaws(arena, set, before);
    HoldLaws(arena, before, set);
    before = set;
  }
  const value::Value encoded = managers->Encode(arena);
  auto again = apply::Managers::Decode(arena, encoded);
  Hold(again && again->list().size() == managers->list().size());
  return 0;
}
