// The address families of a service on a cluster that has one or two of them. Called before addresses are taken.
#pragma once

#include <span>
#include <string_view>

#include "api/error.h"
#include "registry/resource.h"
#include "value/value.h"

namespace resources::core {

using value::Value;

// On update: what a client that does not know the fields left out is what it was; clusterIP and clusterIPs follow each
// other. `old` is null on create.
void NormaliseAddresses(registry::WriteContext& context, const Value& service, const Value* old);

// Fills in ipFamilyPolicy and ipFamilies, or says why they cannot be had. `families` are the cluster's, its default
// first.
api::FieldErrors FillFamilies(registry::WriteContext& context, const Value& service, const Value* old,
                              std::span<const std::string_view> families);

// Whether the fields of an update stay as they were and leave it to the cluster how many families there are: such a
// service neither gains nor loses an address.
bool KeepsPreferredFamilies(const Value& service, const Value* old);

}  // namespace resources::core
