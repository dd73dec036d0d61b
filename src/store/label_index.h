// LabelIndex: for each term the objects of one collection that have it, in the newest version that it was brought up to.
// A collection makes it when somebody first selects by a term, and brings it up along its event log when somebody does
// again: writes pay nothing, and what nobody asks for costs nothing.
//
// It answers for a past version as well where it can: as long as no object has lost the term since. Which terms were
// lost when is kept by groups of terms, so it may say no without need, never yes without reason.
//
// Threads: guarded by the collection's terms mutex; the trees it gives are copies, of the caller's own. Memory: about
// 10 bytes for each object and term of it, 40 to 80 for each term.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "store/candidates.h"
#include "store/event.h"

namespace store {

// Appends the terms of an object. Pure; called by readers for every object of a collection that is selected from.
using TermsOf = void (*)(const Cell& cell, std::vector<Term>& terms);

class LabelIndex {
 public:
  // `terms_of` null: nothing has terms.
  explicit LabelIndex(TermsOf terms_of) : terms_of_(terms_of) {}

  bool usable() const { return terms_of_ != nullptr; }
  bool built() const { return built_; }
  uint64_t position() const { return position_; }  // of the first event that is not in it

  // Starts again from the version of that revision and position. O(n log n).
  void Build(const Tree& tree, Revision revision, uint64_t position);
  // Before a number of events that are played without a Find() between.
  void BeginPlay() { ++edit_; }
  // The event at position().
  void Play(const Event& event);
  void Clear();

  // The objects that have each of the terms, if the index is sure that none is missing that had one at `revision`,
  // which is not later than what it was brought up to.
  std::optional<std::vector<Tree>> Find(std::span<const Term> terms, Revision revision) const;

 private:
  static constexpr size_t kGroups = 256;
  static size_t GroupOf(Term term) { return static_cast<uint64_t>(term) % kGroups; }
  // The terms of the cell, sorted, each once, in `terms`.
  void Collect(const Cell* cell, std::vector<Term>& terms) const;
  void Remove(Term term, const Event& event);

  const TermsOf terms_of_;
  bool built_ = false;
  uint64_t position_ = 0;
  uint64_t edit_ = 0;
  absl::flat_hash_map<Term, Tree> holders_;
  Revision built_at_;                   // what was lost before is not known
  std::array<Revision, kGroups> lost_;  // when an object last lost a term of the group
  std::vector<Term> before_, now_;      // of the event being played
};

}  // namespace store
