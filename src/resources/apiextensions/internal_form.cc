#include "resources/apiextensions/internal_form.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace resources::apiextensions {
namespace {

using registry::Arena;
using value::Value;

// What stands above the versions where it is the same in all of them: its name there and in a version.
struct Shared {
  std::string_view above, in_version;
};
constexpr Shared kShared[] = {
    {"validation", "schema"},
    {"subresources", "subresources"},
    {"additionalPrinterColumns", "additionalPrinterColumns"},
    {"selectableFields", "selectableFields"},
};

bool IsSame(const Value& versions, std::string_view member) {
  return std::ranges::all_of(versions.items(), [&](const Value& version) {
    const Value first = versions[0].Get(member), own = version.Get(member);
    // None and an empty list are the same.
    if (first.is_object() || own.is_object()) return value::Equal(first, own);
    return (first.empty() && own.empty()) || value::Equal(first, own);
  });
}

Value CopyWithout(Arena& arena, const Value& object, std::span<const std::string_view> left_out) {
  const Value copy = Value::Object(arena, object.size() + 4);
  for (const value::Member& member : object.members()) {
    if (std::ranges::find(left_out, member.key) == left_out.end()) copy.Add(arena, member.key, member.value);
  }
  return copy;
}

Value InternalConversion(Arena& arena, const Value& conversion) {
  constexpr std::string_view kWebhook[] = {"webhook"};
  const Value form = CopyWithout(arena, conversion, kWebhook);
  const Value webhook = conversion.Get("webhook");
  if (const Value* client = webhook.Find("clientConfig")) form.Add(arena, "webhookClientConfig", *client);
  if (const Value* versions = webhook.Find("conversionReviewVersions")) {
    form.Add(arena, "conversionReviewVersions", *versions);
  }
  return form;
}

}  // namespace

Value InternalSpec(Arena& arena, const Value& spec) {
  constexpr std::string_view kChanged[] = {"versions", "conversion"};
  const Value form = CopyWithout(arena, spec, kChanged);
  if (const Value* conversion = spec.Find("conversion")) {
    form.Add(arena, "conversion", InternalConversion(arena, *conversion));
  }
  const Value* versions = spec.Find("versions");
  if (versions == nullptr || versions->empty()) {
    if (versions != nullptr) form.Add(arena, "versions", *versions);
    return form;
  }
  form.Add(arena, "version", Value::String((*versions)[0].GetString("name")));
  std::vector<std::string_view> moved;
  for (const Shared& shared : kShared) {
    if (!IsSame(*versions, shared.in_version)) continue;
    moved.push_back(shared.in_version);
    if (const Value* member = (*versions)[0].Find(shared.in_version)) form.Add(arena, shared.above, *member);
  }
  const Value list = Value::Array(arena, versions->size());
  for (const Value& version : versions->items()) list.Append(arena, CopyWithout(arena, version, moved));
  form.Add(arena, "versions", list);
  return form;
}

}  // namespace resources::apiextensions
