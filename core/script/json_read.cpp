#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/script/json.h"
#include "core/script/node_checks.h"
#include "core/support/base64.h"
#include "core/support/json_text.h"

namespace rx::script {

namespace {

using Json = nlohmann::json;

class Reader : NodeChecks {
 public:
  Result<ir::Module> read(std::string_view text) {
    const Json json = parsedJson<Json>(text);
    if (json.is_discarded()) return fail("json.syntax", "this is no JSON text");
    if (!json.is_object() || textOf(json, "format") != "relaxscope-ir") {
      return fail("json.form", "this JSON is no module: `format` must be \"relaxscope-ir\"");
    }
    if (!json.contains("version") || json["version"] != 1) return fail("json.form", "the version must be 1");
    SourceList sources;
    for (const Json& source : listOf(json, "sources")) {
      sources.push_back(make<SourceFile>(textOf(source, "name"), textOf(source, "text")));
    }
    for (const Json& tensor : listOf(json, "tensors")) {
      if (!readTensor(tensor)) return failed();
    }
    for (const Json& origin : listOf(json, "origins")) {
      if (!readOrigin(origin)) return failed();
    }
    const Json& nodes = listOf(json, "nodes");
    nodes_.reserve(nodes.size());
    for (const Json& node : nodes) {
      if (!readNode(node)) return failed();
    }
    const NodeRef root = json.contains("root") ? nodeAt(json["root"]) : nullptr;
    if (!isa<ir::IRModule>(root)) return fail("json.form", "`root` must be the index of an ir.IRModule");
    // Sources are no field; the module is not shared yet.
    const_cast<ir::IRModule*>(as<ir::IRModule>(root))->sources = std::make_shared<SourceList>(std::move(sources));
    return refAs<ir::IRModule>(root);
  }

 private:
  static std::string textOf(const Json& json, const char* key) {
    if (!json.is_object()) return {};
    auto at = json.find(key);
    return at != json.end() && at->is_string() ? at->get<std::string>() : std::string();
  }
  static const Json& listOf(const Json& json, const char* key) {
    static const Json kEmpty = Json::array();
    auto at = json.find(key);
    return at != json.end() && at->is_array() ? *at : kEmpty;
  }
  static std::optional<int64_t> integerOf(const Json& json) {
    if (json.is_number_unsigned() && json.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max())) return {};
    if (!json.is_number_integer()) return std::nullopt;
    return json.get<int64_t>();
  }
  NodeRef nodeAt(const Json& index) const {
    const auto at = integerOf(index);
    return at && *at >= 0 && static_cast<size_t>(*at) < nodes_.size() ? nodes_[static_cast<size_t>(*at)] : nullptr;
  }

  bool readTensor(const Json& json) {
    const auto dtype = DataType::parse(textOf(json, "dtype"));
    const auto bytes = bytesOfBase64(textOf(json, "data"));
    std::vector<int64_t> shape;
    for (const Json& dim : json.is_object() ? listOf(json, "shape") : Json::array()) {
      const auto value = integerOf(dim);
      if (!value) return refuse("json.type", "a tensor's shape must be integers");
      shape.push_back(*value);
    }
    if (!dtype || !bytes) return refuse("json.type", "a tensor needs a type and base64 data");
    auto tensor = HostTensor::fromBytes(std::move(shape), *dtype, *bytes);
    if (!tensor) return refuse("json.type", tensor.diagnostics().front().message);
    tensors_.push_back(*tensor);
    return true;
  }

  static uint32_t smallOf(const Json& json) {
    const auto value = integerOf(json);
    return value && *value >= 0 && *value <= UINT32_MAX ? static_cast<uint32_t>(*value) : 0;
  }

  bool readOrigin(const Json& json) {
    if (!json.is_object()) return refuse("json.type", "an origin must be an object");
    std::vector<OriginSite> sites;
    for (const Json& site : listOf(json, "sites")) {
      if (!site.is_array() || site.size() < 4 || !site[0].is_string() || !site[3].is_string()) {
        return refuse("json.type", "an origin's site must be [function, block, binding, name, ...]");
      }
      OriginSite s{
          Str(site[0].get<std::string>()), smallOf(site[1]), smallOf(site[2]), Str(site[3].get<std::string>()), {}};
      if (site.size() >= 7) s.span = {smallOf(site[5]), smallOf(site[6]), smallOf(site[4])};
      sites.push_back(std::move(s));
    }
    origins_.push_back(make<Origin>(Array<OriginSite>(std::move(sites)), Str(textOf(json, "pass"))));
    return true;
  }

  bool readNode(const Json& json) {
    static const std::unordered_map<std::string_view, Kind> kKinds = [] {
      std::unordered_map<std::string_view, Kind> kinds;
      for (size_t k = 0; k < static_cast<size_t>(Kind::kCount); ++k) {
        kinds.emplace(kindTypeKey(static_cast<Kind>(k)), static_cast<Kind>(k));
      }
      return kinds;
    }();
    const std::string kindText = textOf(json, "node");
    auto kind = kKinds.find(kindText);
    if (kind == kKinds.end()) return refuse("json.form", fmt::format("'{}' is no kind of node", kindText));
    if (isOperator(kind->second)) return addOperator(kind->second, textOf(json, "name"));
    return addNode(kind->second, [&](auto& field, const char* name) {
      auto at = json.find(name);
      static const Json kNull;
      return set(field, name, at == json.end() ? kNull : *at);
    });
  }

