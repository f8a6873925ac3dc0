// From what is said about a target to the target: TVM v0.25's rules of defaults, keys and features of processors.
#include <fmt/format.h>

#include <algorithm>

#include "core/ir/json_attrs.h"
#include "core/support/nearest.h"
#include "core/target/reader.h"
#include "core/target/tags.h"

namespace rx::target {

namespace {

/// Hosts of hosts beyond this are a mistake.
constexpr int kMaxHosts = 8;

/// What stands for a value that neither text nor table gives.
struct Filled {
  std::string_view kind, key, value;
};
constexpr Filled kFilled[] = {
    {"cuda", "arch", "sm_50"},  {"nvptx", "mtriple", "nvptx64-nvidia-cuda"},  {"nvptx", "mcpu", "sm_50"},
    {"rocm", "mcpu", "gfx900"}, {"rocm", "mtriple", "amdgcn-amd-amdhsa-hcc"},
};
/// How the value of an attribute has to begin.
struct Beginning {
  std::string_view kind, key, prefix;
};
constexpr Beginning kBeginnings[] = {{"cuda", "arch", "sm_"}, {"nvptx", "mcpu", "sm_"}, {"rocm", "mcpu", "gfx"}};

constexpr std::string_view kStructural[] = {"kind", "tag", "keys", "host"};
bool isStructural(std::string_view key) {
  return std::find(std::begin(kStructural), std::end(kStructural), key) != std::end(kStructural);
}
bool isFeature(std::string_view key) { return key.starts_with("feature."); }

constexpr std::string_view kFormNames[] = {"True or False", "an integer", "a text", "a list of texts", "a value"};

bool isTexts(const NodeRef& value) {
  const auto* list = as<ir::ArrayAttr>(value);
  return list &&
         std::all_of(list->items.begin(), list->items.end(), [](const NodeRef& v) { return isa<ir::StrAttr>(v); });
}

/// The value in the form that the attribute has; null where it can not be.
NodeRef formed(const AttributeRow& row, const NodeRef& value) {
  std::optional<int64_t> number;
  if (const auto* i = as<ir::IntAttr>(value)) number = i->value;
  if (const auto* b = as<ir::BoolAttr>(value)) number = b->value;
  switch (row.form) {
    case Form::Bool:
      return number ? ir::boolAttr(*number != 0) : nullptr;
    case Form::Int:
      return number ? ir::intAttr(*number) : nullptr;
    case Form::Text:
      return isa<ir::StrAttr>(value) ? value : nullptr;
    case Form::TextList:
      return isTexts(value) ? value : nullptr;
    case Form::Any:
      break;
  }
  return value;
}

Failure unknownAttribute(std::string_view kind, std::string_view name) {
  Diagnostic error =
      errorAt({}, "target.unknown-attribute", fmt::format("a target of kind {} has no attribute '{}'", kind, name));
  Nearest nearest(name);
  for (const AttributeRow& row : attributeRows()) {
    if (row.kind.empty() || row.kind == kind) nearest.offer(row.name);
  }
  error.fix = nearest.fix();
  return fail(std::move(error));
}

Failure unknownKind(std::string_view name) {
  Diagnostic error = errorAt({}, "target.unknown-kind", fmt::format("no target is named '{}'", name));
  error.fix = nearestTarget(name);
  return fail(std::move(error));
}

/// An attribute's value as the text form of TVM v0.16 writes it ("-mattr=+a,+b", "-system-lib").
NodeRef valueOfWord(std::string_view kind, std::string_view key, std::optional<std::string_view> value) {
  const AttributeRow* row = findAttribute(kind, key);
  if (!value) return ir::boolAttr(true);
  if ((row && row->form == Form::TextList) || key == "keys") {
    std::vector<NodeRef> items;
    for (std::string_view item : wordsOf(*value, ',')) items.push_back(ir::strAttr(Str(item)));
    return ir::arrayAttr(std::move(items));
  }
  const bool digits =
      !value->empty() && value->size() < 18 && value->find_first_not_of("0123456789") == std::string_view::npos;
  if (digits && !(row && row->form == Form::Text)) return ir::intAttr(std::stoll(std::string(*value)));
  return ir::strAttr(Str(*value));
}

/// Processors of Arm's M profile, by the beginning of their name, with what they have.
struct MicroProcessor {
  std::string_view name;
  bool dsp, mve;
};
constexpr MicroProcessor kMicroProcessors[] = {
    {"cortex-m0", false, false}, {"cortex-m3", false, false}, {"cortex-m55", true, true},   {"cortex-m4", true, false},
    {"cortex-m7", true, false},  {"cortex-m33", true, false}, {"cortex-m35p", true, false}, {"cortex-m85", true, true},
};
/// The longest name that the text begins with.
const MicroProcessor* findMicroProcessor(std::string_view name) {
  const MicroProcessor* found = nullptr;
  for (const MicroProcessor& row : kMicroProcessors) {
    if (name.starts_with(row.name) && (!found || row.name.size() > found->name.size())) found = &row;
  }
  return found;
}

std::vector<std::string> textsOf(const NodeRef& value) {
  std::vector<std::string> texts;
  const auto* list = as<ir::ArrayAttr>(value);
  for (size_t i = 0; list && i < list->items.size(); ++i) {
    if (const auto* text = as<ir::StrAttr>(list->items[i])) texts.push_back(text->value.string());
  }
  return texts;
}

/// A target that is for an Arm processor by TVM's rule: its 64-bit triples may be written arm64 too.
bool isArmCpu(const ir::Attrs& attrs) {
  const std::string_view triple = ir::strAttrOf(attrs, "mtriple");
  return triple.starts_with("aarch64") || triple.starts_with("arm") ||
         findMicroProcessor(ir::strAttrOf(attrs, "mcpu")) != nullptr;
}

}  // namespace

std::string_view hostTriple() {
#if defined(__aarch64__)
  return "aarch64-linux-gnu";
#else
  return "x86_64-linux-gnu";
#endif
}

std::string_view filledValue(std::string_view kind, std::string_view key) {
  for (const Filled& row : kFilled) {
    if (row.kind == kind && row.key == key) return row.value;
  }
  return {};
}

std::vector<std::pair<Str, NodeRef>> featureAttrs(std::string_view kind, const ir::Attrs& attrs,
                                                  const Processor& processor) {
  const std::string_view triple = ir::strAttrOf(attrs, "mtriple"), cpu = ir::strAttrOf(attrs, "mcpu");
  if ((kind != "llvm" && kind != "c") || !isArmCpu(attrs)) return {};
  if (const MicroProcessor* micro = findMicroProcessor(cpu)) {
    const std::vector<std::string> features = textsOf(ir::attrOf(attrs, "mattr"));
    auto without = [&](std::string_view flag) {
      return cpu.find(flag) != std::string_view::npos ||
             std::any_of(features.begin(), features.end(),
                         [&](const std::string& f) { return f.find(flag) != std::string::npos; });
    };
    const bool dsp = micro->dsp && !without("+nodsp");
    const bool mve = dsp && micro->mve && !without("+nomve");
    return {{"feature.has_dsp", ir::boolAttr(dsp)}, {"feature.has_mve", ir::boolAttr(mve)}};
  }
  if (kind != "llvm") return {};
  return {{"feature.is_aarch64", ir::boolAttr(triple.starts_with("aarch64"))},
          {"feature.has_asimd", ir::boolAttr(processor.has("neon"))},
          {"feature.has_sve", ir::boolAttr(processor.has("sve"))},
          {"feature.has_dotprod", ir::boolAttr(processor.has("dotprod"))},
          {"feature.has_matmul_i8", ir::boolAttr(processor.has("i8mm"))},
          {"feature.has_fp16_simd", ir::boolAttr(processor.has("fullfp16"))},
          {"feature.has_sme", ir::boolAttr(processor.has("sme"))}};
}

std::vector<std::string> keysOf(const KindRow& kind, const ir::Attrs& attrs,
                                const std::optional<std::vector<std::string>>& said) {
  std::optional<std::vector<std::string>> given = said;
  if ((kind.name == "llvm" || kind.name == "c") && isArmCpu(attrs)) {
    if (!given) given.emplace();
    given->insert(given->end(), {"arm_cpu", "cpu"});
  }
  std::vector<std::string> all = given.value_or(std::vector<std::string>());
  if (const std::string_view device = ir::strAttrOf(attrs, "device"); !device.empty()) all.emplace_back(device);
  if (!given) {
    for (std::string_view key : wordsOf(kind.keys)) all.emplace_back(key);
  }
  std::vector<std::string> keys;
  for (std::string& key : all) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(std::move(key));
  }
  return keys;
}

