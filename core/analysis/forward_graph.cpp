#include "core/analysis/forward_graph.h"

#include "core/ir/reflect.h"

namespace rx::analysis {

namespace {

bool isKernelCall(const relax::Call& call) {
  const auto* op = as<relax::Op>(call.op);
  return op && (op->name == "relax.call_tir" || op->name == "relax.call_tir_inplace");
}

}  // namespace

bool isFusedFunction(const ir::BaseFuncNode& function) {
  return ir::intAttrOf(function.attrs, "Primitive", 0) != 0 || isa<ir::StrAttr>(ir::attrOf(function.attrs, "Codegen"));
}

const tir::PrimFunc* kernelOf(const relax::Call& call, const ir::IRModule& module) {
  if (!isKernelCall(call) || call.args.empty()) return nullptr;
  const auto* callee = as<relax::GlobalVar>(call.args[0]);
  return callee ? as<tir::PrimFunc>(module.find(callee)) : nullptr;
}

const Array<relax::Expr>& kernelArguments(const relax::Call& call) {
  if (!isKernelCall(call) || call.args.size() < 2) return call.args;
  const auto* fields = as<relax::Tuple>(call.args[1]);
  return fields ? fields->items : call.args;
}

ForwardGraph::ForwardGraph(const ir::IRModule& module) : module_(module) {
  for (const ir::BaseFunc& function : module.functions) {
    const auto* relaxFunction = as<relax::Function>(function);
    if (relaxFunction && !isFusedFunction(*function)) addFunction(*relaxFunction);
  }
}

void ForwardGraph::addFunction(const relax::Function& function) {
  const int64_t numInput = ir::intAttrOf(function.attrs, "num_input", static_cast<int64_t>(function.params.size()));
  for (size_t i = 0; i < function.params.size(); ++i) {
    const relax::Var* param = function.params[i].get();
    addNode(param, OpPattern::Opaque, true);
    if (static_cast<int64_t>(i) >= numInput) packed_[param] = true;
  }
  for (const relax::BlockRef& block : function.body->blocks) {
    for (const relax::Binding& binding : block->bindings) {
      if (const auto* bound = as<relax::VarBinding>(binding)) {
        addBinding(*bound);
      } else {
        addNode(binding->var.get(), OpPattern::Opaque, false);
      }
    }
  }
}

void ForwardGraph::addBinding(const relax::VarBinding& binding) {
  const bool outside = !isa<relax::DataflowVar>(binding.var);
  if (const auto* call = as<relax::Call>(binding.value)) {
    const tir::PrimFunc* kernel = kernelOf(*call, module_);
    const auto opaque = static_cast<int64_t>(OpPattern::Opaque);
    const auto pattern = static_cast<OpPattern>(kernel ? ir::intAttrOf(kernel->attrs, "op_pattern", opaque) : opaque);
    const uint32_t user = addNode(binding.var.get(), pattern, outside);
    for (const relax::Expr& arg : kernelArguments(*call)) addUses(arg, user, pattern);
    return;
  }
  if (const auto* field = as<relax::TupleGetItem>(binding.value)) {
    // Taking a weight out of the tuple of all weights comes first in a function; it must not change what is fused.
    const bool weight = packed_.contains(as<relax::Var>(field->tuple));
    const OpPattern pattern = weight ? OpPattern::Opaque : OpPattern::Injective;
    return addUses(field->tuple, addNode(binding.var.get(), pattern, outside), pattern);
  }
  addUses(binding.value, addNode(binding.var.get(), OpPattern::Opaque, outside), OpPattern::Opaque);
}

uint32_t ForwardGraph::addNode(const relax::Var* var, OpPattern pattern, bool outside) {
  const auto index = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back({var, pattern, outside, {}});
  index_[var] = index;
  return index;
}

void ForwardGraph::addUses(const relax::Expr& expr, uint32_t user, OpPattern pattern) {
  walk(*expr, Into::Parts, [&](const Node& node) {
    const auto* var = as<relax::Var>(&node);
    auto defined = var ? index_.find(var) : index_.end();
    if (defined != index_.end() && defined->second != user) nodes_[defined->second].uses.push_back({user, pattern});
    return !isa<tir::ExprNode>(&node);
  });
}

}  // namespace rx::analysis