  template <class T>
  requires std::is_base_of_v<Node, T>
  bool set(Ref<T>& field, const char* name, const Json& json) {
    if (json.is_null()) {
      field = nullptr;
      return mayBeNull(name) || wrong(name, "given");
    }
    NodeRef node = nodeAt(json);
    if (!node || !isa<T>(node)) return wrong(name, "the index of an earlier node of a fitting kind");
    field = refAs<T>(node);
    return true;
  }
  template <class T>
  requires std::is_base_of_v<Node, T>
  bool set(Array<Ref<T>>& field, const char* name, const Json& json) {
    if (!json.is_null() && !json.is_array()) return wrong(name, "a list");
    std::vector<Ref<T>> items;
    for (const Json& item : json) {
      NodeRef node = nodeAt(item);
      const bool absent = item.is_null() && std::string_view(name) == "buffer_map";
      if (!absent && !isa<T>(node)) return wrong(name, "a list of indices of earlier nodes of a fitting kind");
      items.push_back(refAs<T>(node));
    }
    field = Array<Ref<T>>(std::move(items));
    return true;
  }
  bool set(bool& field, const char* name, const Json& json) {
    field = json.is_boolean() && json.get<bool>();
    return json.is_null() || json.is_boolean() || wrong(name, "true or false");
  }
  template <class T>
  requires((std::is_integral_v<T> && !std::is_same_v<T, bool>) ||
           std::is_enum_v<T>) bool set(T& field, const char* name, const Json& json) {
    const auto value = json.is_null() ? std::optional<int64_t>(0) : integerOf(json);
    if (!value) return wrong(name, "an integer");
    field = static_cast<T>(*value);
    return static_cast<int64_t>(field) == *value || wrong(name, "a smaller integer");
  }
  bool set(double& field, const char* name, const Json& json) {
    if (json.is_number()) {
      field = json.get<double>();
      return true;
    }
    constexpr double kInf = std::numeric_limits<double>::infinity();
    if (json == "nan") field = std::numeric_limits<double>::quiet_NaN();
    if (json == "inf") field = kInf;
    if (json == "-inf") field = -kInf;
    return json == "nan" || json == "inf" || json == "-inf" || wrong(name, "a number");
  }
  bool set(Str& field, const char* name, const Json& json) {
    field = json.is_string() ? Str(json.get<std::string>()) : Str();
    return json.is_null() || json.is_string() || wrong(name, "text");
  }
  bool set(Array<Str>& field, const char* name, const Json& json) {
    std::vector<Str> items;
    if (!json.is_null() && !json.is_array()) return wrong(name, "a list of texts");
    for (const Json& item : json) {
      if (!item.is_string()) return wrong(name, "a list of texts");
      items.emplace_back(item.get<std::string>());
    }
    field = Array<Str>(std::move(items));
    return true;
  }
  bool set(Array<int64_t>& field, const char* name, const Json& json) {
    std::vector<int64_t> items;
    if (!json.is_null() && !json.is_array()) return wrong(name, "a list of integers");
    for (const Json& item : json) {
      const auto value = integerOf(item);
      if (!value) return wrong(name, "a list of integers");
      items.push_back(*value);
    }
    field = Array<int64_t>(std::move(items));
    return true;
  }
  bool set(DataType& field, const char* name, const Json& json) {
    const auto dtype = json.is_null()     ? std::optional<DataType>(DataType::Void())
                       : json.is_string() ? DataType::parse(json.get<std::string>())
                                          : std::nullopt;
    if (!dtype) return wrong(name, "the name of a type");
    field = *dtype;
    return true;
  }
  bool set(Ref<HostTensor>& field, const char* name, const Json& json) {
    field = nullptr;
    if (json.is_null()) return true;
    const auto at = integerOf(json);
    if (!at || *at < 0 || static_cast<size_t>(*at) >= tensors_.size()) return wrong(name, "the index of a tensor");
    field = tensors_[static_cast<size_t>(*at)];
    return true;
  }
  bool set(Span& field, const char* name, const Json& json) {
    field = {};
    if (json.is_null()) return true;
    if (!json.is_array() || json.size() != 3) return wrong(name, "[file, begin, end]");
    field = {smallOf(json[1]), smallOf(json[2]), smallOf(json[0])};
    return true;
  }
  bool set(OriginRef& field, const char* name, const Json& json) {
    field = nullptr;
    if (json.is_null()) return true;
    const auto at = integerOf(json);
    if (!at || *at < 0 || static_cast<size_t>(*at) >= origins_.size()) return wrong(name, "the index of an origin");
    field = origins_[static_cast<size_t>(*at)];
    return true;
  }

  std::vector<Ref<HostTensor>> tensors_;
  std::vector<OriginRef> origins_;
};

}  // namespace

Result<ir::Module> moduleFromJson(std::string_view text) { return Reader().read(text); }

}  // namespace rx::script
