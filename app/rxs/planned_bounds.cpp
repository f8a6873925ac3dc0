#include "app/rxs/planned_bounds.h"

#include <fmt/format.h>

#include <map>

#include "core/ir/attrs.h"
#include "core/support/stack.h"

namespace rx::cli {

namespace {

const char* boundAttribute(bool above) { return above ? "tir_var_upper_bound" : "tir_var_lower_bound"; }

struct Size {
  int64_t value = 0;
  std::string by;  ///< "x, axis 0"
};
using Sizes = std::map<std::string_view, Size>;

/// The sizes of the symbols that are dimensions of a parameter on their own; of one that comes again the first counts.
void noteSizes(const relax::StructInfo& info, const vm::Value& value, const std::string& who, Sizes& sizes) {
  if (const auto* tuple = as<relax::TupleStructInfo>(info)) {
    if (!value.is(vm::ValueKind::Tuple)) return;
    const auto& items = value.asTuple();
    for (size_t i = 0; i < tuple->items.size() && i < items.size(); ++i)
      withStack([&] { noteSizes(tuple->items[i], items[i], fmt::format("{}[{}]", who, i), sizes); });
    return;
  }
  const auto* tensor = as<relax::TensorStructInfo>(info);
  const auto* shape = tensor ? as<relax::ShapeExpr>(tensor->shape) : nullptr;
  if (!shape || !value.is(vm::ValueKind::Tensor)) return;
  const auto given = value.tensor().shape();
  for (size_t i = 0; i < shape->values.size() && i < given.size(); ++i)
    if (const auto* symbol = as<tir::Var>(shape->values[i]))
      sizes.try_emplace(symbol->name.view(), Size{given[i], fmt::format("{}, axis {}", who, i)});
}

/// A finding for each size that a bound does not allow.
void checkAgainst(const ir::Attrs& attrs, bool above, std::string_view name, const Sizes& sizes,
                  std::vector<Diagnostic>& problems) {
  const NodeRef stated = ir::attrOf(attrs, boundAttribute(above));
  const auto* bounds = as<ir::DictAttrs>(stated);
  for (size_t i = 0; bounds && i < bounds->keys.size(); ++i) {
    const auto* bound = as<ir::IntAttr>(bounds->values[i]);
    const auto known = sizes.find(bounds->keys[i].view());
    if (!bound || known == sizes.end()) continue;
    const int64_t size = known->second.value;
    if (above ? size <= bound->value : size >= bound->value) continue;
    problems.push_back(beyondBound(known->first, size, known->second.by, name, above, bound->value));
  }
}

}  // namespace

Diagnostic beyondBound(std::string_view symbol, int64_t size, std::string_view by, std::string_view function,
                       bool above, int64_t bound) {
  Diagnostic problem =
      errorAt({}, "run.bound",
              fmt::format("{} is {}{}{}, but {} is made for {} {}", symbol, size, by.empty() ? "" : " by ", by,
                          function, above ? "at most" : "at least", bound));
  problem.context = std::string(function);
  problem.fix =
      fmt::format("give {} sizes, or change {} of the function", above ? "smaller" : "larger", boundAttribute(above));
  return problem;
}

Result<Unit> checkPlannedBounds(const relax::Function& function, std::string_view name,
                                const std::vector<vm::Value>& values, const relax::Function& later) {
  Sizes sizes;
  for (size_t i = 0; i < function.params.size() && i < values.size(); ++i)
    noteSizes(function.params[i]->sinfo, values[i], function.params[i]->name.string(), sizes);
  std::vector<Diagnostic> problems;
  checkAgainst(later.attrs, true, name, sizes, problems);
  checkAgainst(later.attrs, false, name, sizes, problems);
  if (!problems.empty()) return fail(std::move(problems));
  return Unit{};
}

}  // namespace rx::cli
