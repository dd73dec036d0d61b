#include "resources/conversions.h"

namespace resources {

namespace {

constexpr Conversion kConversions[] = {
    {"autoscaling", "v1", "HorizontalPodAutoscaler", autoscaling::HorizontalPodAutoscalerToV1,
     autoscaling::HorizontalPodAutoscalerToV2},
    {"events.k8s.io", "v1", "Event", core::EventToEventsGroup, core::EventFromEventsGroup},
    {"resource.k8s.io", "v1alpha3", "ResourceSlice", resource::ResourceSliceToV1alpha3,
     resource::ResourceSliceToV1beta1},
};

}  // namespace

const Conversion* FindConversion(std::string_view group, std::string_view version, std::string_view kind) {
  for (const Conversion& conversion : kConversions) {
    if (conversion.kind == kind && conversion.group == group && conversion.version == version) return &conversion;
  }
  return nullptr;
}

}  // namespace resources
