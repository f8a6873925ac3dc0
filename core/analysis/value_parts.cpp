#include "core/analysis/value_parts.h"

#include "core/ir/reflect.h"
#include "core/support/stack.h"

namespace rx::analysis {

void walkValue(const Node& value, const ValueParts& parts) {
  walk(value, Into::Parts, [&](const Node& node) {
    if (const auto* seq = as<relax::SeqExpr>(&node)) {
      withStack([&] { parts.sequence(*seq); });
      return false;
    }
    if (const auto* function = as<relax::Function>(&node)) {
      withStack([&] { parts.function(*function); });
      return false;
    }
    const auto* call = as<relax::Call>(&node);
    if (call && parts.enters && !parts.enters(*call)) return false;
    const auto* var = as<relax::Var>(&node);
    if (var) parts.variable(*var);
    return !var;
  });
}

}  // namespace rx::analysis
