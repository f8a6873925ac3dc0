// SpecializePrimFuncBasedOnCallSite: the parameters of kernels get the shapes and memory scopes of what they are called
// with.
#include <fmt/format.h>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/op/rules.h"
#include "core/op/sinfo_text.h"
#include "core/transform/calls.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::StructInfo;

/// What a call says of one parameter.
struct Given {
  Array<tir::PrimExpr> shape;
  DataType dtype;
  Str name, scope;
};

/// `scope` is that of the tensor's device where it has one, and stays otherwise.
Result<Given> givenBy(const StructInfo& info, Str name, Str& scope) {
  const auto* tensor = as<relax::TensorStructInfo>(info);
  const Array<tir::PrimExpr>* dims = op::dimsOf(info);
  if (!dims) {
    return fail("pass.specialize", fmt::format("a kernel is specialized to tensors of known shape, and {} is {}",
                                               name.view(), op::sinfoText(info)));
  }
  if (tensor->vdevice) scope = tensor->vdevice->memoryScope;
  return Given{*dims, tensor->dtype, std::move(name), scope};
}

Result<std::vector<Given>> givenBy(const relax::Call& call) {
  std::vector<Given> given;
  const std::vector<relax::Expr> args = fieldsOf(call.args[1]);
  for (size_t i = 0; i < args.size(); ++i) {
    const auto* var = as<relax::Var>(args[i]);
    Str scope("global");
    Str name = var ? var->name : Str(std::string(1, static_cast<char>('A' + i % 26)));
    RX_TRY(input, givenBy(args[i]->sinfo, std::move(name), scope));
    given.push_back(std::move(input));
  }
  Str scope("global");
  const StructInfo& out = call.sinfoArgs[0];
  if (const auto* tuple = as<relax::TupleStructInfo>(out)) {
    for (size_t i = 0; i < tuple->items.size(); ++i) {
      RX_TRY(output, givenBy(tuple->items[i], Str(fmt::format("ret_val_{}", i)), scope));
      given.push_back(std::move(output));
    }
  } else {
    RX_TRY(output, givenBy(out, "ret_val", scope));
    given.push_back(std::move(output));
  }
  return given;
}

/// What the variables of a kernel are where it is called.
class ParameterMatcher {
 public:
  Result<Unit> match(const tir::Var& param, const tir::BufferRef& buffer, const Given& given) {
    if (!buffer) return refuse(param, "is no buffer");
    if (buffer->shape.size() != given.shape.size() || !buffer->strides.empty() || buffer->dataAlignment != 64 ||
        buffer->offsetFactor != 1) {
      return refuse(param, "has another rank, or strides, an alignment or an offset of its own");
    }
    RX_CHECK(set(param, buffer->data, tir::bufferPointer(given.dtype, given.name, given.scope)));
    for (size_t i = 0; i < given.shape.size(); ++i) RX_CHECK(set(param, buffer->shape[i], given.shape[i]));
    if (!buffer->elemOffset) return Unit{};
    return set(param, buffer->elemOffset, tir::PrimExpr(make<tir::IntImm>(buffer->elemOffset->dtype, 0)));
  }

  const arith::VarMap& values() const { return values_; }

 private:
  static Failure refuse(const tir::Var& param, std::string_view why) {
    return fail("pass.specialize", fmt::format("the parameter {} {}", param.name.view(), why));
  }
  Result<Unit> set(const tir::Var& param, const tir::PrimExpr& declared, const tir::PrimExpr& given) {
    if (arith::sameExpr(declared, given)) return Unit{};
    const auto* var = as<tir::Var>(declared);
    if (!var) return refuse(param, "has a size that no call can choose");
    auto [value, fresh] = values_.emplace(var, given);
    if (!fresh && !arith::sameExpr(value->second, given)) return refuse(param, "would need two sizes at once");
    return Unit{};
  }

  arith::VarMap values_;
};

