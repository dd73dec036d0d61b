#include "auth/escalation.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_set.h"
#include "absl/functional/function_ref.h"
#include "api/quote.h"
#include "base/text.h"

namespace auth {
namespace {

using Words = std::vector<std::string>;

constexpr size_t kMostComparisons = 3'000'000;   // of 64 rules each, for one role: some tenths of a second
constexpr size_t kMostMissingBytes = 256 << 10;  // of words in a refusal

// A set of the held rules: a bit for each.
using RuleSet = std::vector<uint64_t>;

bool IsEmpty(const RuleSet& set) {
  return std::ranges::all_of(set, [](uint64_t bits) { return bits == 0; });
}

RuleSet Both(const RuleSet& a, const RuleSet& b) {
  RuleSet both = a;
  for (size_t i = 0; i < both.size(); ++i) both[i] &= b[i];
  return both;
}

// Which of the held rules cover a word of one of their lists.
class Coverage {
 public:
  explicit Coverage(size_t rules) : always_((rules + 63) / 64) {}

  // A rule covers every word, or this one, or all that begin so.
  void AddAlways(size_t rule) { Put(always_, rule); }
  void AddWord(std::string_view word, size_t rule) { by_word_[word].push_back(rule); }
  void AddPrefix(std::string_view prefix, size_t rule) {
    by_prefix_[prefix].push_back(rule);
    lengths_.insert(prefix.size());
  }

  const RuleSet& always() const { return always_; }
  RuleSet Of(std::string_view word) const {
    RuleSet set = always_;
    Put(set, by_word_, word);
    for (auto length = lengths_.begin(); length != lengths_.end() && *length <= word.size(); ++length) {
      Put(set, by_prefix_, word.substr(0, *length));
    }
    return set;
  }
  // What covers `resource`, of which a subresource may be held of all resources.
  RuleSet OfResource(std::string_view resource) const {
    RuleSet set = Of(resource);
    const size_t slash = resource.find('/');
    if (slash != std::string_view::npos) Put(set, by_word_, base::Cat("*", resource.substr(slash)));
    return set;
  }

 private:
  using Rules = absl::flat_hash_map<std::string_view, std::vector<size_t>>;
  static void Put(RuleSet& set, size_t rule) { set[rule / 64] |= uint64_t{1} << rule % 64; }
  static void Put(RuleSet& set, const Rules& rules, std::string_view word) {
    const auto found = rules.find(word);
    if (found == rules.end()) return;
    for (size_t rule : found->second) Put(set, rule);
  }

  RuleSet always_;
  Rules by_word_, by_prefix_;
  std::set<size_t> lengths_;  // of the prefixes
};

// One list of a granted rule: its words, and the sets of held rules that cover them, each different one once.
class List {
 public:
  size_t size() const { return words_.size(); }
  std::string_view word(size_t i) const { return words_[i].first; }
  const RuleSet& set(size_t i) const { return *words_[i].second; }
  const absl::node_hash_set<RuleSet>& sets() const { return sets_; }
  void Add(std::string_view word, RuleSet set) { words_.emplace_back(word, &*sets_.insert(std::move(set)).first); }

 private:
  absl::node_hash_set<RuleSet> sets_;
  std::vector<std::pair<std::string_view, const RuleSet*>> words_;
};

// Which of all that a granted rule allows, one word of each of its lists, no held rule covers. The lists are compared
// by the few different sets of rules that cover their words, never word by word with each other; where even these have
// too many combinations, `exhausted` says that the answer is not known.
class Comparison {
 public:
  // Called with the place of a word in each list; false ends the search.
  using Found = absl::FunctionRef<bool(std::span<const size_t>)>;

  Comparison(std::span<const List* const> lists, size_t rules, size_t& steps)
      : lists_(lists), covered_(lists.size()), whole_((rules + 63) / 64, ~uint64_t{0}), steps_(steps) {}

  // Each combination that is not covered, up to where it takes too many steps.
  void ForEach(Found found) {
    std::vector<size_t> at(lists_.size());
    if (!Covered(0, whole_)) Walk(0, whole_, at, found);
  }
  bool exhausted() const { return exhausted_; }

