// What the stored objects of one namespace use of a quota. Asked by the controller that says it in the quota's status,
// and by admission where nobody has said it yet. Any thread; cost: counting decodes the pods, services and claims of
// the namespace where one of their quantities is limited, and counts keys for all else.
#pragma once

#include <chrono>
#include <span>
#include <string_view>

#include "api/pod_resources.h"
#include "registry/resource.h"
#include "store/store.h"
#include "value/value.h"

namespace registry {

// Adds to `used` what the objects of `resource` that are stored now use of `names` (names of the quota's spec.hard that
// api::CountsFor that resource), zeros too; `quota` is a whole ResourceQuota.
void CountQuotaUsage(store::Store& store, const Resource& resource, const Value& quota,
                     std::span<const std::string_view> names, std::chrono::system_clock::time_point now,
                     api::ResourceList& used);

// A list as it stands in a quota's status.
Value QuotaListValue(const api::ResourceList& list, Arena& arena);

}  // namespace registry
