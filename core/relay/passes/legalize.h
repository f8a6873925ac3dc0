// Rules that put other operators in the place of one, by the name of their table; what the passes Legalize run.
// Private to core/relay.
#pragma once

#include "core/pass/pass.h"
#include "core/relay/emit.h"

namespace rx::relay {

/// A call that is legalized: as it was, with its types, and with its arguments legalized.
struct Legalized {
  const Call& before;
  const Call& now;
  const pass::PassContext& context;

  const Expr& arg(size_t i) const { return now.args[i]; }
  /// The type that an argument had, null where it is no tensor.
  const TensorType* type(size_t i) const { return tensorOf(before.args[i]); }
  size_t rank(size_t i) const { return type(i)->shape.size(); }
  DataType resultType() const { return as<TensorType>(before.sinfo)->dtype; }
};
/// What stands for the call; null leaves it.
using LegalizeRule = Expr (*)(const Legalized&);

namespace legalize {
#define RX_RELAY_LEGALIZE(map, op, function) Expr function(const Legalized& call);
#include "core/relay/passes/legalize_rules.def"
}  // namespace legalize

}  // namespace rx::relay
