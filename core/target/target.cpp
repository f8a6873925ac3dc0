#include "core/target/target.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/ir/structural_equal.h"
#include "core/support/processor.h"
#include "core/target/reader.h"

namespace rx::target {

namespace {

struct VectorRow {
  std::string_view features;
  int64_t bits;
};
/// Widest first. AVX-512 alone, as the first processors had it, has no instructions for what is narrower.
constexpr VectorRow kVectors[] = {{"avx512f avx512vl", 512}, {"avx", 256}, {"sse", 128}, {"neon", 128}, {"v", 128}};
constexpr int64_t kNoVectors = 64;

/// A triple that says no more than "the machine that compiles" says in TVM's texts.
bool isHostTriple(std::string_view triple) {
  return triple == hostTriple() || (architectureOf(hostTriple()) == Architecture::X86_64 &&
                                    triple.starts_with("x86_64-") && triple.ends_with("linux-gnu"));
}

/// Whether a target that does not say this attribute has it all the same.
bool isImplied(const Target& target, std::string_view key, const NodeRef& value) {
  if (const auto* text = as<ir::StrAttr>(value)) {
    const std::string_view filled = filledValue(target.kind(), key);
    return (!filled.empty() && text->value == filled) ||
           (key == "mtriple" && target.kind() == "llvm" && target.text("mcpu").empty() &&
            isHostTriple(text->value.view()));
  }
  const AttributeRow* row = findAttribute(target.kind(), key);
  if (row && row->fallback != kNoDefault) return target.number(key) == row->fallback;
  for (const auto& [name, feature] : featureAttrs(target.kind(), target.attrs(), target.processor())) {
    if (name == key) return structuralEqual(feature, value);
  }
  return false;
}

NodeRef keysAttr(const std::vector<std::string>& keys) {
  std::vector<NodeRef> items;
  for (const std::string& key : keys) items.push_back(ir::strAttr(key));
  return ir::arrayAttr(std::move(items));
}

/// JSON of attribute values; what a target holds nests no deeper than the text that it was read from.
nlohmann::json jsonOf(const NodeRef& value) {
  if (const auto* b = as<ir::BoolAttr>(value)) return b->value;
  if (const auto* i = as<ir::IntAttr>(value)) return i->value;
  if (const auto* f = as<ir::FloatAttr>(value)) return f->value;
  if (const auto* s = as<ir::StrAttr>(value)) return s->value.string();
  if (const auto* list = as<ir::ArrayAttr>(value)) {
    nlohmann::json items = nlohmann::json::array();
    for (const NodeRef& item : list->items) items.push_back(jsonOf(item));
    return items;
  }
  nlohmann::json object = nlohmann::json::object();
  const auto* dict = as<ir::DictAttrs>(value);
  for (size_t i = 0; dict && i < dict->size(); ++i) object[dict->keys[i].string()] = jsonOf(dict->values[i]);
  return object;
}

}  // namespace

int64_t Target::deviceType() const { return number("target_device_type").value_or(row_->deviceType); }

bool Target::hasKey(std::string_view key) const { return std::find(keys_.begin(), keys_.end(), key) != keys_.end(); }

std::optional<int64_t> Target::number(std::string_view name) const {
  const NodeRef value = ir::attrOf(attrs_, name);
  if (const auto* i = as<ir::IntAttr>(value)) return i->value;
  if (const auto* b = as<ir::BoolAttr>(value)) return b->value;
  return std::nullopt;
}

TargetRef Target::withHost(TargetRef host) const {
  auto* copy = new Target(*this);
  copy->host_ = std::move(host);
  return TargetRef(copy);
}

bool Target::isThisMachine() const {
  return kind() == "llvm" && text("mcpu").empty() && !ir::attrOf(attrs_, "mattr") && isHostTriple(text("mtriple"));
}

bool Target::has(std::string_view features) const {
  if (isThisMachine()) return missingFeature(features).empty();
  const std::vector<std::string_view> names = wordsOf(features);
  return std::all_of(names.begin(), names.end(), [&](std::string_view name) { return processor_.has(name); });
}

int64_t Target::vectorBits() const {
  if (const auto said = number("vector-width")) return *said;
  const auto widest =
      std::find_if(std::begin(kVectors), std::end(kVectors), [&](const VectorRow& row) { return has(row.features); });
  return widest == std::end(kVectors) ? kNoVectors : widest->bits;
}

bool Target::multipliesBytes() const {
  if (processor_.architecture != Architecture::X86_64) return false;
  const int64_t bits = vectorBits();
  if (bits >= kVectors[0].bits) return has("avx512vnni") || has("avx512bw");
  return bits >= 256 && has("avx2");
}

std::vector<std::string_view> Target::scopes() const {
  std::vector<std::string_view> scopes{"global"};
  for (std::string_view scope : wordsOf(row_->scopes)) scopes.push_back(scope);
  return scopes;
}

NodeRef Target::form() const {
  const NodeRef name = ir::strAttr(Str(kind()));
  std::vector<std::pair<Str, NodeRef>> kept{{"kind", name}};
  for (size_t i = 0; attrs_ && i < attrs_->size(); ++i) {
    if (!isImplied(*this, attrs_->keys[i].view(), attrs_->values[i]))
      kept.emplace_back(attrs_->keys[i], attrs_->values[i]);
  }
  if (keys_ != keysOf(*row_, attrs_, std::nullopt)) kept.emplace_back("keys", keysAttr(keys_));
  if (!tag_.empty()) kept.emplace_back("tag", ir::strAttr(tag_));
  if (host_) kept.emplace_back("host", host_->form());
  return kept.size() == 1 ? name : NodeRef(make<ir::DictAttrs>(kept));
}

ir::Attrs Target::fullForm() const {
  std::vector<std::pair<Str, NodeRef>> all{
      {"kind", ir::strAttr(Str(kind()))}, {"tag", ir::strAttr(tag_)}, {"keys", keysAttr(keys_)}};
  if (host_) all.emplace_back("host", host_->fullForm());
  for (size_t i = 0; attrs_ && i < attrs_->size(); ++i) all.emplace_back(attrs_->keys[i], attrs_->values[i]);
  return make<ir::DictAttrs>(all);
}

std::string Target::json() const { return jsonOf(fullForm()).dump(); }

bool sameTarget(const TargetRef& a, const TargetRef& b) {
  if (!a || !b) return !a && !b;
  return structuralEqual(a->fullForm(), b->fullForm());
}

}  // namespace rx::target
