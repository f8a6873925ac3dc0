#include "core/script/metadata_read.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/ir/constant.h"
#include "core/script/relax_reader.h"
#include "core/support/base64.h"
#include "core/tensor/tensor_blob.h"

namespace rx::script {

using Json = nlohmann::json;

namespace {

/// An integer. nlohmann converts a float without a look at its range; its exceptions are caught where the block is
/// read.
int64_t whole(const Json& value) {
  if (!value.is_number_integer()) throw std::out_of_range("an index is no integer");
  return value.get<int64_t>();
}

/// The nodes of either format behind one view.
class Graph {
 public:
  explicit Graph(const Json& json) : json_(json) {
    fresh_ = json.contains("root_index");
    nodes_ = json.value("nodes", Json::array());
    blobs_ = json.value("b64ndarrays", Json::array());
  }

  Result<Metadata> read() {
    int64_t root = whole(json_.value(fresh_ ? "root_index" : "root", Json(-1)));
    Metadata out;
    const Json* map = node(root);
    if (!map) return fail("script.metadata", "the metadata block has no root");
    std::vector<std::pair<std::string, int64_t>> entries;
    if (fresh_) {
      const Json& data = map->at("data");
      for (size_t i = 0; i + 1 < data.size(); i += 2) entries.emplace_back(text(whole(data[i])), whole(data[i + 1]));
    } else {
      const Json keys = map->value("keys", Json::array()), data = map->value("data", Json::array());
      for (size_t i = 0; i < keys.size() && i < data.size(); ++i)
        entries.emplace_back(keys[i].get<std::string>(), whole(data[i]));
    }
    for (const auto& [key, index] : entries) {
      const Json* list = node(index);
      if (!list) return fail("script.metadata", "the metadata block refers to a node that it does not have");
      std::vector<NodeRef> values;
      for (const Json& item : list->value("data", Json::array())) {
        values.push_back(value(whole(item)));
        if (!error_.empty()) return fail("script.metadata", error_);
      }
      out.emplace(key, std::move(values));
    }
    return out;
  }

 private:
  const Json* node(int64_t index) const {
    if (index < 0 || static_cast<size_t>(index) >= nodes_.size() || !nodes_[static_cast<size_t>(index)].is_object())
      return nullptr;
    return &nodes_[static_cast<size_t>(index)];
  }
  std::string typeOf(const Json& n) const { return n.value(fresh_ ? "type" : "type_key", std::string()); }
  std::string text(int64_t index) const {
    const Json* n = node(index);
    if (!n) return {};
    return fresh_ ? n->value("data", std::string()) : n->value("repr_str", std::string());
  }
  /// A field that refers to a node.
  const Json* field(const Json& n, const char* name) const {
    const Json& fields = n.at(fresh_ ? "data" : "attrs");
    if (!fields.contains(name)) return nullptr;
    const Json& f = fields.at(name);
    return node(f.is_string() ? std::stoll(f.get<std::string>()) : whole(f));
  }

  NodeRef value(int64_t index) {
    const Json* n = node(index);
    if (!n) return nullptr;
    std::string type = typeOf(*n);
    if (type == "relax.expr.Constant") return constant(*n);
    if (type == "ffi.Tensor" && n->contains("data") && n->at("data").is_string()) {
      return tensorOf(n->at("data").get<std::string>());
    }
    if (type == "ffi.String" || type == "runtime.String") return ir::strAttr(Str(text(index)));
    if (type == "relax.expr.StringImm" || type == "tirx.StringImm" || type == "tir.StringImm") {
      const Json& fields = n->at(fresh_ ? "data" : "attrs");
      if (!fields.contains("value")) return nullptr;
      const Json& v = fields.at("value");
      std::string s =
          fresh_ ? (v.is_string() ? v.get<std::string>() : text(whole(v))) : text(std::stoll(v.get<std::string>()));
      return type.starts_with("relax") ? NodeRef(make<relax::StringImm>(Str(s)))
                                       : NodeRef(make<tir::StringImm>(Str(s)));
    }
    return nullptr;
  }

  NodeRef constant(const Json& n) {
    const Json& fields = n.at(fresh_ ? "data" : "attrs");
    std::string encoded;
    if (fresh_) {
      const Json* data = field(n, "data");
      if (!data || !data->contains("data") || !data->at("data").is_string()) return damaged();
      encoded = data->at("data").get<std::string>();
    } else {
      if (!fields.contains("data")) return damaged();
      size_t blob = static_cast<size_t>(std::stoull(fields.at("data").get<std::string>()));
      if (blob >= blobs_.size()) return damaged();
      encoded = blobs_[blob].get<std::string>();
    }
    return tensorOf(encoded);
  }
  NodeRef tensorOf(const std::string& encoded) {
    auto bytes = bytesOfBase64(encoded);
    if (!bytes) return damaged();
    ByteReader blob(*bytes);
    const auto tensor = getTensor(blob);
    if (!tensor) return damaged();
    return relax::constantOf(tensor);
  }
  NodeRef damaged() {
    error_ = "a constant of the metadata block is damaged";
    return nullptr;
  }

