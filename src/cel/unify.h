// Bindings of type parameters, and the rules by which one type may stand for another while they are found out.
#pragma once

#include <utility>
#include <vector>

#include "cel/type.h"

namespace cel {

class Bindings {
 public:
  explicit Bindings(TypePool& types) : types_(types) {}

  const Type* NewVariable();
  // Whether `from` may be used where `to` is wanted; binds parameters if so, and leaves them as they were if not.
  bool Assign(const Type* from, const Type* to);
  bool AssignAll(std::span<const Type* const> from, std::span<const Type* const> to);
  // `type` with its bound parameters replaced; with `unbound_to_dyn` the others become dyn.
  const Type* Substitute(const Type* type, bool unbound_to_dyn);
  // `type` with the parameters of `names` replaced by the types of the same index.
  const Type* Instantiate(const Type* type, std::vector<std::pair<std::string_view, const Type*>>& names);

 private:
  const Type* Find(const Type& parameter) const;
  void Bind(const Type& parameter, const Type* to);
  void Undo(size_t mark);
  bool AssignInner(const Type* from, const Type* to, int depth);
  // Whether `parameter` may stand for `type`; `bound`: it already has another type.
  bool Fits(const Type* type, const Type* parameter, bool& bound, int depth);
  bool NotIn(const Type& type, const Type& within, int depth) const;

  struct Bound {
    std::string_view name;
    const Type* type;
  };
  struct Change {
    bool variable;
    size_t index;
    const Type* before;
  };
  TypePool& types_;
  std::vector<const Type*> variables_;  // of the checker's own parameters, by number
  std::vector<Bound> named_;
  std::vector<Change> changes_;
};

// The more general of two types that fit each other.
const Type* MostGeneral(const Type* a, const Type* b);

}  // namespace cel
