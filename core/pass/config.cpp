#include "core/pass/config.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ir/json_attrs.h"
#include "core/pass/context_pass.h"
#include "core/pass/literal.h"
#include "core/pass/options.h"
#include "core/support/nearest.h"

namespace rx::pass {

namespace {

const ConfigKey* keyNamed(std::string_view name) {
  const auto keys = configKeys();
  const auto hit = std::find_if(keys.begin(), keys.end(), [&](const ConfigKey& key) { return key.spec.name == name; });
  return hit == keys.end() ? nullptr : &*hit;
}

const OptionSpec* fieldNamed(const ConfigKey& key, std::string_view name) {
  const auto hit =
      std::find_if(key.fields.begin(), key.fields.end(), [&](const auto& field) { return field.name == name; });
  return hit == key.fields.end() ? nullptr : &*hit;
}

/// Checks the entries of a config, with the places of their keys in its text.
class ConfigCheck {
 public:
  explicit ConfigCheck(std::string_view json) : json_(json) {}
  std::vector<Diagnostic> run(const ir::DictAttrs& config) {
    for (size_t i = 0; i < config.size(); ++i) checkEntry(config.keys[i].view(), config.values[i]);
    return std::move(problems_);
  }

 private:
  void add(std::initializer_list<std::string_view> path, std::string message, std::string fix = {}) {
    Diagnostic error = errorAt(ir::keyPlace(json_, {path.begin(), path.size()}), "pass.config", std::move(message));
    error.fix = std::move(fix);
    problems_.push_back(std::move(error));
  }
  void checkFields(const ConfigKey& key, const ir::DictAttrs& entry);
  void checkEntry(std::string_view name, const NodeRef& value);

  std::string_view json_;
  std::vector<Diagnostic> problems_;
};

void ConfigCheck::checkFields(const ConfigKey& key, const ir::DictAttrs& entry) {
  for (size_t i = 0; i < entry.size(); ++i) {
    const std::string_view name = entry.keys[i].view();
    const OptionSpec* field = fieldNamed(key, name);
    if (!field) {
      std::string fields;
      for (const OptionSpec& each : key.fields) fields += fmt::format("{}{}", fields.empty() ? "" : ", ", each.name);
      add({key.spec.name, name}, fmt::format("{} has no field '{}'", key.spec.name, name), "its fields: " + fields);
    } else if (const char* form = misfit(field->kind, entry.values[i])) {
      add({key.spec.name, name}, fmt::format("{}: field '{}' takes {}", key.spec.name, name, form));
    }
  }
}

void ConfigCheck::checkEntry(std::string_view name, const NodeRef& value) {
  const ConfigKey* key = keyNamed(name);
  if (!key) {
    Nearest nearest(name);
    for (const ConfigKey& each : configKeys()) nearest.offer(each.spec.name);
    add({name}, fmt::format("the config of passes has no key '{}'", name), nearest.fix());
  } else if (const char* form = misfit(key->spec.kind, value)) {
    add({name}, fmt::format("the key '{}' takes {}", name, form));
  } else if (const auto* entry = as<ir::DictAttrs>(value)) {
    checkFields(*key, *entry);
  }
}

/// A number or truth value that is written as TVM prints it: "11", "T.bool(True)". Anything else stays.
NodeRef unwrapped(std::string_view name, const NodeRef& value) {
  const ConfigKey* key = keyNamed(name);
  const auto* text = as<ir::StrAttr>(value);
  const bool isPlain = key && (key->spec.kind == OptionKind::Int || key->spec.kind == OptionKind::Bool);
  if (!isPlain || !text) return value;
  std::string_view literal = text->value.view();
  const size_t open = literal.find('(');
  if (literal.starts_with("T.") && open != std::string_view::npos && literal.ends_with(')')) {
    literal = literal.substr(open + 1, literal.size() - open - 2);
  }
  size_t at = 0;
  const Result<NodeRef> read = readLiteral(literal, at);
  return read && at == literal.size() && !misfit(key->spec.kind, *read) ? *read : value;
}

}  // namespace

Result<ir::Attrs> readConfig(std::string_view json) {
  Result<ir::Attrs> read = ir::attrsFromJson(json);
  if (!read) {
    std::vector<Diagnostic> refused = read.diagnostics();
    refused.front().span = ir::jsonFault(json);
    return fail(std::move(refused));
  }
  return checkedConfig(*read, json);
}

Result<ir::Attrs> checkedConfig(const ir::Attrs& given, std::string_view json) {
  std::vector<std::pair<Str, NodeRef>> entries;
  for (size_t i = 0; given && i < given->size(); ++i)
    entries.emplace_back(given->keys[i], unwrapped(given->keys[i].view(), given->values[i]));
  const auto config = make<ir::DictAttrs>(entries);
  std::vector<Diagnostic> problems = ConfigCheck(json).run(*config);
  if (!problems.empty()) return fail(std::move(problems));
  return config;
}

NodeRef configOf(const PassContext& context, std::string_view key, std::string_view field) {
  const NodeRef entry = ir::attrOf(context.config, key);
  const NodeRef given = field.empty() ? entry : ir::attrOf(refAs<ir::DictAttrs>(entry), field);
  if (given) return given;
  const ConfigKey* row = keyNamed(key);
  const OptionSpec* spec = !row ? nullptr : field.empty() ? &row->spec : fieldNamed(*row, field);
  return spec ? fallbackOf(*spec) : nullptr;
}

int64_t configNumber(const PassContext& context, std::string_view key, std::string_view field) {
  const NodeRef value = configOf(context, key, field);
  const auto* number = as<ir::IntAttr>(value);
  const auto* truth = as<ir::BoolAttr>(value);
  return number ? number->value : truth && truth->value ? 1 : 0;
}

bool configFlag(const PassContext& context, std::string_view key, std::string_view field) {
  return configNumber(context, key, field) != 0;
}

}  // namespace rx::pass
