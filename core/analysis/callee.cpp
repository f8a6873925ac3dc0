#include "core/analysis/callee.h"

#include "core/analysis/allocation.h"

namespace rx::analysis {
namespace {

/// Operators and functions of the machine that have a role of their own, beside those that allocate; all others
/// compute.
struct CalleeRow {
  std::string_view name;  ///< with a star at its end: all that begin so
  CalleeRole role;
};
constexpr CalleeRow kCallees[] = {
    {"relax.memory.kill_*", CalleeRole::Machine},
    {"relax.vm.kill_object", CalleeRole::Machine},
    {"relax.null_value", CalleeRole::Machine},
    {"vm.builtin.alloc_shape_heap", CalleeRole::Machine},
    {"vm.builtin.match_*", CalleeRole::Machine},
    {"vm.builtin.make_shape", CalleeRole::Machine},
    {"vm.builtin.make_prim_value", CalleeRole::Machine},
    {"vm.builtin.check_*", CalleeRole::Machine},
    {"vm.builtin.null_value", CalleeRole::Machine},
    {"vm.builtin.tuple_getitem", CalleeRole::Names},
    {"relax.reshape", CalleeRole::View},
    {"relax.memory.view", CalleeRole::View},
    {"relax.memory.ensure_zero_offset", CalleeRole::View},
    {"vm.builtin.reshape", CalleeRole::View},
    {"vm.builtin.ensure_zero_offset", CalleeRole::View},
    {"runtime.TVMTensorCreateView", CalleeRole::View},
};

/// Functions by which the machine calls another one: that one comes first, then its arguments.
constexpr std::string_view kPassingOn[] = {"relax.vm.call_tir_dyn", "vm.builtin.call_tir_dyn",
                                           "relax.call_builtin_with_ctx"};

CalleeRole roleOf(std::string_view callee) {
  if (const Allocation what = allocationOf(callee); what != Allocation::None)
    return what == Allocation::Storage ? CalleeRole::Machine : CalleeRole::Buffer;
  for (const CalleeRow& row : kCallees) {
    const bool family = row.name.ends_with('*');
    if (family ? callee.starts_with(row.name.substr(0, row.name.size() - 1)) : callee == row.name) return row.role;
  }
  return CalleeRole::Computes;
}

std::string_view nameOf(const relax::Expr& callee) {
  if (const auto* op = as<relax::Op>(callee)) return op->name.view();
  if (const auto* external = as<relax::ExternFunc>(callee)) return external->globalSymbol.view();
  return {};
}

}  // namespace

Called calledBy(const relax::Call& call) {
  Called called{call.op, {}, nameOf(call.op), CalleeRole::Computes};
  bool passesOn = false;
  for (std::string_view name : kPassingOn) passesOn |= name == called.name;
  if (!passesOn || call.args.empty()) {
    called.args = call.args.vector();
  } else {
    called.function = call.args[0];
    called.name = nameOf(called.function);
    for (size_t i = 1; i < call.args.size(); ++i) {
      const auto* tuple = as<relax::Tuple>(call.args[i]);
      if (tuple) called.args.insert(called.args.end(), tuple->items.begin(), tuple->items.end());
      if (!tuple) called.args.push_back(call.args[i]);
    }
  }
  called.role = roleOf(called.name);
  return called;
}

}  // namespace rx::analysis
