#include "handlers/discovery/openapi_paths.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/text.h"
#include "schema/schema.h"

namespace handlers {

using registry::Resource;
using registry::Subresource;
using schema::Field;
using schema::FieldKind;

namespace {

constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";

// Letters, digits and underscores of `text`; what follows any other character is capitalised, and so is the first where
// asked.
std::string Identifier(std::string_view text, bool capital) {
  std::string out;
  for (char c : text) {
    bool good = absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
    if (good) out += capital ? absl::ascii_toupper(static_cast<unsigned char>(c)) : c;
    capital = good ? false : true;
  }
  return out;
}

std::string Capitalised(std::string_view text) { return Identifier(text, true); }

std::string_view ShortGroup(std::string_view group) {
  constexpr std::string_view kDomain = ".k8s.io";
  if (group.empty()) return "core";
  return group.ends_with(kDomain) ? group.substr(0, group.size() - kDomain.size()) : group;
}

// The operation's id: its verb, the group and version that the path names, then the rest.
std::string OperationId(std::string_view verb, std::string_view group, std::string_view version,
                        std::string_view rest) {
  return base::Cat(verb, Capitalised(ShortGroup(group)), Capitalised(version), Capitalised(rest));
}

std::string_view TypeWord(const Field& field) {
  if (field.shape == schema::Shape::kMap) return "";
  switch (field.kind) {
    case FieldKind::kString:
      return "string";
    case FieldKind::kInt32:
    case FieldKind::kInt64:
      return "integer";
    case FieldKind::kBool:
      return "boolean";
    default:
      return "";
  }
}

// Everything about one version of a group while its paths are made.
class Builder {
 public:
  Builder(std::string_view group, std::string_view version, const schema::Texts& texts)
      : group_(group), version_(version), texts_(texts) {
    root_ = group.empty() ? base::Cat("/api/", version) : base::Cat("/apis/", group, "/", version);
    tag_ = base::Cat(Identifier(ShortGroup(group), false), "_", Identifier(version, false));
  }

  void AddDiscovery();
  void AddResource(const Resource& resource);
  void AddCustom(const Resource& resource);
  std::vector<OpenPath> Finish();

 private:
  using Parameters = std::vector<OpenParameter>;

  Parameters OptionsOf(std::string_view type_name, std::initializer_list<std::string_view> without = {}) const;
  void AddCollection(const Resource& resource);
  void AddItem(const Resource& resource);
  void AddWatches(const Resource& resource);
  void AddSubresource(const Resource& resource, const Subresource& sub);
  void AddConnect(const Resource& resource, const Subresource& sub);
  void AddLog(const Resource& resource);

  std::string Collection(const Resource& resource, bool watch = false) const;
  OpenOperation New(std::string_view method, std::string_view action, std::string_view verb, const Resource& resource,
                    std::string_view suffix) const;
  void Add(const std::string& path, OpenOperation operation, const Parameters& path_parameters, Parameters own,
           bool pretty = true);
  Parameters PathParameters(const Resource& resource, bool name) const;
  std::string Scope(const Resource& resource) const { return resource.namespaced ? "Namespaced" : ""; }

