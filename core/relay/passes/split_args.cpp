// SplitArgs: a concatenation of more tensors than a kernel may have arguments becomes several, each of a part of the
// tensors and of what was joined before, with an end of fusion between them.
#include <fmt/format.h>

#include "core/relay/emit.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// What a kernel needs beside the tensor itself where extents are open: these, and the strides. Of results the strides.
int64_t furtherArgs(const TensorType& type, bool isResult) {
  int64_t open = 0;
  for (const Dim& dim : type.shape) open += dim ? 0 : 1;
  const auto rank = static_cast<int64_t>(type.shape.size());
  return open == 0 ? 0 : isResult ? rank : open + rank;
}

int64_t argsOf(const Expr& tensor) {
  const TensorType* type = tensorOf(tensor);
  return 1 + (type ? furtherArgs(*type, false) : 0);
}

Expr joined(std::vector<Expr> items, int64_t axis) {
  const Expr apart = callOp("annotation.stop_fusion", {tupleOf(std::move(items))});
  return callOp("concatenate", {apart}, {{"axis", ir::intAttr(axis)}});
}

/// The tensors in groups that a kernel takes, the first item of each but the first being what came before.
Expr splitJoin(const Tuple& tuple, int64_t axis, int64_t limit) {
  std::vector<Expr> group;
  int64_t count = 0;
  for (const Expr& item : tuple.items) {
    const int64_t args = argsOf(item);
    if (count + args > limit && !group.empty()) {
      group = {joined(std::move(group), axis)};
      count = args;
    }
    count += args;
    group.push_back(item);
  }
  return joined(std::move(group), axis);
}

}  // namespace

Result<ir::Module> splitArgs(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  const int64_t most = ir::intAttrOf(given, "max_function_args", 0);
  if (most < 0) return fail("pass.option-value", "max_function_args has to be a count");
  std::vector<Diagnostic> refused;
  auto rewritten = [&](const Call& before, const Ref<Call>& now, const OpRow& row) -> Expr {
    const auto* tuple = row.name == "concatenate" ? as<Tuple>(now->args[0]) : nullptr;
    if (!tuple || most == 0) return nullptr;
    const auto* result = as<TensorType>(before.sinfo);
    const int64_t results = 1 + (result ? furtherArgs(*result, true) : 0);
    if (most <= results) {
      refused.push_back(errorAt(before.span, "relay.split-args",
                                fmt::format("the result alone takes {} of at most {} arguments", results, most)));
      return nullptr;
    }
    int64_t args = 0;
    for (const Expr& item : as<Tuple>(before.args[0])->items) args += argsOf(item);
    return args < most - results ? nullptr : splitJoin(*tuple, intAttrOf(*now, "axis"), most - results);
  };
  RX_TRY(made, onCalls(module, context, rewritten));
  if (!refused.empty()) return fail(std::move(refused));
  return made;
}

}  // namespace rx::relay
