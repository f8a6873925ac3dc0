#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "core/op/make_call.h"
#include "core/op/op_table.h"
#include "core/script/json.h"
#include "core/script/json_prototypes.h"
#include "core/support/base64.h"

namespace rx::script {

namespace {

using Json = nlohmann::json;

/// Node fields that may be null, as "kind.field".
const std::set<std::string_view>& nullable() {
  static const std::set<std::string_view> kFields = {"tirx.Var.type_annotation",
                                                     "tirx.SizeVar.type_annotation",
                                                     "tirx.Buffer.elem_offset",
                                                     "tirx.Buffer.layout",
                                                     "tirx.BufferLoad.predicate",
                                                     "tirx.BufferStore.predicate",
                                                     "tirx.Call.annotations",
                                                     "tirx.IterVar.dom",
                                                     "tirx.Reduce.condition",
                                                     "tirx.IndexMap.inverse_index_map",
                                                     "tirx.Allocate.annotations",
                                                     "tirx.Allocate.condition",
                                                     "tirx.AllocBuffer.annotations",
                                                     "tirx.IfThenElse.else_case",
                                                     "tirx.For.thread_binding",
                                                     "tirx.For.annotations",
                                                     "tirx.For.step",
                                                     "tirx.SBlock.annotations",
                                                     "tirx.SBlock.init",
                                                     "tirx.PrimFunc.ret_type",
                                                     "tirx.PrimFunc.attrs",
                                                     "tirx.PrimFunc.struct_info_",
                                                     "relax.PrimStructInfo.value",
                                                     "relax.TensorStructInfo.shape",
                                                     "relax.TensorStructInfo.vdevice",
                                                     "relax.distributed.DeviceMesh.device_range",
                                                     "relax.expr.Call.attrs",
                                                     "relax.expr.Function.attrs",
                                                     "relax.expr.ExternFunc.attrs",
                                                     "ir.IRModule.attrs",
                                                     "ir.IRModule.global_infos",
                                                     "ir.IRModule.type_definitions",
                                                     "ir.Op.struct_info_",
                                                     "ir.GlobalVar.struct_info_"};
  return kFields;
}

/// What is made for a rank (names, generated inputs) is as long as the rank.
constexpr int64_t kMostDimensions = 1 << 12;

struct Problem {
  std::string rule, message;
};

class Reader {
 public:
  Result<ir::Module> read(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
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
  Failure failed() const { return fail(problem_.rule, problem_.message); }
  bool refuse(std::string rule, std::string message) {
    if (problem_.rule.empty()) {
      problem_ = {std::move(rule), fmt::format("node {}: {}", nodes_.size(), message)};
    }
    return false;
  }
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
    if (kind->second == Kind::relax_Op) return readOp(json);
    kindText_ = kindText;
    NodeRef made;
    withNodeType(kind->second, [&]<class T>() {
      T* node = blankNode<T>();
      Ref<T> owner(node);
      bool ok = true;
      T::fields([&](const char* name, auto member, Role) {
        if (!ok) return;
        auto at = json.find(name);
        static const Json kNull;
        ok = set(node->*member, name, at == json.end() ? kNull : *at);
      });
      if (ok && !checked(*node)) ok = false;
      if (ok) {
        if constexpr (requires { node->index(); }) node->index();
        made = owner;
      }
    });
    if (!made) return false;
    nodes_.push_back(std::move(made));
    return true;
  }

  bool readOp(const Json& json) {
    const std::string name = textOf(json, "name");
    if (const op::OpRow* row = op::findOp(name); row && row->name() == name) {
      nodes_.push_back(row->op);
      return true;
    }
    NodeRef intrinsic = intrinsicOf(name);
    if (!intrinsic) return refuse("json.form", fmt::format("'{}' is no operator", name));
    nodes_.push_back(std::move(intrinsic));
    return true;
  }
  NodeRef intrinsicOf(const std::string& name);

