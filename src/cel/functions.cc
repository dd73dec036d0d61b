#include "cel/functions.h"

#include <array>
#include <string>

#include "absl/container/flat_hash_map.h"

namespace cel {
namespace {

struct Row {
  OverloadId id;
  std::string_view function, name;
  bool member;
  std::string_view arguments, result;
  Since since;
  Binding binding;
};

constexpr Row kRows[] = {
#define CEL_OVERLOAD(enumerator, function, name, member, arguments, result, since, binding) \
  {OverloadId::enumerator, function, name, member, arguments, result, Since::since, Binding::binding},
#include "cel/overloads.inc"
#undef CEL_OVERLOAD
};

bool HasParameter(const Type& type) {
  if (type.kind == TypeKind::kParam) return true;
  for (const Type* parameter : type.parameters) {
    if (HasParameter(*parameter)) return true;
  }
  return false;
}

// The table with its types made.
struct Table {
  TypePool types;
  std::vector<Function> functions;
  absl::flat_hash_map<std::string_view, size_t> by_name;
  std::array<std::pair<size_t, size_t>, static_cast<size_t>(OverloadId::kCount)> places{};

  Table() {
    for (const Row& row : kRows) {
      auto [found, added] = by_name.try_emplace(row.function, functions.size());
      if (added) functions.push_back({row.function, {}});
      Function& function = functions[found->second];
      Overload overload{
          .id = row.id, .name = row.name, .member = row.member, .since = row.since, .binding = row.binding};
      std::vector<const Type*> arguments;
      for (std::string_view rest = row.arguments; !rest.empty();) {
        std::string_view one = rest.substr(0, rest.find('|'));
        rest.remove_prefix(std::min(one.size() + 1, rest.size()));
        arguments.push_back(types.Parse(one));
      }
      auto* kept = types.arena().AllocateArray<const Type*>(arguments.size());
      std::copy(arguments.begin(), arguments.end(), kept);
      overload.arguments = {kept, arguments.size()};
      overload.result = types.Parse(row.result);
      overload.parametric = HasParameter(*overload.result);
      for (const Type* argument : arguments) overload.parametric |= HasParameter(*argument);
      places[static_cast<size_t>(row.id)] = {found->second, function.overloads.size()};
      function.overloads.push_back(overload);
    }
  }
};

const Table& TheTable() {
  static const Table table;
  return table;
}

}  // namespace

const Function* FindFunction(std::string_view name) {
  const Table& table = TheTable();
  auto found = table.by_name.find(name);
  return found == table.by_name.end() ? nullptr : &table.functions[found->second];
}

const Overload& OverloadOf(OverloadId id) {
  const Table& table = TheTable();
  auto [function, overload] = table.places[static_cast<size_t>(id)];
  return table.functions[function].overloads[overload];
}

std::span<const Function> AllFunctions() { return TheTable().functions; }

}  // namespace cel
