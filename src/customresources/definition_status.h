// The status of a custom resource definition as pure functions: which names it gets, and its conditions. In the real
// server these are controllers that write one after the other (naming, establishing, nonstructuralschema, apiapproval,
// finalizer); here one call gives what they come to. Definitions are canonical trees. Any thread.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "value/arena.h"
#include "value/value.h"

namespace customresources {

struct Condition {
  std::string_view type;  // static text, as are status and reason
  std::string_view status, reason;
  std::string message;
};

// The names that definitions of one group have been given, those of the definition that is looked at included.
struct UsedNames {
  std::set<std::string, std::less<>> resources;  // plural, singular, short ones
  std::set<std::string, std::less<>> kinds;      // kinds and kinds of lists
  void Add(const value::Value& definition);      // takes its status.acceptedNames
};

struct NamesOutcome {
  value::Value accepted;  // status.acceptedNames
  Condition names_accepted;
  Condition established;  // False where it is not established yet
};
// What names `definition` gets where `used` are taken.
NamesOutcome DecideNames(value::Arena& arena, const value::Value& definition, const UsedNames& used);

// Groups of the Kubernetes project ask for an approval; nullopt for all others.
std::optional<Condition> ApprovalCondition(const value::Value& definition);

// Sets a condition of `status`, at its place or at the end; `now` (RFC 3339, lives as long as the arena) is kept where
// its status changes. True where something changed.
bool SetCondition(value::Arena& arena, value::Value status, const Condition& condition, std::string_view now);
bool RemoveCondition(value::Value status, std::string_view type);
// The status of a condition; "" where there is none.
std::string_view ConditionStatus(const value::Value& definition, std::string_view type);

struct StatusInput {
  const UsedNames* used = nullptr;
  std::string_view now;
  // Of a conversion webhook's CA bundle: with a bad one a definition is not established.
  bool bad_ca_bundle = false;
  // What is not structural in its schemas, as one line; "" nothing. (Stored definitions of before; new ones are
  // refused.)
  std::string_view structural_errors;
};
// Brings `definition`'s status to what the controllers would come to without waiting: accepted names, NamesAccepted,
// Established, approval, NonStructuralSchema. True where something changed. `definition` owns its tree.
bool ReconcileStatus(value::Arena& arena, value::Value definition, const StatusInput& input);

// Of a definition that is deleted while it has the clean-up finalizer.
Condition TerminatingInProgress();
Condition TerminatingCompleted();         // "removed all instances"
Condition TerminatingNeverEstablished();  // nothing was there
Condition TerminatingOverlapping();       // its storage is a built-in resource's
inline constexpr std::string_view kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

}  // namespace customresources
