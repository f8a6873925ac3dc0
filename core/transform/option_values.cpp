#include "core/transform/option_values.h"

#include <fmt/format.h>

#include "core/analysis/pattern_reader.h"
#include "core/ir/constant.h"
#include "core/script/parse.h"

namespace rx::transform {

namespace {

/// A nested list, flat. Lists of one level have the same length.
class ListReader {
 public:
  explicit ListReader(const NodeRef& list) {
    for (NodeRef level = list; const auto* items = as<ir::ArrayAttr>(level);) {
      shape.push_back(static_cast<int64_t>(items->items.size()));
      if (items->items.empty()) break;
      level = items->items[0];
    }
    regular = read(list, 0);
  }

  std::vector<int64_t> shape;
  std::vector<double> reals;
  std::vector<int64_t> integers;
  bool regular = false;

 private:
  /// Literals nest to a bounded depth, so that this recursion does.
  bool read(const NodeRef& value, size_t level) {
    if (const auto* list = as<ir::ArrayAttr>(value)) {
      if (level >= shape.size() || static_cast<int64_t>(list->items.size()) != shape[level]) return false;
      for (const NodeRef& item : list->items) {
        if (!read(item, level + 1)) return false;
      }
      return true;
    }
    if (level != shape.size()) return false;
    const auto* real = as<ir::FloatAttr>(value);
    const auto* integer = as<ir::IntAttr>(value);
    const auto* truth = as<ir::BoolAttr>(value);
    if (!real && !integer && !truth) return false;
    integers.push_back(integer ? integer->value : truth ? truth->value : static_cast<int64_t>(real->value));
    reals.push_back(real ? real->value : static_cast<double>(integers.back()));
    return true;
  }
};

}  // namespace

Result<Ref<relax::Constant>> tensorOption(const NodeRef& value, std::string_view name) {
  if (const auto given = refAs<relax::Constant>(value); given && given->data) return given;
  const auto* dict = as<ir::DictAttrs>(value);
  const NodeRef list = dict ? dict->get("ndarray") : nullptr;
  const std::string_view type = dict ? ir::strAttrOf(ir::Attrs(dict), "dtype") : std::string_view();
  const std::optional<DataType> dtype = DataType::parse(type);
  if (!list || !dtype) {
    return fail("pass.option-value",
                fmt::format("{} is a tensor: {{\"ndarray\": nested list, \"dtype\": \"float32\"}}", name));
  }
  const ListReader read(list);
  if (!read.regular) return fail("pass.option-value", fmt::format("the numbers of {} are no nested list", name));
  RX_TRY(data, dtype->isFloat() ? HostTensor::fromDoubles(read.shape, *dtype, read.reals)
                                : HostTensor::fromInts(read.shape, *dtype, read.integers));
  return relax::constantOf(data);
}

Result<Ref<ir::VDevice>> vdeviceOption(const NodeRef& value, std::string_view name) {
  const auto* dict = as<ir::DictAttrs>(value);
  const NodeRef target = dict ? dict->get("target") : nullptr;
  if (!isa<ir::DictAttrs>(target) && !isa<ir::StrAttr>(target)) {
    return fail(
        "pass.option-value",
        fmt::format("{} is a device: {{\"target\": {{...}}, \"vdevice_id\": 0, \"memory_scope\": \"global\"}}", name));
  }
  const ir::Attrs attrs(dict);
  return make<ir::VDevice>(target, ir::intAttrOf(attrs, "vdevice_id", 0),
                           Str(ir::strAttrOf(attrs, "memory_scope", "global")));
}

Result<analysis::DataflowPattern> patternOption(std::string_view text, std::string_view name) {
  Result<analysis::DataflowPattern> pattern = analysis::readPattern(text);
  const SourceFile source("pattern", std::string(text));
  std::vector<Diagnostic> problems = pattern.diagnostics();
  for (Diagnostic& problem : problems) {
    const LineColumn place = source.lineColumn(problem.span.begin);
    problem.message = fmt::format("pattern {}, {}:{}: {}", name, place.line, place.column, problem.message);
    problem.span = {};
  }
  if (!pattern) return fail(std::move(problems));
  if (pattern->sequence.size() == 1) return pattern;
  return fail("pattern.argument", fmt::format("pattern {}: a sequence of patterns makes no one function", name));
}

Result<ir::Module> moduleOption(std::string_view name, std::string text) {
  Result<ir::Module> module = script::parseModule(make<SourceFile>(std::string(name), std::move(text)));
  if (!module) return fail("pass.option-value", fmt::format("{}: {}", name, module.diagnostics()[0].message));
  return module;
}

Result<tir::PrimFuncRef> kernelOption(std::string_view name, std::string_view text) {
  RX_TRY(module, moduleOption(name, std::string(text)));
  const auto kernel = module->size() == 1 ? refAs<tir::PrimFunc>(module->functions[0]) : nullptr;
  if (!kernel) return fail("pass.option-value", fmt::format("{}: the text is not one PrimFunc", name));
  return cast<tir::PrimFunc>(ir::withFunctionAttrs(kernel, ir::withoutAttr(kernel->attrs, "global_symbol")));
}

}  // namespace rx::transform