/// The kernel with its variables replaced; arithmetic on what was replaced folds, and nothing else changes.
tir::PrimFuncRef withValues(const tir::PrimFuncRef& kernel, const arith::VarMap& values) {
  std::unordered_map<const Node*, NodeRef> changed;
  auto note = [&](NodeRef node) {
    changed.emplace(node.get(), node);
    return node;
  };
  auto enter = [](const NodeRef&) -> NodeRef { return nullptr; };
  auto leave = [&](const NodeRef& node) -> NodeRef {
    if (const auto* var = as<tir::Var>(node)) {
      auto value = values.find(var);
      return value == values.end() ? node : note(value->second);
    }
    std::vector<const Node*> children;
    appendChildren(*node, Into::Parts, children);
    bool any = false;
    for (const Node* child : children) any = any || changed.contains(child);
    if (!any) return node;
    const auto* binary = as<tir::BinaryNode>(node);
    return note(binary ? NodeRef(arith::makeBinary(node->kind(), binary->a, binary->b)) : node);
  };
  auto made = cast<tir::PrimFunc>(rewriteNodes(kernel, Into::Parts, enter, leave));
  if (ir::intAttrOf(kernel->attrs, "scoped", 0) == 1 && structuralEqual(made, kernel)) return kernel;
  auto scoped = ir::withAttr(kernel->attrs, "scoped", ir::intAttr(1));
  auto* renewed = new tir::PrimFunc(made->params, made->buffers, made->body, made->retType, scoped);
  renewed->span = kernel->span;
  return tir::PrimFuncRef(renewed);
}

Result<tir::PrimFuncRef> specialized(const tir::PrimFuncRef& kernel, const relax::Call& call) {
  RX_TRY(given, givenBy(call));
  if (given.size() > kernel->params.size()) {
    return fail("pass.specialize", fmt::format("the kernel has {} parameters, and the call has {} values",
                                               kernel->params.size(), given.size()));
  }
  ParameterMatcher matcher;
  // A lone result is the last parameter, whatever stands before it.
  const bool lone = !isa<relax::TupleStructInfo>(call.sinfoArgs[0]);
  for (size_t i = 0; i < given.size(); ++i) {
    const size_t param = lone && i + 1 == given.size() ? kernel->params.size() - 1 : i;
    RX_CHECK(matcher.match(*kernel->params[param], kernel->buffers[param], given[i]));
  }
  return withValues(kernel, matcher.values());
}

std::vector<const relax::Call*> kernelCalls(const relax::Function& function) {
  std::vector<const relax::Call*> calls;
  walk(*function.body, Into::Parts, [&](const Node& node) {
    const auto* call = as<relax::Call>(&node);
    if (call && isOp(Ref<relax::Call>(call), "relax.call_tir")) calls.push_back(call);
    return !call;
  });
  return calls;
}

}  // namespace

Result<ir::Module> specializePrimFuncBasedOnCallSite(const ir::Module& module, const ir::Attrs&,
                                                     pass::PassContext& context) {
  build::ModuleContext moduleContext(module);
  moduleContext.setCancel(context.cancel);
  for (const ir::BaseFunc& function : module->functions) {
    const auto* relaxFunction = as<relax::Function>(function);
    if (!relaxFunction || ir::intAttrOf(function->attrs, "Primitive", 0) != 0) continue;
    for (const relax::Call* call : kernelCalls(*relaxFunction)) {
      if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
      const auto* name = as<relax::GlobalVar>(call->args[0]);
      auto kernel = name ? refAs<tir::PrimFunc>(module->find(name)) : nullptr;
      if (!kernel) return fail("pass.specialize", "a call_tir calls what is no kernel of the module");
      RX_TRY(renewed, specialized(kernel, *call));
      moduleContext.update(Ref<relax::GlobalVar>(name), renewed);
    }
  }
  return moduleContext.module();
}

}  // namespace rx::transform
