#include "core/relay/metadata_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "core/ir/structural_equal.h"
#include "core/ir/structural_hash.h"
#include "core/relay/metadata_forms.h"
#include "core/relay/metadata_read.h"
#include "core/support/base64.h"
#include "core/tensor/tensor_blob.h"

namespace rx::relay {

namespace {

using Json = nlohmann::ordered_json;

/// Bool is one bit without sign in these files.
std::string blobOf(const HostTensor& tensor) {
  ByteWriter out;
  putTensor(out, tensor, tensor.dtype().isBool() ? DataType::UInt(1) : tensor.dtype());
  return base64Of(out.take());
}

std::string keyOf(const Node& node) {
  if (isa<Constant>(&node)) return "relay.Constant";
  if (isa<tir::SizeVar>(&node)) return "tir.SizeVar";
  if (isa<tir::Var>(&node)) return "tir.Var";
  if (isa<IncompleteType>(&node)) return "IncompleteType";
  if (const auto* dict = as<ir::DictAttrs>(&node)) {
    const std::string_view record = ir::strAttrOf(ir::Attrs(dict), kRecordKey);
    return std::string(record.empty() ? "Map" : record);
  }
  const std::string_view arithmetic = arithmeticKey(node.kind());
  return arithmetic.empty() ? "IntImm" : std::string(arithmetic);
}

}  // namespace

struct MetadataWriter::State {
  std::map<std::string, std::vector<NodeRef>> referred;
  std::map<std::string, std::set<uint64_t>> missing;  ///< indices by kind
  std::unordered_map<const Node*, std::string> references;
  std::unordered_map<uint64_t, std::vector<NodeRef>> sizes;  ///< by hash

  /// The first of equal sizes: whether they are one object is not what a text says.
  NodeRef first(const NodeRef& node) {
    if (!isa<tir::BinaryNode>(node)) return node;
    std::vector<NodeRef>& alike = sizes[structuralHash(node)];
    const auto hit =
        std::find_if(alike.begin(), alike.end(), [&](const NodeRef& o) { return structuralEqual(o, node); });
    if (hit != alike.end()) return *hit;
    alike.push_back(node);
    return node;
  }

  /// Index of the node in `nodes`, appended where it is new.
  size_t write(const NodeRef& node);
  Json fieldsOf(const ir::DictAttrs& dict, const AttrSchema& schema);

