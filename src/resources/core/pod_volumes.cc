#include "resources/core/pod_rules.h"

namespace resources::core {

void CheckPodVolumes(Scope& spec, SoundVolumes& sound) {
  for (const Value& volume : spec.Get("volumes").items()) sound.Add(volume);
}

}  // namespace resources::core
