// Where volumes come from: the kinds of source that the volumes of pods and persistent volumes share, and how a volume
// that may have one of many is checked. Pure; any thread.
#pragma once

#include <span>
#include <string_view>

#include "resources/rules/rules.h"

namespace resources::core {

// One kind of source that a volume may have, in a table in the real server's order.
struct VolumeSource {
  std::string_view field;
  ScopeCheck check;                // over the source, whose scope has the volume's as parent
  std::string_view path = {};      // how errors within name the field, where that differs
  std::string_view surplus = {};   // how the error names it that refuses a second source, where that differs
  bool beside_others = false;      // may stand beside another source
  ScopeCheck of_volume = nullptr;  // over the volume, after the source, even where that is one too many
};

// Over a volume, as it stands in a pod or as the spec of a persistent volume: exactly one of `sources`, without fault.
void CheckVolumeSources(Scope& volume, std::span<const VolumeSource> sources);

// Over a source of that kind: what pods and persistent volumes both ask of it.
void CheckHostPath(Scope& source);
void CheckGcePersistentDisk(Scope& source);
void CheckAwsElasticBlockStore(Scope& source);
void CheckNfs(Scope& source);
void CheckRbd(Scope& source);
void CheckQuobyte(Scope& source);
void CheckCephFs(Scope& source);
void CheckFc(Scope& source);
void CheckFlexVolume(Scope& source);
void CheckVsphereVolume(Scope& source);
void CheckPhotonPersistentDisk(Scope& source);
void CheckPortworxVolume(Scope& source);
void CheckAzureDisk(Scope& source);
void CheckScaleIo(Scope& source);
void CheckFlocker(Scope& source);
void CheckGlusterfs(Scope& source);
void CheckAzureFile(Scope& source);
void CheckCinder(Scope& source);
void CheckStorageOs(Scope& source);

// Over an ISCSI source; the two kinds of volume differ in words and in what they ask of the secret.
void CheckPodIscsi(Scope& iscsi);
void CheckPersistentIscsi(Scope& iscsi);

// A name of a CSI driver, which the real server looks at in lower case.
void CheckCsiDriverName(Errors& errors, const FieldPath& path, std::string_view name);

// Paths within a volume or on a node: relative, no way up, no name that begins with two dots.
void CheckNoBacksteps(Errors& errors, const FieldPath& path, std::string_view text);
void CheckRelativePath(Errors& errors, const FieldPath& path, std::string_view text);
void CheckUnreservedPath(Errors& errors, const FieldPath& path, std::string_view text);

}  // namespace resources::core
