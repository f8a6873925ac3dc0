// In which layouts an operator takes its arguments and gives its result, and how its attributes change with them: a
// column beside the operator table. Names, order and refusals follow TVM's FRelaxInferLayout.
#pragma once

#include <map>
#include <span>

#include "core/analysis/nested_layout.h"
#include "core/ir/module.h"
#include "core/support/result.h"

namespace rx::analysis {

/// By operator, the layouts that it should have: of data, of weights, and of the result (that of the data when left
/// out).
using DesiredLayouts = std::map<std::string, std::vector<LayoutText>, std::less<>>;

struct LayoutQuery {
  const relax::Call& call;  ///< as it was, with StructInfo
  const DesiredLayouts& desired;
  const LayoutMap& layouts;  ///< of the variables that the call uses
};

/// What an operator makes of a query.
struct CallLayouts {
  std::vector<NLayout> inputs;  ///< of the first arguments; the others stay as they are
  NLayout output;
  ir::Attrs attrs;
  std::vector<std::pair<size_t, relax::Expr>> newArgs;  ///< arguments that change otherwise
};

using InferLayout = Result<CallLayouts> (*)(const LayoutQuery& query);
struct LayoutRow {
  std::string_view op;
  InferLayout infer;
};
std::span<const LayoutRow> allLayoutRows();
/// The rule of an operator; null where it knows of no other layout than the one it has.
InferLayout layoutRule(std::string_view op);
/// The same with operators that TVM brings back to the layout that they had, and that need not be.
InferLayout wideLayoutRule(std::string_view op);

}  // namespace rx::analysis