 private:
  // Whether all combinations of the lists from `level` on are covered by rules of `held`.
  bool Covered(size_t level, const RuleSet& held) {
    if (IsEmpty(held)) {
      return std::any_of(lists_.begin() + static_cast<std::ptrdiff_t>(level), lists_.end(),
                         [](const List* list) { return list->size() == 0; });
    }
    if (level == lists_.size()) return true;
    if (const auto known = covered_[level].find(held); known != covered_[level].end()) return known->second;
    bool covered = true;
    for (const RuleSet& set : lists_[level]->sets()) {
      if (!Step(held.size())) return false;
      covered = Covered(level + 1, Both(held, set));
      if (!covered) break;
    }
    if (!exhausted_) covered_[level].emplace(held, covered);
    return covered;
  }

  bool Walk(size_t level, const RuleSet& held, std::vector<size_t>& at, Found found) {
    if (level == lists_.size()) return !IsEmpty(held) || found(at);
    const List& list = *lists_[level];
    for (size_t i = 0; i < list.size(); ++i) {
      if (!Step(held.size())) return false;
      const RuleSet both = Both(held, list.set(i));
      if (Covered(level + 1, both)) continue;
      at[level] = i;
      if (!Walk(level + 1, both, at, found)) return false;
    }
    return true;
  }

  bool Step(size_t words) {
    steps_ += 1 + words;
    exhausted_ = exhausted_ || steps_ > kMostComparisons;
    return !exhausted_;
  }

  std::span<const List* const> lists_;
  std::vector<absl::flat_hash_map<RuleSet, bool>> covered_;  // by level: what is known
  RuleSet whole_;
  size_t& steps_;
  bool exhausted_ = false;
};

// What is granted and not held: each part for itself, or gathered as the refusal lists it, parts of the same resource
// as one with all their verbs.
class Missing {
 public:
  explicit Missing(bool gathers) : gathers_(gathers) {}

  // False: there is no room for more.
  bool AddResource(std::string_view group, std::string_view resource, std::string_view verb,
                   std::optional<std::string_view> name) {
    if (!gathers_) places_.clear();
    const auto [place, fresh] = places_.try_emplace(std::tuple(group, resource, name), rules_.size());
    if (fresh) {
      PolicyRule& rule = rules_.emplace_back();
      rule.groups.emplace_back(group);
      rule.resources.emplace_back(resource);
      if (name) rule.resource_names.emplace_back(*name);
    }
    rules_[place->second].verbs.emplace_back(verb);
    return Count(verb.size() + (fresh ? group.size() + resource.size() + name.value_or("").size() : 0));
  }
  bool AddUrl(std::string_view url, std::string_view verb) {
    PolicyRule& rule = rules_.emplace_back();
    rule.urls.emplace_back(url);
    rule.verbs.emplace_back(verb);
    return Count(url.size() + verb.size());
  }

  const PolicyRules& rules() const { return rules_; }
  bool full() const { return bytes_ >= kMostMissingBytes; }

 private:
  bool Count(size_t bytes) {
    constexpr size_t kBytesOfWord = 16;
    bytes_ += kBytesOfWord + bytes;
    return !full();
  }

  bool gathers_;
  PolicyRules rules_;
  absl::flat_hash_map<std::tuple<std::string_view, std::string_view, std::optional<std::string_view>>, size_t> places_;
  size_t bytes_ = 0;
};

// The held rules, by what they cover.
class Held {
 public:
  explicit Held(const PolicyRules& held)
      : count_(held.size()), verbs_(count_), groups_(count_), resources_(count_), names_(count_), urls_(count_) {
    for (size_t rule = 0; rule < held.size(); ++rule) Add(held[rule], rule);
  }

