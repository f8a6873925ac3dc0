#include "core/lower/signature.h"

#include <unordered_map>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/ir/written_params.h"
#include "core/lower/shape_program.h"
#include "core/runtime/builtin_writes.h"

namespace rx::lower {
namespace {

using Source = vm::KernelSymbol::Source;

/// Fills the signature of one function: the integer parameters first, then the variables that shapes bind.
class SignatureMaker {
 public:
  using Sizes = std::vector<std::pair<tir::VarRef, tir::VarRef>>;
  SignatureMaker(const tir::PrimFunc& function, vm::KernelSignature& signature, std::vector<tir::VarRef>& bound,
                 Sizes& sizes)
      : function_(function), signature_(signature), bound_(bound), sizes_(sizes) {}

  Result<Unit> run() {
    const std::vector<bool> written = tir::writtenParams(function_, vm::builtinWrites);
    for (size_t i = 0; i < function_.params.size(); ++i) RX_CHECK(addParam(i, i < written.size() && written[i]));
    for (size_t i = 0; i < function_.buffers.size(); ++i) {
      if (function_.buffers[i]) bindSymbols(*function_.buffers[i], static_cast<uint32_t>(i));
      if (!function_.buffers[i] && function_.params[i]->dtype.isHandle()) bindSize(i);
    }
    for (size_t i = 0; i < function_.buffers.size(); ++i) {
      if (function_.buffers[i]) declare(*function_.buffers[i], signature_.params[i]);
    }
    return Unit{};
  }

 private:
  Result<Unit> addParam(size_t i, bool written) {
    const tir::VarRef& var = function_.params[i];
    vm::KernelParam param;
    param.written = written;
    const bool scalar = !function_.buffers[i] && !var->dtype.isHandle();
    if (scalar && (var->dtype.lanes != 1 || (!var->dtype.isIntegral() && !var->dtype.isFloat()))) {
      return fail(errorAt(
          var->span, "codegen.signature",
          fmt::format("parameter {} has the type {}, which no argument can fill", var->name.view(), var->dtype.str())));
    }
    if (scalar) param.place = var->dtype.isFloat() ? vm::KernelPlace::Real : vm::KernelPlace::Int;
    if (param.place == vm::KernelPlace::Int) addSymbol(*var, {Source::Parameter, static_cast<uint32_t>(i), 0, {}});
    signature_.params.push_back(std::move(param));
    return Unit{};
  }

  void addSymbol(const tir::Var& var, vm::KernelSymbol symbol) {
    if (!numbers_.emplace(&var, signature_.symbols.size()).second) return;
    symbol.name = var.name.string();
    symbol.dtype = var.dtype;
    signature_.symbols.push_back(std::move(symbol));
  }

  void bindSymbols(const tir::Buffer& buffer, uint32_t param) {
    auto bind = [&](const tir::PrimExpr& expr, Source source, size_t axis) {
      const auto* var = as<tir::Var>(expr);
      if (!var || numbers_.contains(var)) return;
      addSymbol(*var, {source, param, static_cast<uint32_t>(axis), {}});
      bound_.push_back(cast<tir::Var>(expr));
    };
    for (size_t axis = 0; axis < buffer.shape.size(); ++axis) bind(buffer.shape[axis], Source::Axis, axis);
    for (size_t axis = 0; axis < buffer.strides.size(); ++axis) bind(buffer.strides[axis], Source::Stride, axis);
    if (buffer.elemOffset) bind(buffer.elemOffset, Source::Offset, 0);
  }

  void bindSize(size_t param) {
    const tir::VarRef& pointer = function_.params[param];
    const auto bytes = make<tir::Var>(Str(pointer->name.string() + ".bytes"), DataType::Int(64));
    addSymbol(*bytes, {Source::Bytes, static_cast<uint32_t>(param), 0, {}});
    bound_.push_back(bytes);
    sizes_.emplace_back(pointer, bytes);
  }

  void declare(const tir::Buffer& buffer, vm::KernelParam& param) const {
    auto program = [&](const tir::PrimExpr& expr) {
      return shapeProgram(expr, [&](const tir::Var& var) -> std::optional<size_t> {
        const auto found = numbers_.find(&var);
        return found == numbers_.end() ? std::nullopt : std::optional(found->second);
      });
    };
    param.declared = true;
    param.dtype = buffer.dtype;
    for (const tir::PrimExpr& dim : buffer.shape) param.shape.push_back(program(dim));
    for (const tir::PrimExpr& stride : buffer.strides) param.strides.push_back(program(stride));
    param.offset = buffer.elemOffset ? program(buffer.elemOffset) : vm::ShapeProgram::constant(0);
  }

  const tir::PrimFunc& function_;
  vm::KernelSignature& signature_;
  std::vector<tir::VarRef>& bound_;
  Sizes& sizes_;
  std::unordered_map<const tir::Var*, size_t> numbers_;
};

/// Type of the value that the body returns.
DataType resultOf(const tir::PrimFunc& function) {
  DataType result = DataType::Void();
  if (const auto* type = as<tir::PrimType>(function.retType)) result = type->dtype;
  walk(*function.body, Into::Parts, [&](const Node& node) {
    const auto* call = as<tir::Call>(&node);
    const auto* op = call ? as<relax::Op>(call->op) : nullptr;
    if (op && op->name.view().ends_with(".ret") && call->args.size() == 1) result = call->args[0]->dtype;
    return result.isVoid();
  });
  return result;
}

}  // namespace

Result<Signature> Signature::of(const tir::PrimFuncRef& function) {
  Signature result;
  result.function_ = function;
  result.kernel_.resultType = resultOf(*function);
  RX_CHECK(SignatureMaker(*function, result.kernel_, result.symbols_, result.sizes_).run());
  return result;
}

}  // namespace rx::lower
