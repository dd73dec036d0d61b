#include "registry/admission.h"

#include "registry/object_meta.h"

namespace registry {

std::string_view OperationName(Operation operation) {
  switch (operation) {
    case Operation::kCreate:
      return "CREATE";
    case Operation::kUpdate:
      return "UPDATE";
    case Operation::kDelete:
      return "DELETE";
    case Operation::kConnect:
      return "CONNECT";
  }
  return "";
}

std::string_view AdmissionRequest::ShownName() const {
  const ObjectMeta meta(object);
  if (!meta.name().empty()) return meta.name();
  return meta.generate_name().empty() ? "Unknown" : meta.generate_name();
}

}  // namespace registry