  Json nodes, blobs;
  std::unordered_map<const Node*, size_t> written;
};

size_t MetadataWriter::State::write(const NodeRef& node) {
  if (!node || isa<ir::NullAttr>(node)) return 0;
  if (const auto hit = written.find(node.get()); hit != written.end()) return hit->second;
  const size_t index = nodes.size();
  written.emplace(node.get(), index);
  nodes.push_back(Json::object());
  Json out;
  auto typed = [&](const char* key, Json attrs) { out = Json{{"type_key", key}, {"attrs", std::move(attrs)}}; };
  auto boxed = [&](const char* key, std::string text) { out = Json{{"type_key", key}, {"repr_str", std::move(text)}}; };
  auto reference = [&](const NodeRef& child) { return std::to_string(write(child)); };
  if (const auto* constant = as<Constant>(node)) {
    typed("relay.Constant", {{"data", std::to_string(blobs.size())}, {"span", "0"}});
    blobs.push_back(blobOf(*constant->data));
  } else if (const auto* text = as<ir::StrAttr>(node)) {
    boxed("runtime.String", text->value.string());
  } else if (const auto* number = as<ir::IntAttr>(node)) {
    boxed("runtime.BoxInt", std::to_string(number->value));
  } else if (const auto* truth = as<ir::BoolAttr>(node)) {
    boxed("runtime.BoxBool", truth->value ? "1" : "0");
  } else if (const auto* real = as<ir::FloatAttr>(node)) {
    boxed("runtime.BoxFloat", fmt::format("{}", real->value));
  } else if (const auto* imm = as<tir::IntImm>(node)) {
    typed("IntImm", {{"dtype", imm->dtype.str()}, {"span", "0"}, {"value", std::to_string(imm->value)}});
  } else if (const auto* var = as<tir::Var>(node)) {
    typed(isa<tir::SizeVar>(node) ? "tir.SizeVar" : "tir.Var",
          {{"dtype", "int64"}, {"name", reference(ir::strAttr(var->name))}, {"span", "0"}, {"type_annotation", "0"}});
  } else if (isa<IncompleteType>(node)) {
    typed("IncompleteType", {{"kind", "0"}, {"span", "0"}});
  } else if (const auto* list = as<ir::ArrayAttr>(node)) {
    Json data = Json::array();
    for (const NodeRef& item : list->items) data.push_back(write(item));
    out = Json{{"type_key", "Array"}, {"data", std::move(data)}};
  } else if (const auto* dict = as<ir::DictAttrs>(node)) {
    const std::string_view key = ir::strAttrOf(ir::Attrs(dict), kRecordKey);
    if (const AttrSchema* record = findRecord(key)) {
      typed(std::string(key).c_str(), fieldsOf(*dict, *record));
    } else {
      Json keys = Json::array(), data = Json::array();
      for (const Str& name : dict->keys) keys.push_back(name.string());
      for (const NodeRef& value : dict->values) data.push_back(write(value));
      out = Json{{"type_key", "Map"}, {"keys", std::move(keys)}, {"data", std::move(data)}};
    }
  } else if (const auto* binary = as<tir::BinaryNode>(node)) {
    typed(std::string(arithmeticKey(node->kind())).c_str(),
          {{"a", reference(binary->a)}, {"b", reference(binary->b)}, {"dtype", "int64"}, {"span", "0"}});
  }
  nodes[index] = std::move(out);
  return index;
}

Json MetadataWriter::State::fieldsOf(const ir::DictAttrs& dict, const AttrSchema& schema) {
  Json out = Json::object();
  for (const AttrField& field : schema.fields) {
    const NodeRef value = dict.get(field.name);
    const auto* number = as<ir::IntAttr>(value);
    const bool plain = field.form == FieldForm::Int && number;
    out[std::string(field.name)] = std::to_string(plain ? number->value : static_cast<int64_t>(write(value)));
  }
  return out;
}

MetadataWriter::MetadataWriter() : state_(std::make_unique<State>()) {}
MetadataWriter::~MetadataWriter() = default;

std::string MetadataWriter::reference(const NodeRef& referred) {
  const NodeRef node = state_->first(referred);
  std::string& known = state_->references[node.get()];
  if (!known.empty()) return known;
  const std::string key = keyOf(*node);
  std::vector<NodeRef>& list = state_->referred[key];
  for (const auto missing = state_->missing.find(key);
       missing != state_->missing.end() && missing->second.contains(list.size());) {
    list.push_back(nullptr);
  }
  known = "meta[" + key + "][" + std::to_string(list.size()) + "]";
  list.push_back(node);
  return known;
}

void MetadataWriter::reserve(std::string_view reference) {
  const size_t key = reference.find('['), index = reference.rfind('[');
  uint64_t number = 0;
  std::from_chars(reference.data() + index + 1, reference.data() + reference.size(), number);
  state_->missing[std::string(reference.substr(key + 1, index - key - 2))].insert(number);
}

bool MetadataWriter::empty() const { return state_->referred.empty(); }

std::string MetadataWriter::json() const {
  State& state = *state_;
  state.nodes = Json::array({Json{{"type_key", ""}}, Json::object()});
  state.blobs = Json::array();
  state.written.clear();
  Json keys = Json::array(), lists = Json::array();
  auto referred = state.referred;
  for (const auto& [key, indices] : state.missing) {
    std::vector<NodeRef>& values = referred[key];
    values.resize(std::max(values.size(), static_cast<size_t>(*indices.rbegin()) + 1));
  }
  for (const auto& [key, values] : referred) {
    Json data = Json::array();
    for (const NodeRef& value : values) data.push_back(state.write(value));
    keys.push_back(key);
    lists.push_back(state.nodes.size());
    state.nodes.push_back(Json{{"type_key", "Array"}, {"data", std::move(data)}});
  }
  state.nodes[1] = Json{{"type_key", "Map"}, {"keys", std::move(keys)}, {"data", std::move(lists)}};
  const Json all{{"root", 1},
                 {"nodes", std::move(state.nodes)},
                 {"b64ndarrays", std::move(state.blobs)},
                 {"attrs", Json{{"tvm_version", "0.18.0"}}}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rx::relay
