#include "store/label_index.h"

#include <algorithm>
#include <utility>

namespace store {

void LabelIndex::Collect(const Cell* cell, std::vector<Term>& terms) const {
  terms.clear();
  if (cell == nullptr) return;
  terms_of_(*cell, terms);
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
}

void LabelIndex::Build(const Tree& tree, Revision revision, uint64_t position) {
  Clear();
  struct Entry {
    Term term;
    uint32_t order;  // of the cell by its key
    const Cell* cell;
  };
  std::vector<Entry> entries;
  entries.reserve(tree.size());
  uint32_t order = 0;
  for (TreeCursor cursor(tree, ""); const Cell* cell = cursor.Next(); ++order) {
    Collect(cell, now_);
    for (const Term term : now_) entries.push_back({term, order, cell});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::pair(a.term, a.order) < std::pair(b.term, b.order); });
  std::vector<CellRef> cells;
  for (size_t from = 0, to = 0; from < entries.size(); from = to) {
    cells.clear();
    for (to = from; to < entries.size() && entries[to].term == entries[from].term; ++to) {
      cells.emplace_back(entries[to].cell);
    }
    holders_.emplace(entries[from].term, Tree::Build(cells));
  }
  built_ = true;
  built_at_ = revision;
  position_ = position;
}

void LabelIndex::Play(const Event& event) {
  ++position_;
  const bool deleted = event.type() == EventType::kDeleted;
  Collect(event.previous(), before_);
  Collect(deleted ? nullptr : &event.cell(), now_);
  for (const Term term : before_) {
    if (!std::binary_search(now_.begin(), now_.end(), term)) Remove(term, event);
  }
  for (const Term term : now_) holders_[term].Put(event.cell_ref(), Edit(edit_));
}

void LabelIndex::Remove(Term term, const Event& event) {
  lost_[GroupOf(term)] = event.revision();
  const auto found = holders_.find(term);
  if (found == holders_.end()) return;
  found->second.Erase(event.cell().key(), Edit(edit_));
  if (found->second.size() == 0) holders_.erase(found);
}

void LabelIndex::Clear() {
  holders_ = {};
  built_ = false;
  lost_ = {};
}

std::optional<std::vector<Tree>> LabelIndex::Find(std::span<const Term> terms, Revision revision) const {
  if (!built_ || revision < built_at_) return std::nullopt;
  std::vector<Tree> found;
  for (const Term term : terms) {
    if (revision < lost_[GroupOf(term)]) return std::nullopt;
    if (const auto holders = holders_.find(term); holders != holders_.end()) found.push_back(holders->second);
  }
  return found;
}

}  // namespace store