  const Json& json_;
  Json nodes_, blobs_;
  bool fresh_ = false;
  std::string error_;
};

}  // namespace

Result<Metadata> readMetadata(std::string_view json) {
  // nlohmann's exceptions end here. Their text begins with a name and a place of their own.
  auto refuse = [](Span span, std::string_view what) {
    const size_t reason = what.find(": ");
    if (reason != std::string_view::npos) what.remove_prefix(reason + 2);
    return fail(errorAt(span, "script.metadata", "the metadata block can not be read: " + std::string(what)));
  };
  try {
    Json parsed = Json::parse(json.begin(), json.end());
    return Graph(parsed).read();
  } catch (const Json::parse_error& e) {
    const auto at = static_cast<uint32_t>(std::min(std::max<size_t>(e.byte, 1), json.size()));
    return refuse({at ? at - 1 : 0, at, 0}, e.what());
  } catch (const std::exception& e) {
    return refuse({}, e.what());
  }
}

/// The byte of a literal in three quotes from which byte `offset` of its text comes.
static uint32_t placeInLiteral(std::string_view literal, size_t offset) {
  constexpr std::string_view kQuotes = "\"\"\"";
  size_t low = kQuotes.size(), high = literal.size() - kQuotes.size();
  while (low < high) {  // the shortest beginning that gives more than `offset` bytes
    const size_t middle = low + (high - low) / 2;
    const std::string beginning = std::string(literal.substr(0, middle)).append(kQuotes);
    if (decodeString(beginning).size() > offset) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return static_cast<uint32_t>(low > kQuotes.size() ? low - 1 : low);
}

void Reader::warnMissing() {
  if (missing_.empty()) return;
  const std::string count = missing_.size() == 1 ? "1 constant is" : std::to_string(missing_.size()) + " constants are";
  Diagnostic d = warningAt(firstMissing_, "script.missing-constants",
                           count + " not in the text, which was written without its metadata: what depends on " +
                               (missing_.size() == 1 ? "it" : "them") + " is known only as far as the text says");
  d.fix = "write the text again where the module is, by mod.script(show_meta=True)";
  diagnostics_.push_back(std::move(d));
}

NodeRef Reader::metadataRef(NodeId id) {
  // metadata["relax.expr.Constant"][3]
  const SynNode outer = at(id);
  const SynNode inner = at(outer.a);
  if (outer.kind != Syn::Index || inner.kind != Syn::Index || outer.b != 1 || inner.b != 1) {
    return error(id, "script.metadata", "a reference to metadata is written metadata[\"type\"][index]");
  }
  NodeRef key = eval(syntax_->kids(inner)[0]);
  NodeRef index = eval(syntax_->kids(outer)[0]);
  auto type = key ? toText(key, id) : std::nullopt;
  auto number = index ? toInt(index, id) : std::nullopt;
  if (!type || !number) return nullptr;
  if (metadataLiteral_.empty()) {
    // Left out of the text: a constant that only its use tells about.
    if (missing_.empty()) firstMissing_ = spanOf(id);
    missing_.insert(syntax_->textOf(id));
    relax_->module.facts().missingConstants = static_cast<uint32_t>(missing_.size());
    auto constant = make<relax::Constant>(
        Ref<HostTensor>(), relax::StructInfo(make<relax::TensorStructInfo>(DataType::Void(), relax::kUnknownDim)));
    const_cast<relax::Constant*>(constant.get())->unresolved = Str(syntax_->textOf(id));
    return withSpan(constant, spanOf(id));
  }
  if (!metadata_) {
    metadata_ = std::make_unique<Metadata>();
    const std::string json = decodeString(metadataLiteral_);
    auto read = readMetadata(json);
    if (!read) {
      for (Diagnostic d : read.diagnostics()) {
        if (d.span.known()) {
          const uint32_t at = metadataSpan_.begin + placeInLiteral(metadataLiteral_, d.span.begin);
          d.span = {at, at + 1, file_};
        } else {
          d.span = metadataSpan_;
        }
        diagnostics_.push_back(std::move(d));
      }
      metadataLost_ = true;
    } else {
      *metadata_ = std::move(*read);
    }
  }
  if (metadataLost_) {
    failed_ = true;
    return nullptr;
  }
  auto found = metadata_->find(type->view());
  if (found == metadata_->end() || *number < 0 || static_cast<size_t>(*number) >= found->second.size()) {
    return error(id, "script.metadata",
                 "the metadata block has no " + type->string() + " number " + std::to_string(*number));
  }
  const NodeRef& value = found->second[static_cast<size_t>(*number)];
  return value ? value
               : error(id, "script.metadata", "a " + type->string() + " of the metadata block can not stand here");
}

}  // namespace rx::script
