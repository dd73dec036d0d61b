// The one table of conversions between the stored form of a kind and its other served versions, where they differ in
// more than apiVersion. Trees are canonical, with kind and apiVersion of their version; results share strings with
// their source, which stays as it is, and live in `arena`. Pure functions, any thread.
#pragma once

#include <string_view>

#include "value/value.h"

namespace resources {

struct Conversion {
  std::string_view group, version, kind;  // of the served form
  value::Value (*from_storage)(value::Arena& arena, const value::Value& stored);
  value::Value (*to_storage)(value::Arena& arena, const value::Value& served);
};

// Null where the served form is the stored one.
const Conversion* FindConversion(std::string_view group, std::string_view version, std::string_view kind);

// autoscaling/horizontal_pod_autoscaler_conversion.cc: v1 keeps in annotations what it has no fields for.
namespace autoscaling {
value::Value HorizontalPodAutoscalerToV1(value::Arena& arena, const value::Value& v2);
value::Value HorizontalPodAutoscalerToV2(value::Arena& arena, const value::Value& v1);
// Those annotations say nothing in v2, and are not kept there.
void DropAnnotationsOfV1(const value::Value& v2);
}  // namespace autoscaling

// core/event_conversion.cc: the same events under other names in events.k8s.io.
namespace core {
value::Value EventToEventsGroup(value::Arena& arena, const value::Value& core_event);
value::Value EventFromEventsGroup(value::Arena& arena, const value::Value& event);
}  // namespace core

// resource/resource_slice_conversion.cc: what a device has of a capacity is a quantity in v1alpha3, an object in
// v1beta1.
namespace resource {
value::Value ResourceSliceToV1alpha3(value::Arena& arena, const value::Value& v1beta1);
value::Value ResourceSliceToV1beta1(value::Arena& arena, const value::Value& v1alpha3);
}  // namespace resource

}  // namespace resources
