#include "core/transform/element_types.h"

#include "core/support/stack.h"
#include "core/transform/calls.h"

namespace rx::transform {

using relax::Expr;

Expr inTypes(const Expr& expr, const analysis::NestedType& types, const std::function<bool(DataType)>& among) {
  if (const auto* info = as<relax::TupleStructInfo>(expr->sinfo)) {
    const std::vector<Expr> fields = fieldsOf(expr);
    std::vector<Expr> now;
    for (size_t i = 0; i < info->items.size() && i < types.items.size(); ++i) {
      now.push_back(withStack([&] { return inTypes(fields[i], types.items[i], among); }));
    }
    return now == fields ? expr : Expr(make<relax::Tuple>(Array<Expr>(std::move(now))));
  }
  const auto* tensor = as<relax::TensorStructInfo>(expr->sinfo);
  if (!tensor || tensor->dtype == types.type || types.type.isVoid() || !among(tensor->dtype)) return expr;
  return op::makeCall("relax.astype", {expr}, {{"dtype", ir::typeAttr(types.type)}});
}

}  // namespace rx::transform