Result<ir::Attrs> attrsOfText(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return fail("target.syntax", "a target is needed, not an empty text");
  text = text.substr(first, text.find_last_not_of(" \t\n") + 1 - first);
  if (text.starts_with('{')) return ir::attrsFromJson(text, "target.syntax");
  if (ir::Attrs tagged = taggedAttrs(text)) return tagged;
  std::vector<std::pair<Str, NodeRef>> entries;
  std::string_view kind;
  for (std::string_view word : wordsOf(text)) {
    if (entries.empty()) {
      const ir::Attrs tagged = taggedAttrs(word);
      for (size_t i = 0; tagged && i < tagged->size(); ++i) entries.emplace_back(tagged->keys[i], tagged->values[i]);
      if (!tagged) entries.emplace_back("kind", ir::strAttr(Str(word)));
      kind = as<ir::StrAttr>(entries[0].second)->value.view();
      continue;
    }
    if (!word.starts_with('-')) {
      return fail("target.syntax", fmt::format("'{}' stands where an attribute is expected: -name=value", word));
    }
    while (word.starts_with('-')) word.remove_prefix(1);
    const size_t equal = word.find('=');
    const std::string_view key = word.substr(0, equal);
    std::optional<std::string_view> value;
    if (equal != std::string_view::npos) value = word.substr(equal + 1);
    entries.emplace_back(Str(key), valueOfWord(kind, key, value));
  }
  return make<ir::DictAttrs>(entries);
}