  // Adds what of `granted` is not covered; false where that is not known, or there is no room for more of it.
  bool Compare(const PolicyRule& granted, Missing& missing) {
    List verbs, groups, resources, names, urls;
    for (std::string_view verb : granted.verbs) verbs.Add(verb, verbs_.Of(verb));
    for (std::string_view group : granted.groups) groups.Add(group, groups_.Of(group));
    for (std::string_view resource : granted.resources) resources.Add(resource, resources_.OfResource(resource));
    for (std::string_view name : granted.resource_names) names.Add(name, names_.Of(name));
    const bool is_named = names.size() > 0;
    if (!is_named) names.Add("", names_.always());
    for (std::string_view url : granted.urls) urls.Add(url, Both(urls_.Of(url), names_.always()));

    const std::array<const List*, 4> of_resource{&groups, &resources, &verbs, &names};
    Comparison resource_parts(of_resource, count_, steps_);
    resource_parts.ForEach([&](std::span<const size_t> at) {
      return missing.AddResource(groups.word(at[0]), resources.word(at[1]), verbs.word(at[2]),
                                 is_named ? std::optional(names.word(at[3])) : std::nullopt);
    });
    const std::array<const List*, 2> of_url{&urls, &verbs};
    Comparison url_parts(of_url, count_, steps_);
    url_parts.ForEach([&](std::span<const size_t> at) { return missing.AddUrl(urls.word(at[0]), verbs.word(at[1])); });
    return !resource_parts.exhausted() && !url_parts.exhausted() && !missing.full();
  }

 private:
  void Add(const PolicyRule& held, size_t rule) {
    const auto add = [rule](const Words& words, Coverage& coverage) {
      for (std::string_view word : words) word == "*" ? coverage.AddAlways(rule) : coverage.AddWord(word, rule);
    };
    add(held.verbs, verbs_);
    add(held.groups, groups_);
    add(held.resources, resources_);
    if (held.resource_names.empty()) names_.AddAlways(rule);
    for (std::string_view name : held.resource_names) names_.AddWord(name, rule);
    for (std::string_view url : held.urls) AddUrl(url, rule);
  }

  void AddUrl(std::string_view url, size_t rule) {
    urls_.AddWord(url, rule);
    if (!url.ends_with('*')) return;
    while (url.ends_with('*')) url.remove_suffix(1);
    urls_.AddPrefix(url, rule);
  }

  size_t count_;
  Coverage verbs_, groups_, resources_, names_, urls_;
  size_t steps_ = 0;
};

std::string Quoted(const Words& words) {
  Words quoted;
  std::ranges::transform(words, std::back_inserter(quoted), [](const std::string& word) { return api::Quote(word); });
  return base::Cat("[", base::Join(quoted, " "), "]");
}

std::string Described(const PolicyRule& rule) {
  Words parts;
  const auto add = [&](std::string_view name, const Words& words) {
    if (!words.empty()) parts.push_back(base::Cat(name, ":", Quoted(words)));
  };
  add("APIGroups", rule.groups);
  add("Resources", rule.resources);
  add("NonResourceURLs", rule.urls);
  add("ResourceNames", rule.resource_names);
  add("Verbs", rule.verbs);
  return base::Cat("{", base::Join(parts, ", "), "}");
}

}  // namespace

PolicyRules Uncovered(const PolicyRules& held, const PolicyRules& granted) {
  Held own(held);
  Missing missing(/*gathers=*/false);
  for (const PolicyRule& rule : granted) own.Compare(rule, missing);
  return missing.rules();
}

std::string Escalation(const api::User& user, const UserRules& held, const PolicyRules& granted) {
  Held own(held.rules);
  Missing missing(/*gathers=*/true);
  const bool all_told =
      std::ranges::all_of(granted, [&](const PolicyRule& rule) { return own.Compare(rule, missing); });
  if (all_told && missing.rules().empty()) return {};
  std::set<std::string> lines;
  for (const PolicyRule& rule : missing.rules()) lines.insert(Described(rule));
  std::string text = base::Cat("user ", api::Quote(user.name), " (groups=", Quoted(user.groups),
                               ") is attempting to grant RBAC permissions not currently held:\n",
                               base::Join(Words(lines.begin(), lines.end()), "\n"));
  if (!all_told) text += lines.empty() ? "the rules have too many combinations to compare" : "\n...";
  if (held.errors.empty()) return text;
  const std::string errors = base::Join(held.errors, ", ");
  return base::Cat(text, "; resolution errors: [", held.errors.size() == 1 ? errors : base::Cat("[", errors, "]"), "]");
}

PolicyRules FullAuthority() {
  return {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}, .resource_names = {}, .urls = {}},
          {.verbs = {"*"}, .groups = {}, .resources = {}, .resource_names = {}, .urls = {"*"}}};
}

}  // namespace auth
