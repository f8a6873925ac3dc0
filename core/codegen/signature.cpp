#include "core/codegen/signature.h"

#include <algorithm>
#include <unordered_set>

#include "core/codegen/shape_value.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/ir/written_params.h"

namespace rx::codegen {
namespace {

using vm::ValueKind;

void addSymbols(const Array<tir::PrimExpr>& exprs, std::unordered_set<const Node*>& known,
                std::vector<tir::VarRef>& out) {
  for (const tir::PrimExpr& expr : exprs) {
    if (isa<tir::Var>(expr) && known.insert(expr.get()).second) out.push_back(cast<tir::Var>(expr));
  }
}

Failure wrong(std::string_view name, size_t param, const std::string& what) {
  return fail("vm.kernel-argument", fmt::format("argument {} of {}: {}", param, name, what));
}

}  // namespace

Result<Signature> Signature::of(const tir::PrimFuncRef& function) {
  Signature result;
  result.function_ = function;
  std::unordered_set<const Node*> known;
  size_t buffers = 0;
  size_t reals = 0;
  for (size_t i = 0; i < function->params.size(); ++i) {
    const tir::VarRef& param = function->params[i];
    const bool scalar = !function->buffers[i] && !param->dtype.isHandle();
    if (!scalar) {
      result.params_.push_back({KernelArgument::Place::Buffer, buffers++});
    } else if (param->dtype.lanes != 1 || (!param->dtype.isIntegral() && !param->dtype.isFloat())) {
      return fail(errorAt(param->span, "codegen.signature",
                          fmt::format("parameter {} has the type {}, which no argument can fill", param->name.view(),
                                      param->dtype.str())));
    } else if (param->dtype.isFloat()) {
      result.params_.push_back({KernelArgument::Place::Real, reals++});
    } else {
      result.params_.push_back({KernelArgument::Place::Int, result.intParams_++});
      known.insert(param.get());
    }
  }
  for (const tir::BufferRef& buffer : function->buffers) {
    if (!buffer) continue;
    addSymbols(buffer->shape, known, result.symbols_);
    addSymbols(buffer->strides, known, result.symbols_);
    if (buffer->elemOffset) addSymbols({buffer->elemOffset}, known, result.symbols_);
  }
  if (const auto* type = as<tir::PrimType>(function->retType)) result.resultType_ = type->dtype;
  walk(*function->body, Into::Parts, [&](const Node& node) {
    const auto* call = as<tir::Call>(&node);
    const auto* op = call ? as<relax::Op>(call->op) : nullptr;
    if (op && op->name.view().ends_with(".ret") && call->args.size() == 1) result.resultType_ = call->args[0]->dtype;
    return result.resultType_.isVoid();
  });
  result.written_ = tir::writtenParams(*function);
  return result;
}

Result<Unit> Signature::bindBuffer(std::string_view name, size_t param, const vm::Value& value,
                                   Environment& env) const {
  if (!value.is(ValueKind::Tensor)) return wrong(name, param, "a tensor is needed, this is " + value.summary());
  const tir::BufferRef& buffer = function_->buffers[param];
  if (!buffer) return Unit{};
  const HostTensor& tensor = value.tensor();
  const auto lanes = static_cast<int16_t>(buffer->dtype.lanes);
  if (tensor.dtype() != buffer->dtype &&
      !(lanes == 1 && tensor.dtype().bits == buffer->dtype.bits && tensor.dtype().isUInt() && buffer->dtype.isBool())) {
    return wrong(name, param,
                 fmt::format("elements have to be {}, they are {}", buffer->dtype.str(), tensor.dtype().str()));
  }
  if (tensor.shape().size() != buffer->shape.size()) {
    return wrong(name, param,
                 fmt::format("{} dimensions are needed, {} has {}", buffer->shape.size(), shapeText(tensor.shape()),
                             tensor.rank()));
  }
  for (size_t axis = 0; axis < buffer->shape.size(); ++axis) {
    if (const auto* var = as<tir::Var>(buffer->shape[axis])) env.emplace(var, tensor.shape()[axis]);
  }
  int64_t stride = 1;
  for (size_t axis = buffer->strides.size(); axis-- > 0;) {
    if (const auto* var = as<tir::Var>(buffer->strides[axis])) env.emplace(var, stride);
    stride *= tensor.shape()[axis];
  }
  if (const auto* var = as<tir::Var>(buffer->elemOffset)) env.emplace(var, 0);
  return Unit{};
}

Result<Unit> Signature::checkBuffer(std::string_view name, size_t param, const HostTensor& tensor,
                                    Environment& env) const {
  const tir::BufferRef& buffer = function_->buffers[param];
  if (!buffer) return Unit{};
  auto check = [&](const tir::PrimExpr& expr, int64_t actual, const char* what, size_t axis) -> Result<Unit> {
    const auto expected = shapeValue(expr, env);
    if (!expected) return wrong(name, param, fmt::format("{} {} can not be computed from the arguments", what, axis));
    if (*expected == actual) return Unit{};
    const auto* var = as<tir::Var>(expr);
    return wrong(name, param,
                 fmt::format("{} {} has to be {}{}, it is {}", what, axis,
                             var ? fmt::format("{} = ", var->name.view()) : "", *expected, actual));
  };
  for (size_t axis = 0; axis < buffer->shape.size(); ++axis)
    RX_CHECK(check(buffer->shape[axis], tensor.shape()[axis], "axis", axis));
  int64_t stride = 1;
  for (size_t axis = buffer->strides.size(); axis-- > 0;) {
    // The stride of an axis with one element is never used.
    if (tensor.shape()[axis] != 1) RX_CHECK(check(buffer->strides[axis], stride, "the stride of axis", axis));
    stride *= tensor.shape()[axis];
  }
  if (buffer->elemOffset) RX_CHECK(check(buffer->elemOffset, 0, "the offset", 0));
  return Unit{};
}

Result<BoundArguments> Signature::bind(std::string_view name, std::span<const vm::Value> args) const {
  if (args.size() != params_.size()) {
    return fail("vm.argument-count",
                fmt::format("{} takes {} arguments, {} are given", name, params_.size(), args.size()));
  }
  BoundArguments bound;
  Environment env;
  for (size_t i = 0; i < args.size(); ++i) {
    const vm::Value& value = args[i];
    if (params_[i].place == KernelArgument::Place::Real) {
      if (!value.is(ValueKind::Float) && !value.is(ValueKind::Int))
        return wrong(name, i, "a number is needed, this is " + value.summary());
      bound.reals.push_back(value.is(ValueKind::Float) ? value.asFloat() : static_cast<double>(value.asInt()));
    } else if (params_[i].place == KernelArgument::Place::Int) {
      if (!value.is(ValueKind::Int) && !value.is(ValueKind::Bool))
        return wrong(name, i, "an integer is needed, this is " + value.summary());
      bound.ints.push_back(value.is(ValueKind::Bool) ? value.asBool() : value.asInt());
      env[function_->params[i].get()] = bound.ints.back();
    }
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (params_[i].place == KernelArgument::Place::Buffer) RX_CHECK(bindBuffer(name, i, args[i], env));
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (params_[i].place != KernelArgument::Place::Buffer) continue;
    const HostTensor& tensor = args[i].tensor();
    RX_CHECK(checkBuffer(name, i, tensor, env));
    if (mayWrite(i) && !tensor.storage()->writable())
      return wrong(name, i, "it is written, but it is a constant in a mapped file");
    bound.buffers.push_back(const_cast<std::byte*>(tensor.data()));
  }
  for (const tir::VarRef& symbol : symbols_) bound.ints.push_back(env.at(symbol.get()));
  return bound;
}

}  // namespace rx::codegen