Result<TargetRef> TargetReader::read(const NodeRef& value, int depth) {
  if (depth > kMaxHosts) return fail("target.value", fmt::format("hosts nest deeper than {}", kMaxHosts));
  if (const auto* text = as<ir::StrAttr>(value)) {
    RX_TRY(attrs, attrsOfText(text->value.view()));
    return TargetReader(attrs).run(depth);
  }
  auto dict = refAs<ir::DictAttrs>(value);
  if (!dict) return fail("target.value", "a target is a text or a dictionary");
  return TargetReader(dict).run(depth);
}

Result<TargetRef> TargetReader::run(int depth) {
  RX_CHECK(applyTag());
  const NodeRef kind = said_->get("kind");
  if (!kind) return fail("target.syntax", "a target needs a \"kind\"");
  if (!isa<ir::StrAttr>(kind)) return fail("target.value", "the kind of a target is a text");
  target_.row_ = findKind(as<ir::StrAttr>(kind)->value.view());
  if (!target_.row_) return unknownKind(as<ir::StrAttr>(kind)->value.view());
  target_.tag_ = ir::strAttrOf(said_, "tag");
  const NodeRef host = said_->get("host");
  if (host && !isa<ir::NullAttr>(host)) {
    RX_TRY(read, TargetReader::read(host, depth + 1));
    target_.host_ = read;
  }
  RX_CHECK(readAttributes());
  fill();
  RX_CHECK(readProcessor());
  RX_CHECK(readKeys());
  return TargetRef(new Target(target_));
}

Result<Unit> TargetReader::applyTag() {
  if (said_->get("kind") || !said_->get("tag")) return Unit{};
  const std::string_view tag = ir::strAttrOf(said_, "tag");
  ir::Attrs all = taggedAttrs(tag);
  if (!all) return unknownKind(tag);
  for (size_t i = 0; i < said_->size(); ++i) all = ir::withAttr(all, said_->keys[i], said_->values[i]);
  said_ = all;
  return Unit{};
}

