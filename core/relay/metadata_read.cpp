#include "core/relay/metadata_read.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/relay/dims.h"
#include "core/relay/metadata_forms.h"
#include "core/support/base64.h"
#include "core/tensor/tensor_blob.h"

namespace rx::relay {

namespace {

using Json = nlohmann::json;

/// Whatever does not fit is thrown, and caught where the block is read.
[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

class Objects {
 public:
  explicit Objects(const Json& json) : json_(json), nodes_(json.at("nodes")) {
    if (!nodes_.is_array()) refuse("its nodes are no list");
    made_.resize(nodes_.size());
    state_.resize(nodes_.size());
  }

  Metadata read() {
    const Json& map = node(whole(json_.at("root")));
    const Json keys = map.value("keys", Json::array()), data = map.value("data", Json::array());
    Metadata out;
    for (size_t i = 0; i < keys.size() && i < data.size(); ++i) {
      const std::string key = keys[i].get<std::string>();
      std::vector<NodeRef>& values = out[key];
      for (const Json& item : node(whole(data[i])).value("data", Json::array())) {
        const std::string kind = node(whole(item)).value("type_key", std::string());
        if (!kind.empty() && kind != key)
          refuse("an object of kind '" + kind + "' is among those of kind '" + key + "'");
        values.push_back(value(whole(item)));
      }
    }
    return out;
  }

 private:
  static int64_t whole(const Json& value) {
    if (value.is_string()) return std::stoll(value.get<std::string>());
    if (!value.is_number_integer()) refuse("an index is no integer");
    return value.get<int64_t>();
  }
  const Json& node(int64_t index) const {
    if (index < 0 || static_cast<size_t>(index) >= nodes_.size()) refuse("it refers to a node that it does not have");
    return nodes_[static_cast<size_t>(index)];
  }

  /// The value of a node; one object a node. Objects that hold themselves and chains beyond any real nesting are
  /// refused.
  NodeRef value(int64_t index) {
    const Json& n = node(index);
    const auto at = static_cast<size_t>(index);
    if (state_[at] == kDone) return made_[at];
    if (state_[at] == kOpen || ++depth_ > kMaxDepth) refuse("an object of it holds itself");
    state_[at] = kOpen;
    made_[at] = build(n, n.value("type_key", std::string()));
    state_[at] = kDone;
    --depth_;
    return made_[at];
  }

  NodeRef build(const Json& n, const std::string& key) {
    if (key == "runtime.String" || key == "TargetKind") return ir::strAttr(Str(n.value("repr_str", std::string())));
    if (key == "runtime.BoxInt") return ir::intAttr(whole(n.at("repr_str")));
    if (key == "runtime.BoxBool") return ir::boolAttr(whole(n.at("repr_str")) != 0);
    if (key == "runtime.BoxFloat") return ir::floatAttr(real(n.at("repr_str")));
    if (key == "Array") return array(n);
    if (key == "Map" || key == "StrMap") return map(n);
    if (!n.contains("attrs")) return key == "IncompleteType" ? NodeRef(make<IncompleteType>()) : nullptr;
    const Json& attrs = n.at("attrs");
    if (key == "relay.Constant") return constant(attrs);
    if (key == "IncompleteType") return make<IncompleteType>();
    if (key == "relay.TensorType") return tensorType(attrs);
    if (key == "FloatImm") return ir::floatAttr(real(attrs.at("value")));
    if (NodeRef expr = primExpr(key, attrs)) return expr;
    constexpr std::string_view kAttrs = "relay.attrs.";
    if (key.starts_with(kAttrs)) {
      const AttrSchema* schema = findAttrSchema(std::string_view(key).substr(kAttrs.size()));
      return schema ? NodeRef(withoutDefaultsOrEmpty(*schema, fields(*schema, attrs))) : nullptr;
    }
    const AttrSchema* row = findRecord(key);
    return row ? NodeRef(ir::withAttr(record(*row, attrs), kRecordKey, ir::strAttr(Str(key)))) : nullptr;
  }

  /// A record has all of its fields. Those that hold objects are null where the writer did not know them yet.
  ir::Attrs record(const AttrSchema& schema, const Json& attrs) {
    Json whole = attrs;
    for (const AttrField& field : schema.fields) {
      const std::string name(field.name);
      if (field.form != FieldForm::Node && !whole.contains(name))
        refuse("a " + std::string(schema.name) + " of it has no field '" + name + "'");
      whole.emplace(name, "0");
    }
    return fields(schema, whole);
  }

  static ir::Attrs withoutDefaultsOrEmpty(const AttrSchema& schema, const ir::Attrs& attrs) {
    ir::Attrs out = withoutDefaults(schema, attrs);
    return out ? out : make<ir::DictAttrs>();
  }

  static double real(const Json& value) {
    return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
  }

  /// A value as an attribute holds it: numbers are plain, what is null is None.
  static NodeRef plain(const NodeRef& value) {
    if (const auto* imm = as<tir::IntImm>(value)) {
      return imm->dtype.isBool() ? ir::boolAttr(imm->value != 0) : ir::intAttr(imm->value);
    }
    return value ? value : ir::nullAttr();
  }

  ir::Attrs fields(const AttrSchema& schema, const Json& attrs) {
    std::vector<std::pair<Str, NodeRef>> out;
    for (const AttrField& field : schema.fields) {
      const std::string name(field.name);
      if (attrs.contains(name)) out.emplace_back(Str(name), plain(fieldValue(field.form, attrs.at(name))));
    }
    return make<ir::DictAttrs>(out);
  }
  NodeRef fieldValue(FieldForm form, const Json& value) {
    switch (form) {
      case FieldForm::Int:
        return ir::intAttr(whole(value));
      case FieldForm::Bool:
        return ir::boolAttr(whole(value) != 0);
      case FieldForm::Real:
        return ir::floatAttr(real(value));
      case FieldForm::Text:
      case FieldForm::Type:
        return ir::strAttr(Str(value.get<std::string>()));
      case FieldForm::Node:
        return this->value(whole(value));
    }
    return nullptr;
  }

  NodeRef array(const Json& n) {
    std::vector<NodeRef> items;
    for (const Json& item : n.value("data", Json::array())) items.push_back(plain(value(whole(item))));
    return ir::arrayAttr(std::move(items));
  }
  NodeRef map(const Json& n) {
    const Json keys = n.value("keys", Json::array()), data = n.value("data", Json::array());
    if (keys.size() != data.size()) return nullptr;
    std::vector<std::pair<Str, NodeRef>> entries;
    for (size_t i = 0; i < keys.size(); ++i) {
      entries.emplace_back(Str(keys[i].get<std::string>()), plain(value(whole(data[i]))));
    }
    return make<ir::DictAttrs>(entries);
  }

  NodeRef constant(const Json& attrs) {
    const auto blob = static_cast<size_t>(whole(attrs.at("data")));
    const Json& blobs = json_.at("b64ndarrays");
    if (blob >= blobs.size()) refuse("it has no data for a constant");
    const auto bytes = bytesOfBase64(blobs[blob].get<std::string>());
    if (!bytes) refuse("the data of a constant is no base64");
    ByteReader in(*bytes);
    auto tensor = getTensor(in);
    if (!tensor) refuse("the data of a constant is damaged");
    return make<Constant>(std::move(tensor));
  }

  NodeRef tensorType(const Json& attrs) {
    std::vector<tir::PrimExpr> dims;
    for (const Json& item : node(whole(attrs.at("shape"))).value("data", Json::array())) {
      dims.push_back(dimension(whole(item)));
    }
    return relay::tensorType(dims, dtype(attrs));
  }
  tir::PrimExpr dimension(int64_t index) {
    const NodeRef found = value(index);
    if (const auto* imm = as<tir::IntImm>(found)) return imm->dtype.bits > 32 ? wideDim(imm->value) : dim(imm->value);
    const auto* real = as<ir::FloatAttr>(found);  // upsampling scales by reals, whole ones too
    if (real && real->value == std::floor(real->value)) return dimOf(real->value);
    return refAs<tir::ExprNode>(found);
  }
  static DataType dtype(const Json& attrs) {
    const auto type = DataType::parse(attrs.at("dtype").get<std::string>());
    if (!type) refuse("a data type of it is none");
    return *type;
  }

  /// What is rounded: of integers that is themselves. Null where the call is one of another function.
  tir::PrimExpr rounded(const Json& attrs) {
    const Json args = node(whole(attrs.at("args"))).value("data", Json::array());
    const bool rounds = node(whole(attrs.at("op"))).value("repr_str", std::string()) == "tir.round";
    return rounds && args.size() == 1 ? dimension(whole(args[0])) : nullptr;
  }

  /// Null where the node is no expression of integers, or one of a dimension of any size.
  tir::PrimExpr primExpr(const std::string& key, const Json& attrs) {
    if (key == "IntImm") return make<tir::IntImm>(dtype(attrs), whole(attrs.at("value")));
    if (key == "tir.Var" || key == "tir.SizeVar") {
      const NodeRef name = value(whole(attrs.at("name")));
      const auto* text = as<ir::StrAttr>(name);
      const Str spelt = text ? text->value : Str();
      if (key == "tir.Var") return make<tir::Var>(spelt, DataType::Int(64), nullptr);
      return make<tir::SizeVar>(spelt, DataType::Int(64));
    }
    if (key == "tir.Cast") return dimension(whole(attrs.at("value")));
    if (key == "tir.Call") return rounded(attrs);
    const std::optional<Kind> kind = arithmeticKind(key);
    if (!kind) return nullptr;
    const tir::PrimExpr a = dimension(whole(attrs.at("a"))), b = dimension(whole(attrs.at("b")));
    return a && b ? makeBinary(*kind, widened(a), widened(b)) : nullptr;
  }

  static constexpr uint8_t kOpen = 1, kDone = 2;
  static constexpr int kMaxDepth = 1000;
  const Json& json_;
  const Json& nodes_;
  std::vector<NodeRef> made_;
  std::vector<uint8_t> state_;
  int depth_ = 0;
};

}  // namespace

Result<Metadata> readMetadata(std::string_view json) {
  auto failed = [](Span span, std::string_view what) {
    const size_t reason = what.find("] ");  // the name and number that nlohmann puts before what it says
    if (what.starts_with("[json") && reason != std::string_view::npos) what.remove_prefix(reason + 2);
    return fail(errorAt(span, "relay.metadata", "the metadata can not be read: " + std::string(what)));
  };
  try {
    const Json parsed = Json::parse(json.begin(), json.end());
    return Objects(parsed).read();
  } catch (const Json::parse_error& e) {
    const auto at = static_cast<uint32_t>(std::min(std::max<size_t>(e.byte, 1), json.size()));
    return failed({at ? at - 1 : 0, at, 0}, e.what());
  } catch (const std::exception& e) {
    return failed({}, e.what());
  }
}

}  // namespace rx::relay