  // What the field tables do not say of a node.
  template <class T>
  bool checked(const T&) {
    return true;
  }
  bool checked(const relax::Call& v) {
    const Result<Unit> fit = op::checkAttributes(v);
    return fit || refuse("json.form", fit.diagnostics().front().message);
  }
  bool checked(const relax::TensorStructInfo& v) {
    const auto* shape = as<relax::ShapeExpr>(v.shape);
    if (v.ndim > kMostDimensions) return refuse("json.form", "there are no tensors of so many dimensions");
    if (v.ndim >= relax::kUnknownDim && (!shape || static_cast<int64_t>(shape->values.size()) == v.ndim)) return true;
    return refuse("json.form", "ndim is not the number of dimensions");
  }
  bool areSizes(const Array<tir::PrimExpr>& values) {
    for (const tir::PrimExpr& value : values) {
      if (!value || !value->dtype.isScalar() || !value->dtype.isIntegral())
        return refuse("json.form", "the sizes of a shape have to be integers");
    }
    return true;
  }
  bool checked(const relax::ShapeStructInfo& v) {
    if (!areSizes(v.values)) return false;
    if (v.ndim > kMostDimensions) return refuse("json.form", "there are no shapes of so many dimensions");
    if (v.ndim >= relax::kUnknownDim && static_cast<int64_t>(v.values.size()) == (v.known ? v.ndim : 0)) return true;
    return refuse("json.form", "ndim is not the number of dimensions");
  }
  bool checked(const relax::ShapeExpr& v) { return areSizes(v.values); }
  bool checked(const ir::DictAttrs& v) {
    std::set<std::string_view> keys;
    for (const Str& key : v.keys) keys.insert(key.view());
    if (v.keys.size() == v.values.size() && keys.size() == v.keys.size()) return true;
    return refuse("json.form", "a dictionary needs as many values as keys, and each key once");
  }
  bool checked(const ir::IRModule& v) {
    std::set<std::string_view> names;
    for (const auto& var : v.vars) names.insert(var->name.view());
    if (v.vars.size() == v.functions.size() && names.size() == v.vars.size()) return true;
    return refuse("json.form", "a module needs as many functions as names, and each name once");
  }
  bool checked(const tir::PrimFunc& v) {
    if (v.params.size() == v.buffers.size()) return true;
    return refuse("json.form", "a PrimFunc needs one buffer entry for each parameter");
  }
  bool checked(const tir::Reduce& v) {
    if (v.valueIndex >= 0 && static_cast<size_t>(v.valueIndex) < v.source.size()) return true;
    return refuse("json.form", "value_index is out of range");
  }
  bool checked(const tir::For& v) {
    if (v.forKind >= tir::ForKind::Serial && v.forKind <= tir::ForKind::ThreadBinding) return true;
    return refuse("json.form", "this is no kind of loop");
  }
  bool checked(const tir::IterVar& v) {
    if (v.iterType >= tir::IterType::DataPar && v.iterType <= tir::IterType::Tensorized) return true;
    return refuse("json.form", "this is no kind of iteration variable");
  }

  bool wrong(const char* name, std::string_view what) {
    return refuse("json.type", fmt::format("field '{}' of {} must be {}", name, kindText_, what));
  }

  template <class T>
  requires std::is_base_of_v<Node, T>
  bool set(Ref<T>& field, const char* name, const Json& json) {
    if (json.is_null()) {
      field = nullptr;
      const bool mayBeNull = std::string_view(name) == "struct_info_" || nullable().contains(kindText_ + "." + name);
      return mayBeNull || wrong(name, "given");
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

  std::vector<NodeRef> nodes_;
  std::vector<Ref<HostTensor>> tensors_;
  std::vector<OriginRef> origins_;
  std::string kindText_;
  std::unordered_map<std::string, NodeRef> intrinsics_;
  Problem problem_;
};

/// Intrinsics go by their names; one object a name within the module.
NodeRef Reader::intrinsicOf(const std::string& name) {
  if (!name.starts_with("tirx.")) return nullptr;
  NodeRef& op = intrinsics_[name];
  if (!op) op = make<relax::Op>(Str(name), UINT32_MAX);
  return op;
}

}  // namespace

Result<ir::Module> moduleFromJson(std::string_view text) { return Reader().read(text); }

}  // namespace rx::script