  std::string_view group_, version_;
  const schema::Texts& texts_;
  std::string root_, tag_;
  std::vector<OpenPath> paths_;
};

// The fields of an options type as query parameters.
Builder::Parameters Builder::OptionsOf(std::string_view type_name,
                                       std::initializer_list<std::string_view> without) const {
  Parameters out;
  const schema::Type* type = schema::FindType(type_name);
  if (!type) return out;
  for (const Field* field : type->members) {
    std::string_view word = TypeWord(*field);
    bool left_out = field->name == "kind" || field->name == "apiVersion" ||
                    std::ranges::find(without, field->name) != without.end();
    if (word.empty() || left_out) continue;
    out.push_back({std::string(field->name), false, word, std::string(texts_.Of(type_name, field->name))});
  }
  return out;
}

Builder::Parameters Builder::PathParameters(const Resource& resource, bool name) const {
  Parameters out;
  if (name) out.push_back({"name", true, "string", base::Cat("name of the ", resource.kind)});
  if (resource.namespaced) out.push_back({"namespace", true, "string", "namespace that the object is in"});
  return out;
}

std::string Builder::Collection(const Resource& resource, bool watch) const {
  return base::Cat(root_, watch ? "/watch" : "", resource.namespaced ? "/namespaces/{namespace}/" : "/",
                   resource.plural);
}

OpenOperation Builder::New(std::string_view method, std::string_view action, std::string_view verb,
                           const Resource& resource, std::string_view suffix) const {
  OpenOperation operation;
  operation.method = method;
  operation.action = action;
  operation.tag = tag_;
  operation.id = OperationId(verb, group_, version_, base::Cat(Scope(resource), resource.kind, suffix));
  operation.gvk = {resource.group, resource.version, resource.kind};
  operation.has_protobuf = resource.type != nullptr && resource.type->has_wire;
  return operation;
}

void Builder::Add(const std::string& path, OpenOperation operation, const Parameters& path_parameters, Parameters own,
                  bool pretty) {
  operation.parameters = std::move(own);
  operation.parameters.insert(operation.parameters.end(), path_parameters.begin(), path_parameters.end());
  if (pretty) {
    operation.parameters.push_back(
        {"pretty", false, "string", "'true' asks for indented output; browsers, curl and wget get it without asking."});
  }
  std::ranges::stable_sort(operation.parameters, {},
                           [](const OpenParameter& p) { return std::pair(std::string_view(p.name), !p.in_path); });
  auto there = std::ranges::find(paths_, path, &OpenPath::path);
  if (there == paths_.end())
    there = paths_.insert(paths_.end(), OpenPath{.path = path, .operations = {}, .parameters = {}});
  there->operations.push_back(std::move(operation));
}

void Builder::AddDiscovery() {
  OpenOperation operation;
  operation.method = "get";
  operation.tag = tag_;
  operation.id = OperationId("get", group_, version_, "APIResources");
  operation.description = "list the resources of this version";
  operation.responses = {{200, base::Cat(kMeta, "APIResourceList")}};
  Add(root_ + "/", std::move(operation), {}, {}, false);
}

void Builder::AddCollection(const Resource& resource) {
  std::string path = Collection(resource);
  Parameters where = PathParameters(resource, false);
  std::string type(resource.type ? resource.type->name : "");
  if (resource.HasVerb("list")) {
    std::string list_type(resource.list_type ? resource.list_type->name : "");
    OpenOperation list = New("get", "list", "list", resource, "");
    list.description = base::Cat("list or watch objects of kind ", resource.kind);
    list.media = OpenMedia::kObjectOrWatch;
    list.responses = {{200, list_type}};
    Parameters options = OptionsOf(base::Cat(kMeta, "ListOptions"));
    if (resource.namespaced) {
      OpenOperation all = list;
      all.id = OperationId("list", group_, version_, base::Cat(resource.kind, "ForAllNamespaces"));
      Add(base::Cat(root_, "/", resource.plural), std::move(all), {}, options);
    }
    Add(path, std::move(list), where, std::move(options));
  }
  if (resource.HasVerb("create")) {
    OpenOperation create = New("post", "post", "create", resource, "");
    create.description = base::Cat("create a ", resource.kind);
    create.body = type;
    create.body_required = true;
    create.responses = {{200, type}, {201, type}, {202, type}};
    Add(path, std::move(create), where, OptionsOf(base::Cat(kMeta, "CreateOptions")));
  }
  if (resource.HasVerb("deletecollection")) {
    OpenOperation remove = New("delete", "deletecollection", "delete", resource, "");
    remove.id = OperationId("delete", group_, version_, base::Cat("Collection", Scope(resource), resource.kind));
    remove.description = base::Cat("delete the ", resource.kind, " objects of a collection");
    remove.body = base::Cat(kMeta, "DeleteOptions");
    remove.responses = {{200, base::Cat(kMeta, "Status")}};
    Parameters options = OptionsOf(base::Cat(kMeta, "DeleteOptions"));
    Parameters more = OptionsOf(base::Cat(kMeta, "ListOptions"), {"allowWatchBookmarks", "watch"});
    options.insert(options.end(), more.begin(), more.end());
    Add(path, std::move(remove), where, std::move(options));
  }
}

void Builder::AddItem(const Resource& resource) {
  std::string path = Collection(resource) + "/{name}";
  Parameters where = PathParameters(resource, true);
  std::string type(resource.type ? resource.type->name : "");
  if (resource.HasVerb("get")) {
    OpenOperation get = New("get", "get", "read", resource, "");
    get.description = base::Cat("read one ", resource.kind);
    get.responses = {{200, type}};
    Add(path, std::move(get), where, {});
  }
  if (resource.HasVerb("update")) {
    OpenOperation put = New("put", "put", "replace", resource, "");
    put.description = base::Cat("replace one ", resource.kind);
    put.body = type;
    put.body_required = true;
    put.responses = {{200, type}, {201, type}};
    Add(path, std::move(put), where, OptionsOf(base::Cat(kMeta, "UpdateOptions")));
  }
  if (resource.HasVerb("delete")) {
    OpenOperation remove = New("delete", "delete", "delete", resource, "");
    remove.description = base::Cat("delete a ", resource.kind);
    remove.body = base::Cat(kMeta, "DeleteOptions");
    std::string answer = resource.deletes_returns == "Status" || type.empty() ? base::Cat(kMeta, "Status") : type;
    remove.responses = {{200, answer}, {202, answer}};
    Add(path, std::move(remove), where, OptionsOf(base::Cat(kMeta, "DeleteOptions")));
  }
  if (resource.HasVerb("patch")) {
    OpenOperation patch = New("patch", "patch", "patch", resource, "");
    patch.description = base::Cat("change parts of one ", resource.kind);
    patch.body = base::Cat(kMeta, "Patch");
    patch.body_required = true;
    patch.responses = {{200, type}, {201, type}};
    Add(path, std::move(patch), where, OptionsOf(base::Cat(kMeta, "PatchOptions")));
  }
}

void Builder::AddWatches(const Resource& resource) {
  if (!resource.HasVerb("watch")) return;
  Parameters options = OptionsOf(base::Cat(kMeta, "ListOptions"));
  auto watch = [&](const std::string& path, std::string_view action, std::string id, Parameters where) {
    OpenOperation operation = New("get", action, "watch", resource, "");
    operation.id = std::move(id);
    operation.description =
        base::Cat("watch changes of kind ", resource.kind, "; older form of the watch parameter of a list");
    operation.media = OpenMedia::kObjectOrWatch;
    operation.responses = {{200, base::Cat(kMeta, "WatchEvent")}};
    Add(path, std::move(operation), where, options);
  };
  std::string path = Collection(resource, true);
  std::string scoped = base::Cat(Scope(resource), resource.kind);
  if (resource.namespaced) {
    watch(base::Cat(root_, "/watch/", resource.plural), "watchlist",
          OperationId("watch", group_, version_, base::Cat(resource.kind, "ListForAllNamespaces")), {});
  }
  watch(path, "watchlist", OperationId("watch", group_, version_, scoped + "List"), PathParameters(resource, false));
  watch(path + "/{name}", "watch", OperationId("watch", group_, version_, scoped), PathParameters(resource, true));
}

// Logs are a text, asked for by options that are no body.
void Builder::AddLog(const Resource& resource) {
  OpenOperation get = New("get", "get", "read", resource, "Log");
  get.description = base::Cat("read the log of one ", resource.kind);
  get.media = OpenMedia::kPlainText;
  get.responses = {{200, ""}};
  Add(Collection(resource) + "/{name}/log", std::move(get), PathParameters(resource, true),
      OptionsOf("io.k8s.api.core.v1.PodLogOptions"));
}

void Builder::AddSubresource(const Resource& resource, const Subresource& sub) {
  if (sub.connect) return AddConnect(resource, sub);
  if (sub.name == "log") return AddLog(resource);
  std::string path = base::Cat(Collection(resource), "/{name}/", sub.name);
  Parameters where = PathParameters(resource, true);
  std::string suffix = Capitalised(sub.name);
  std::string type(sub.type ? sub.type->name : resource.type->name);
  for (const std::string& verb : sub.verbs) {
    struct Form {
      std::string_view verb, method, action, word, options;
    };
    static constexpr Form kForms[] = {{"get", "get", "get", "read", ""},
                                      {"create", "post", "post", "create", "CreateOptions"},
                                      {"update", "put", "put", "replace", "UpdateOptions"},
                                      {"patch", "patch", "patch", "patch", "PatchOptions"}};
    auto form = std::ranges::find(kForms, verb, &Form::verb);
    if (form == std::end(kForms)) continue;
    OpenOperation operation = New(form->method, form->action, form->word, resource, suffix);
    operation.description = base::Cat(form->word, " ", sub.name, " of one ", resource.kind);
    if (!sub.kind.empty()) operation.gvk = {sub.group, sub.version, sub.kind};
    operation.responses = {{200, type}};
    if (verb != "get") {
      operation.body = verb == "patch" ? base::Cat(kMeta, "Patch") : type;
      operation.body_required = true;
      operation.responses.push_back({201, type});
    }
    if (verb == "create") operation.responses.push_back({202, type});
    Add(path, std::move(operation), where,
        form->options.empty() ? Parameters() : OptionsOf(base::Cat(kMeta, form->options)));
  }
}

void Builder::AddConnect(const Resource& resource, const Subresource& sub) {
  bool all_methods =
      std::ranges::find(sub.verbs, "delete") != sub.verbs.end();  // a proxy; the others upgrade the connection
  static constexpr std::string_view kMethods[] = {"get", "post", "put", "delete", "options", "head", "patch"};
  std::string path = base::Cat(Collection(resource), "/{name}/", sub.name);
  Parameters options = OptionsOf(sub.type ? sub.type->name : "");
  for (bool below : {false, true}) {
    if (below && !all_methods) continue;
    Parameters where = PathParameters(resource, true);
    if (below) where.push_back({"path", true, "string", "path to the resource"});
    for (std::string_view method : kMethods) {
      if (!all_methods && method != "get" && method != "post") continue;
      std::string suffix = base::Cat(Capitalised(sub.name), below ? "WithPath" : "");
      OpenOperation operation = New(method, "connect", "connect", resource, "");
      operation.id = OperationId("connect", group_, version_,
                                 base::Cat(Capitalised(method), Scope(resource), resource.kind, suffix));
      operation.description = base::Cat("connect ", method, " requests to ", sub.name, " of one ", resource.kind);
      operation.gvk = {sub.group, sub.version, sub.kind};
      operation.media = OpenMedia::kAnything;
      operation.responses = {{200, ""}};
      Add(path + (below ? "/{path}" : ""), std::move(operation), where, options, false);
    }
  }
}

void Builder::AddResource(const Resource& resource) {
  AddCollection(resource);
  AddItem(resource);
  AddWatches(resource);
  for (const Subresource& sub : resource.subresources) AddSubresource(resource, sub);
}

// As the builder of the real server for definitions: fewer paths, other words.
void Builder::AddCustom(const Resource& resource) {
  const std::string path = Collection(resource), item = path + "/{name}";
  const std::string type(resource.type->name);
  const std::string list_type = type.substr(0, type.rfind('.') + 1) + resource.list_kind;
  const std::string status = base::Cat(kMeta, "Status"), patch_type = base::Cat(kMeta, "Patch");
  const Parameters list_options = OptionsOf(base::Cat(kMeta, "ListOptions"));
  const Parameters write_options = OptionsOf(base::Cat(kMeta, "CreateOptions"));
  Parameters get_options = list_options;
  std::erase_if(get_options, [](const OpenParameter& p) { return p.name != "resourceVersion"; });
  const auto add = [&](const std::string& at, OpenOperation operation, std::string_view action,
                       std::vector<OpenResponse> responses, bool name, const Parameters& options) {
    operation.description = base::Cat(action, resource.kind);
    operation.responses = std::move(responses);
    operation.body_required = !operation.body.empty() && operation.action != "delete";
    operation.has_protobuf = false;
    operation.custom = true;
    Add(at, std::move(operation), PathParameters(resource, name), options);
  };
  OpenOperation list = New("get", "list", "list", resource, "");
  if (resource.namespaced) {
    OpenOperation all = list;
    all.id = OperationId("list", group_, version_, base::Cat(resource.kind, "ForAllNamespaces"));
    all.description = base::Cat("list objects of kind ", resource.kind);
    all.responses = {{200, list_type}};
    all.has_protobuf = false;
    all.custom = true;
    Add(base::Cat(root_, "/", resource.plural), std::move(all), {}, list_options);
  }
  add(path, std::move(list), "list objects of kind ", {{200, list_type}}, false, list_options);
  const auto with_body = [&](std::string_view method, std::string_view word, std::string_view suffix,
                             const std::string& body) {
    OpenOperation operation = New(method, method, word, resource, suffix);
    operation.body = body;
    return operation;
  };
  add(path, with_body("post", "create", "", type), "create a ", {{200, type}, {201, type}, {202, type}}, false,
      write_options);
  OpenOperation clear = New("delete", "deletecollection", "delete", resource, "");
  clear.id = OperationId("delete", group_, version_, base::Cat("Collection", Scope(resource), resource.kind));
  add(path, std::move(clear), "delete every ", {{200, status}}, false, list_options);
  add(item, with_body("delete", "delete", "", base::Cat(kMeta, "DeleteOptions")), "delete a ",
      {{200, status}, {202, status}}, true, OptionsOf(base::Cat(kMeta, "DeleteOptions")));
  const auto add_object = [&](const std::string& at, std::string_view of, std::string_view suffix,
                              const std::string& body) {
    add(at, New("get", "get", "read", resource, suffix), base::Cat("read ", of), {{200, body}}, true, get_options);
    add(at, with_body("put", "replace", suffix, body), base::Cat("replace ", of), {{200, body}, {201, body}}, true,
        OptionsOf(base::Cat(kMeta, "UpdateOptions")));
    add(at, with_body("patch", "patch", suffix, patch_type), base::Cat("change parts of ", of), {{200, body}}, true,
        OptionsOf(base::Cat(kMeta, "PatchOptions")));
  };
  add_object(item, "one ", "", type);
  for (const Subresource& sub : resource.subresources) {
    add_object(base::Cat(item, "/", sub.name), base::Cat(sub.name, " of one "), Capitalised(sub.name),
               std::string(sub.type->name));
  }
}

// Parameters that all operations of a path have move to the path.
void ShareParameters(OpenPath& path) {
  std::vector<OpenParameter> shared = path.operations.front().parameters;
  for (const OpenOperation& operation : path.operations) {
    std::erase_if(shared, [&](const OpenParameter& p) {
      return std::ranges::find(operation.parameters, p) == operation.parameters.end();
    });
  }
  for (OpenOperation& operation : path.operations) {
    std::erase_if(operation.parameters,
                  [&](const OpenParameter& p) { return std::ranges::find(shared, p) != shared.end(); });
  }
  path.parameters = std::move(shared);
}

std::vector<OpenPath> Builder::Finish() {
  static constexpr std::string_view kOrder[] = {"get", "put", "post", "delete", "options", "head", "patch"};
  auto place = [](const OpenOperation& o) { return std::ranges::find(kOrder, o.method) - kOrder; };
  for (OpenPath& path : paths_) {
    std::ranges::stable_sort(path.operations, {}, place);
    ShareParameters(path);
  }
  std::ranges::sort(paths_, {}, &OpenPath::path);
  return std::move(paths_);
}

}  // namespace

std::vector<OpenPath> PathsOfVersion(std::string_view group, std::string_view version,
                                     std::span<const Resource* const> resources, const schema::Texts& texts) {
  Builder builder(group, version, texts);
  const auto custom = [](const Resource* resource) { return resource->custom; };
  if (!std::ranges::all_of(resources, custom)) builder.AddDiscovery();
  for (const Resource* resource : resources) {
    if (resource->custom) {
      builder.AddCustom(*resource);
    } else {
      builder.AddResource(*resource);
    }
  }
  return builder.Finish();
}

OpenPath PathOfDocument(std::string path, std::string_view operation, std::string description, std::string answer_type,
                        OpenMedia media) {
  // The first name in the path, or the group behind /apis/, is the tag.
  std::string_view name = std::string_view(path).substr(1, path.find('/', 1) - 1);
  std::string tag;
  if (name == "api") {
    tag = "core";
  } else if (name == "apis" && path.size() > 6) {
    tag = Identifier(ShortGroup(std::string_view(path).substr(6, path.size() - 7)), false);
  } else {
    tag = Identifier(name, false);
  }
  OpenOperation get;
  get.method = "get";
  get.tag = std::move(tag);
  get.id = operation;
  get.description = std::move(description);
  get.media = media;
  get.responses = {{200, std::move(answer_type)}};
  OpenPath out{.path = std::move(path), .operations = {}, .parameters = {}};
  out.operations.push_back(std::move(get));
  return out;
}

std::string GroupOperationId(std::string_view group) {
  return base::Cat("get", Capitalised(ShortGroup(group)), "APIGroup");
}

}  // namespace handlers