Result<Unit> TargetReader::readAttributes() {
  const std::string_view kind = target_.kind();
  for (size_t i = 0; i < said_->size(); ++i) {
    const std::string_view key = said_->keys[i].view();
    const NodeRef& value = said_->values[i];
    if (isStructural(key) || isa<ir::NullAttr>(value)) continue;
    if (isFeature(key)) {
      features_.emplace_back(said_->keys[i], value);
      continue;
    }
    const AttributeRow* row = findAttribute(kind, key);
    if (!row) return unknownAttribute(kind, key);
    const NodeRef made = formed(*row, value);
    if (!made) {
      return fail("target.value",
                  fmt::format("'{}' of a target takes {}", key, kFormNames[static_cast<size_t>(row->form)]));
    }
    for (const Beginning& rule : kBeginnings) {
      if (rule.kind != kind || rule.key != key) continue;
      const std::string_view text = as<ir::StrAttr>(made)->value.view();
      if (!text.starts_with(rule.prefix)) {
        return fail("target.value", fmt::format("'{}' of a {} target begins with {}", key, kind, rule.prefix));
      }
    }
    entries_.emplace_back(said_->keys[i], made);
  }
  return Unit{};
}

void TargetReader::fill() {
  const std::string_view kind = target_.kind();
  auto has = [&](std::string_view key) {
    return std::any_of(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.first == key; });
  };
  for (const AttributeRow& row : attributeRows()) {
    if (row.kind != kind || has(row.name)) continue;
    const std::string_view text = filledValue(kind, row.name);
    if (!text.empty()) entries_.emplace_back(Str(row.name), ir::strAttr(Str(text)));
    if (row.fallback == kNoDefault) continue;
    const bool isBool = row.form == Form::Bool;
    entries_.emplace_back(Str(row.name), isBool ? ir::boolAttr(row.fallback != 0) : ir::intAttr(row.fallback));
  }
  if (kind == "llvm" && !has("mtriple") && !has("mcpu"))
    entries_.emplace_back("mtriple", ir::strAttr(Str(hostTriple())));
  target_.attrs_ = make<ir::DictAttrs>(entries_);
}

Result<Unit> TargetReader::readProcessor() {
  const ir::Attrs& attrs = target_.attrs_;
  const std::string_view triple = ir::strAttrOf(attrs, "mtriple"), cpu = ir::strAttrOf(attrs, "mcpu");
  if (target_.kind() == "llvm") {
    Architecture architecture = architectureOf(triple);
    if (findMicroProcessor(cpu)) architecture = Architecture::Arm;
    if (triple.empty() && architecture == Architecture::Unknown) {
      architecture = architectureWithProcessor(cpu);
      if (architecture == Architecture::Unknown) architecture = architectureOf(hostTriple());
    }
    RX_TRY(processor, makeProcessor(architecture, cpu, textsOf(ir::attrOf(attrs, "mattr"))));
    target_.processor_ = std::move(processor);
  }
  std::vector<std::pair<Str, NodeRef>> known = featureAttrs(target_.kind(), attrs, target_.processor_);
  for (const auto& entry : features_) {
    const bool again =
        std::any_of(known.begin(), known.end(), [&](const auto& other) { return other.first == entry.first; });
    if (!again) entries_.push_back(entry);
  }
  entries_.insert(entries_.end(), known.begin(), known.end());
  target_.attrs_ = make<ir::DictAttrs>(entries_);
  return Unit{};
}

Result<Unit> TargetReader::readKeys() {
  std::optional<std::vector<std::string>> said;
  if (const NodeRef keys = said_->get("keys")) {
    if (!isTexts(keys)) return fail("target.value", "the keys of a target are a list of texts");
    said = textsOf(keys);
  }
  target_.keys_ = keysOf(*target_.row_, target_.attrs_, said);
  return Unit{};
}

Result<TargetRef> parseTarget(std::string_view text) { return TargetReader::read(ir::strAttr(Str(text)), 0); }

Result<TargetRef> targetOf(const NodeRef& value) { return TargetReader::read(value, 0); }

NodeRef targetForm(const NodeRef& target) {
  const Result<TargetRef> read = targetOf(target);
  return read ? (*read)->form() : target;
}

}  // namespace rx::target
