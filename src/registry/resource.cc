#include "registry/resource.h"

#include <algorithm>

namespace registry {

bool Resource::HasVerb(std::string_view verb) const { return std::ranges::find(verbs, verb) != verbs.end(); }

const Subresource* Resource::FindSubresource(std::string_view name) const {
  auto found = std::ranges::find(subresources, name, &Subresource::name);
  return found == subresources.end() ? nullptr : &*found;
}

const SelectableField* Resource::FindSelectableField(std::string_view label) const {
  auto found = std::ranges::find(selectable_fields, label, &SelectableField::label);
  return found == selectable_fields.end() ? nullptr : &*found;
}

}  // namespace registry
