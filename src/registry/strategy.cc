#include "registry/strategy.h"

#include <algorithm>
#include <ctime>
#include <set>
#include <string>

#include "base/text.h"
#include "registry/metadata_rules.h"
#include "registry/object_meta.h"
#include "registry/semantic_equality.h"
#include "value/json_writer.h"

namespace registry {
namespace {

constexpr size_t kMaxName = 63;
constexpr size_t kSuffix = 5;

constexpr std::string_view kTopOrder[] = {"kind", "apiVersion", "metadata"};
bool IsEnvelope(std::string_view member) { return std::ranges::find(kTopOrder, member) != std::end(kTopOrder); }

bool HasStatus(const Resource& resource) { return resource.FindSubresource("status") != nullptr; }

// Makes every member of `object` that is in neither metadata nor `but` what it is in `old`.
void KeepMembers(const Value& object, const Value& old, std::string_view but, Arena& arena) {
  const Value kept = object.Get(but);
  std::vector<value::Member> members;
  for (const value::Member& member : object.members()) {
    if (IsEnvelope(member.key)) members.push_back(member);
  }
  bool placed = kept.is_null();
  for (const value::Member& member : old.members()) {
    if (IsEnvelope(member.key)) continue;
    if (member.key != but) {
      members.push_back(member);
    } else if (!placed) {
      members.push_back({but, kept});
      placed = true;
    }
  }
  if (!placed) members.push_back({but, kept});
  object.Truncate(0);
  for (const value::Member& member : members) object.Add(arena, member.key, member.value);
}

// `member` of `object` as it is in `old`; in its place where both have it, else at the end (status is the last of every
// type's fields).
void KeepMember(const Value& object, const Value& old, std::string_view member, Arena& arena) {
  const Value* before = old.Find(member);
  if (before == nullptr) {
    object.Remove(member);
  } else {
    object.Set(arena, member, *before);
  }
}

void KeepMetadata(ObjectMeta& meta, const ObjectMeta& old, uint8_t parts) {
  if (parts == kWholeMetadata) {
    for (std::string_view key : {"generateName", "uid", "deletionGracePeriodSeconds"}) meta.Take(key, old);
  }
  if ((parts & kForStatus) == kForStatus) {
    for (std::string_view key : {"selfLink", "deletionTimestamp"}) meta.Take(key, old);
  }
  if ((parts & kLabels) != 0) meta.Take("labels", old);
  if ((parts & kAnnotations) != 0) meta.Take("annotations", old);
  if ((parts & kOwnerReferences) != 0) meta.Take("ownerReferences", old);
  if ((parts & kFinalizers) != 0) meta.Take("finalizers", old);
}

bool Changes(const schema::Type& type, const Value& object, const Value& old, std::span<const std::string_view> paths) {
  return std::ranges::any_of(paths, [&](std::string_view path) { return !SameAt(type, path, object, old); });
}

void PrepareForUpdate(WriteContext& context, const Value& object, const Value& old, ObjectMeta& meta,
                      const ObjectMeta& old_meta) {
  const Strategy& strategy = *context.resource.strategy;
  const StrategyFacts& facts = context.resource.strategy->facts();
  if (context.subresource == "status") {
    KeepMembers(object, old, "status", context.arena);
    KeepMetadata(meta, old_meta, facts.status_write_keeps);
  } else if (HasStatus(context.resource) && !facts.updates_with_status &&
             (context.subresource.empty() || context.subresource != facts.also_writes_status)) {
    KeepMember(object, old, "status", context.arena);
  }
  strategy.PrepareForUpdate(context, object, old);
  if (context.subresource.empty() && Changes(*context.resource.type, object, old, facts.generation_of)) {
    meta.SetGeneration(old_meta.generation() + 1);
  }
}

// What no update can change, whatever it says.
void KeepSystemFields(ObjectMeta& meta, const ObjectMeta& old) {
  if (meta.uid().empty()) meta.SetString("uid", old.uid());
  if (!old.creation_timestamp().empty()) meta.Take("creationTimestamp", old);
  if (old.deleting()) meta.Take("deletionTimestamp", old);
  if (old.deletion_grace_seconds() && !meta.deletion_grace_seconds()) meta.Take("deletionGracePeriodSeconds", old);
}

// The kind's own look at the metadata as a whole.
void CheckOwn(const StrategyFacts& facts, const ObjectMeta& meta, bool namespaced, api::FieldErrors& errors) {
  CheckMetadata(meta, namespaced, facts.check_name, errors);
  if (facts.strict_finalizers) CheckStrictFinalizers(meta, errors);
}

void CheckOwnUpdate(const StrategyFacts& facts, const ObjectMeta& meta, const ObjectMeta& old,
                    api::FieldErrors& errors) {
  CheckMetadataUpdate(meta, old, errors);
  if (facts.strict_finalizers) CheckStrictFinalizers(meta, errors);
}

// A kind's own validation of an update looks at metadata again: what was found is found as often. Of what was not, only
// its own rules for finalizers and, but for the status, for the beginnings of names can find something.
void RepeatChecks(const WriteContext& context, const ObjectMeta& meta, const ObjectMeta& old,
                  api::FieldErrors& errors) {
  using enum MetadataChecks;
  const StrategyFacts& facts = context.resource.strategy->facts();
  const bool namespaced = context.resource.namespaced;
  if (errors.empty()) {
    api::FieldErrors beyond;
    if (facts.strict_finalizers) CheckStrictFinalizers(meta, beyond);
    if (beyond.empty() && (context.subresource == "status" || meta.generate_name().empty())) return;
  }
  const MetadataChecks checks = facts.update_checks;
  if (checks == kFull || checks == kFullAndUpdate) CheckOwn(facts, meta, namespaced, errors);
  if (checks == kUpdate || checks == kUpdateAndFull || checks == kFullAndUpdate) {
    CheckOwnUpdate(facts, meta, old, errors);
  }
  if (checks == kUpdateAndFull) CheckOwn(facts, meta, namespaced, errors);
}

// What errors call the kind: that of the stored form, whichever version is asked. Custom resources are called what they
// say they are.
api::GroupKind KindOf(const Resource& resource, const Value& object) {
  const std::string_view kind = resource.custom ? object.GetString("kind") : std::string_view();
  return {resource.storage->group, kind.empty() ? std::string_view(resource.storage->kind) : kind};
}

void Finish(WriteContext& context, const Value& object, const Value* old) {
  const Strategy& strategy = *context.resource.strategy;
  strategy.WarnOnWrite(context, object, old);
  strategy.Canonicalise(context, object);
}

// Of seconds since 1970.
std::string SecondsText(std::time_t seconds) {
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char buffer[32];
  const size_t size = std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {buffer, size};
}

}  // namespace

std::string TimeText(std::chrono::system_clock::time_point time) {
  return SecondsText(std::chrono::system_clock::to_time_t(time));
}

std::string AddSeconds(std::string_view rfc3339, int64_t seconds) {
  std::tm parts{};
  if (strptime(std::string(rfc3339).c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr) return std::string(rfc3339);
  // Durations are nanoseconds in 64 bits there, and what is too long for them goes round.
  const auto wrapped = static_cast<int64_t>(static_cast<uint64_t>(seconds) * 1'000'000'000U);
  return SecondsText(timegm(&parts) + wrapped / 1'000'000'000);
}

std::string GenerateName(std::string_view base, base::Random& random) {
  return base::Cat(base.substr(0, kMaxName - kSuffix), base::NewNameSuffix(random, kSuffix));
}

void WipeSystemFields(ObjectMeta& meta) {
  for (std::string_view key :
       {"creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"}) {
    meta.SetString(key, "");
  }
}

api::Result<> MatchNamespace(const Resource& resource, std::string_view namespace_name, ObjectMeta& meta) {
  const std::string_view wanted = resource.namespaced ? namespace_name : std::string_view();
  const std::string_view has = meta.namespace_name();
  if (has == wanted) return {};
  if (!has.empty() && !wanted.empty()) {
    return api::Fail(
        api::BadRequest("the namespace of the provided object does not match the namespace sent on the request"));
  }
  meta.SetString("namespace", wanted);
  return {};
}

void DropRepeatedOwners(ObjectMeta& meta, bool is_patch, std::vector<std::string>& warnings) {
  const Value owners = meta.Get("ownerReferences");
  if (owners.size() < 2) return;
  std::set<std::string> seen;  // canonical trees: the same reference is the same text
  std::string repeated;
  uint32_t kept = 0;
  for (const Value& owner : owners.items()) {
    if (seen.insert(value::ToJson(owner)).second) {
      owners[kept++] = owner;
    } else {
      base::Append(repeated, repeated.empty() ? "" : ", ", owner.GetString("uid"));
    }
  }
  if (repeated.empty()) return;
  owners.Truncate(kept);
  warnings.push_back(base::Cat(".metadata.ownerReferences contains duplicate entries",
                               is_patch ? " after mutating admission happens" : "",
                               "; API server dedups owner references in 1.20+, and may reject such requests as early "
                               "as 1.24; please fix your requests; duplicate UID(s) observed: ",
                               repeated));
}

api::Result<> BeforeCreate(WriteContext& context, Value object, std::string_view namespace_name) {
  const Resource& resource = context.resource;
  const Strategy& strategy = *resource.strategy;
  const StrategyFacts& facts = resource.strategy->facts();
  ObjectMeta meta(object, context.arena);
  if (auto matched = MatchNamespace(resource, namespace_name, meta); !matched) return matched;
  if (facts.has_generation) meta.SetGeneration(1);
  if (HasStatus(resource) && !facts.creates_with_status) object.Remove("status");
  strategy.PrepareForCreate(context, object);

  api::FieldErrors errors;
  // A kind whose own validation does not look at metadata has it looked at afterwards, when all else is good.
  const bool metadata_last = facts.update_checks == MetadataChecks::kNone;
  if (!metadata_last) CheckOwn(facts, meta, resource.namespaced, errors);
  errors.Append(strategy.Validate(context, object));
  if (metadata_last && errors.empty()) CheckOwn(facts, meta, resource.namespaced, errors);
  // What the kind's own rule for names may have let pass.
  if (errors.empty() && !api::CheckPathSegment(meta.name()).empty()) {
    CheckMetadata(meta, resource.namespaced, nullptr, errors);
  }
  if (!errors.empty()) return api::Fail(api::Invalid(KindOf(resource, object), meta.name(), errors));
  Finish(context, object, nullptr);
  return {};
}

api::Result<> BeforeUpdate(WriteContext& context, Value object, const Value& old, std::string_view namespace_name) {
  const Resource& resource = context.resource;
  const Strategy& strategy = *resource.strategy;
  ObjectMeta meta(object, context.arena);
  const ObjectMeta old_meta(old);
  if (auto matched = MatchNamespace(resource, namespace_name, meta); !matched) return matched;
  meta.SetGeneration(old_meta.generation());
  PrepareForUpdate(context, object, old, meta, old_meta);
  meta = ObjectMeta(object, context.arena);  // the kind's own preparation may have put another in its place
  KeepSystemFields(meta, old_meta);

  api::FieldErrors errors;
  CheckMetadata(meta, resource.namespaced, nullptr, errors);
  CheckMetadataUpdate(meta, old_meta, errors);
  RepeatChecks(context, meta, old_meta, errors);
  errors.Append(strategy.ValidateUpdate(context, object, old));
  if (!errors.empty()) return api::Fail(api::Invalid(KindOf(resource, object), meta.name(), errors));
  Finish(context, object, &old);
  return {};
}

}  // namespace registry
