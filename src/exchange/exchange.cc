#include "exchange/exchange.h"

#include <algorithm>

namespace exchange {

std::string_view Headers::Get(std::string_view name) const {
  for (const auto& [field, value] : fields_) {
    if (field == name) return value;
  }
  return {};
}

bool Headers::Has(std::string_view name) const {
  return std::ranges::any_of(fields_, [name](const auto& field) { return field.first == name; });
}

std::vector<std::string_view> Headers::All(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [field, value] : fields_) {
    if (field == name) values.push_back(value);
  }
  return values;
}

void Headers::Set(std::string_view name, std::string value) {
  auto first = std::ranges::find_if(fields_, [name](const auto& field) { return field.first == name; });
  if (first == fields_.end()) {
    fields_.emplace_back(std::string(name), std::move(value));
    return;
  }
  first->second = std::move(value);
  auto repeated = std::remove_if(first + 1, fields_.end(), [name](const auto& field) { return field.first == name; });
  fields_.erase(repeated, fields_.end());
}

void Headers::Remove(std::string_view name) {
  std::erase_if(fields_, [name](const auto& field) { return field.first == name; });
}

}  // namespace exchange
