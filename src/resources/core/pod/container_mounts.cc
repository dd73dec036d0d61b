#include <algorithm>
#include <map>
#include <set>

#include "resources/core/pod/container_rules.h"
#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

// The names in a list of mounts or devices, and their paths: of a name's paths the last.
struct Places {
  Places(const Value& list, std::string_view field) {
    std::map<std::string_view, std::string_view> by_name;
    for (const Value& item : list.items()) by_name[item.GetString("name")] = item.GetString(field);
    for (const auto& [name, path] : by_name) names.insert(name), paths.insert(path);
  }
  std::set<std::string_view> names, paths;
};

bool HasBacksteps(std::string_view path) {
  while (true) {
    const size_t slash = path.find('/');
    if (path.substr(0, slash) == "..") return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

bool IsPrivileged(const Scope& container) {
  const Value privileged = container.object.Get({"securityContext", "privileged"});
  return privileged.is_bool() && privileged.AsBool();
}

// The errors of these stand at the list of mounts, not at the mount.
void CheckPropagation(Scope& container, const FieldPath& path, const Value& mount) {
  constexpr std::string_view kModes[] = {"Bidirectional", "HostToContainer", "None"};
  if (mount.Find("mountPropagation") == nullptr) return;
  const std::string_view mode = mount.GetString("mountPropagation");
  if (std::ranges::find(kModes, mode) == std::end(kModes)) container.errors.NotSupported(path, mode, kModes);
  if (mode == "Bidirectional" && !IsPrivileged(container)) {
    container.errors.Forbidden(path, "Bidirectional mount propagation is available only to privileged containers");
  }
}

void CheckRecursiveReadOnly(Errors& errors, const FieldPath& path, const Value& mount) {
  constexpr std::string_view kModes[] = {"Disabled", "Enabled", "IfPossible"};
  if (mount.Find("recursiveReadOnly") == nullptr) return;
  const std::string_view mode = mount.GetString("recursiveReadOnly");
  if (mode == "Disabled") return;
  if (std::ranges::find(kModes, mode) == std::end(kModes)) return errors.NotSupported(path, mode, kModes);
  const Value read_only = mount.Get("readOnly");
  if (!read_only.is_bool() || !read_only.AsBool()) {
    errors.Forbidden(path, "may only be specified when readOnly is true");
  }
  if (mount.Find("mountPropagation") != nullptr && mount.GetString("mountPropagation") != "None") {
    errors.Forbidden(path, "may only be specified when mountPropagation is None or not specified");
  }
}

void CheckSubPaths(Errors& errors, const FieldPath& list, const FieldPath& at, const Value& mount,
                   const Value* volume) {
  const std::string_view path = mount.GetString("subPath"), expression = mount.GetString("subPathExpr");
  if (volume != nullptr && volume->Find("image") != nullptr) {
    constexpr std::string_view kNotOfImages = "not allowed in image volume sources";
    if (!path.empty()) errors.Invalid(at.Child("subPath"), path, kNotOfImages);
    if (!expression.empty()) errors.Invalid(at.Child("subPathExpr"), expression, kNotOfImages);
  }
  if (!path.empty()) CheckDescendingPath(errors, list.Child("subPath"), path);
  if (expression.empty()) return;
  if (!path.empty()) {
    errors.Invalid(at.Child("subPathExpr"), expression, "subPathExpr and subPath are mutually exclusive");
  }
  CheckDescendingPath(errors, list.Child("subPathExpr"), expression);
}

}  // namespace

void CheckVolumeMounts(Scope& container, const SoundVolumes& volumes) {
  Errors& errors = container.errors;
  const Places devices(container.Get("volumeDevices"), "devicePath");
  const FieldPath list = container.At("volumeMounts");
  std::set<std::string_view> paths;
  int64_t index = 0;
  for (const Value& mount : container.Get("volumeMounts").items()) {
    const FieldPath at = list.Index(index++);
    const FieldPath at_name = at.Child("name"), at_path = at.Child("mountPath");
    const std::string_view name = mount.GetString("name"), path = mount.GetString("mountPath");
    const Value* volume = volumes.Find(name);
    if (name.empty()) errors.Required(at_name);
    if (volume == nullptr) errors.NotFound(at_name, name);
    if (path.empty()) errors.Required(at_path);
    if (!paths.insert(path).second) errors.Invalid(at_path, path, "must be unique");
    if (devices.names.contains(name)) errors.Invalid(at_name, name, "must not already exist in volumeDevices");
    if (devices.paths.contains(path))
      errors.Invalid(at_path, path, "must not already exist as a path in volumeDevices");
    CheckSubPaths(errors, list, at, mount, volume);
    CheckPropagation(container, list.Child("mountPropagation"), mount);
    CheckRecursiveReadOnly(errors, list.Child("recursiveReadOnly"), mount);
  }
}

void CheckVolumeDevices(Scope& container, const SoundVolumes& volumes) {
  Errors& errors = container.errors;
  const Places mounts(container.Get("volumeMounts"), "mountPath");
  const FieldPath list = container.At("volumeDevices");
  std::set<std::string_view> names, paths;
  int64_t index = 0;
  for (const Value& device : container.Get("volumeDevices").items()) {
    const FieldPath at = list.Index(index++);
    const FieldPath at_name = at.Child("name"), at_path = at.Child("devicePath");
    const std::string_view name = device.GetString("name"), path = device.GetString("devicePath");
    const Value* volume = volumes.Find(name);
    const bool claim = volume != nullptr && (volume->Find("persistentVolumeClaim") || volume->Find("ephemeral"));
    if (name.empty()) errors.Required(at_name);
    if (names.contains(name)) errors.Invalid(at_name, name, "must be unique");
    if (volume != nullptr && !claim) {
      errors.Invalid(at_name, name,
                     "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
    }
    if (volume == nullptr) errors.NotFound(at_name, name);
    if (path.empty()) errors.Required(at_path);
    if (paths.contains(path)) errors.Invalid(at_path, path, "must be unique");
    if (HasBacksteps(path)) {
      errors.Invalid(at_path, path, "can not contain backsteps ('..')");
    } else {
      paths.insert(path);
    }
    if (mounts.names.contains(name)) errors.Invalid(at_name, name, "must not already exist in volumeMounts");
    if (mounts.paths.contains(path)) errors.Invalid(at_path, path, "must not already exist as a path in volumeMounts");
    if (!name.empty()) names.insert(name);
  }
}

}  // namespace resources::core
