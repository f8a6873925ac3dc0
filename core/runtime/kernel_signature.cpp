#include "core/runtime/kernel_signature.h"

#include <algorithm>
#include <bit>

#include "core/runtime/symbol_range.h"
#include "core/tensor/tensor_rows.h"

namespace rx::vm {
namespace {

/// One check of the arguments of a call. A check that fails notes why and gives false.
class Binder {
 public:
  Binder(const KernelSignature& signature, std::string_view kernel, Arguments args, KernelArguments& out)
      : signature_(signature), kernel_(kernel), args_(args), out_(out) {}

  bool run() {
    for (size_t i = 0; i < args_.size(); ++i) {
      if (!takeOne(i)) return false;
    }
    for (size_t i = out_.ints.size(); i < signature_.symbols.size(); ++i)
      out_.ints.push_back(bound(signature_.symbols[i]));
    for (size_t i = 0; i < signature_.symbols.size(); ++i) {
      if (!fits(signature_.symbols[i], out_.ints.data()[i])) return false;
    }
    for (size_t i = 0; i < args_.size(); ++i) {
      if (signature_.params[i].declared && !checkBuffer(i, args_[i].tensor())) return false;
    }
    return true;
  }
  Failure failure() const { return fail("vm.kernel-argument", why_); }

 private:
  bool wrong(size_t param, const std::string& what) {
    why_ = fmt::format("argument {} of {}: {}", param, kernel_, what);
    return false;
  }

  bool takeOne(size_t i) {
    const Value& value = args_[i];
    const KernelParam& param = signature_.params[i];
    if (param.place == KernelPlace::Real) {
      if (!value.is(ValueKind::Float) && !value.is(ValueKind::Int))
        return wrong(i, "a number is needed, this is " + value.summary());
      out_.reals.push_back(value.is(ValueKind::Float) ? value.asFloat() : static_cast<double>(value.asInt()));
      return true;
    }
    if (param.place == KernelPlace::Int) {
      if (!value.is(ValueKind::Int) && !value.is(ValueKind::Bool))
        return wrong(i, "an integer is needed, this is " + value.summary());
      out_.ints.push_back(value.is(ValueKind::Bool) ? value.asBool() : value.asInt());
      return true;
    }
    if (!value.is(ValueKind::Tensor)) return wrong(i, "a tensor is needed, this is " + value.summary());
    const HostTensor& tensor = value.tensor();
    if (tensor.device() && signature_.device == kHost)
      return wrong(i, "the kernel reads host memory, this is " + value.summary());
    if (param.declared && !checkForm(i, tensor)) return false;
    if (param.written && !tensor.storage()->writable())
      return wrong(i, "it is written, but it is a constant in a mapped file");
    out_.buffers.push_back(std::bit_cast<void*>(tensor.handle()));
    return true;
  }

  bool checkForm(size_t i, const HostTensor& tensor) {
    const KernelParam& param = signature_.params[i];
    const bool bytesAsBool = param.dtype.isBool() && param.dtype.lanes == 1 && tensor.dtype().isUInt() &&
                             tensor.dtype().bits == param.dtype.bits;
    if (tensor.dtype() != param.dtype && !bytesAsBool) {
      return wrong(i, fmt::format("elements have to be {}, they are {}", param.dtype.str(), tensor.dtype().str()));
    }
    if (tensor.shape().size() == param.shape.size()) return true;
    return wrong(i, fmt::format("{} dimensions are needed, {} has {}", param.shape.size(), shapeText(tensor.shape()),
                                tensor.rank()));
  }

  int64_t bound(const KernelSymbol& symbol) const {
    const HostTensor& tensor = args_[symbol.param].tensor();
    switch (symbol.source) {
      case KernelSymbol::Source::Axis:
        return tensor.shape()[symbol.axis];
      case KernelSymbol::Source::Stride:
        return strideOf(tensor, symbol.axis);
      case KernelSymbol::Source::Bytes:
        return tensor.bytes();
      case KernelSymbol::Source::Parameter:
      case KernelSymbol::Source::Offset:
        break;
    }
    return 0;
  }

  bool fits(const KernelSymbol& symbol, int64_t value) {
    return SymbolRange(symbol).holds(value) || wrong(symbol.param, fmt::format("{} = {} is no {} that a kernel takes",
                                                                               symbol.name, value, symbol.dtype.str()));
  }

  bool checkBuffer(size_t i, const HostTensor& tensor) {
    const KernelParam& param = signature_.params[i];
    for (size_t axis = 0; axis < param.shape.size(); ++axis) {
      if (!check(i, param.shape[axis], tensor.shape()[axis], "axis", axis)) return false;
    }
    for (size_t axis = 0; axis < param.strides.size(); ++axis) {
      // The stride of an axis with one element is never used.
      const bool used = tensor.shape()[axis] != 1;
      if (used && !check(i, param.strides[axis], strideOf(tensor, axis), "the stride of axis", axis)) return false;
    }
    return check(i, param.offset, 0, "the offset", 0);
  }

  bool check(size_t i, const ShapeProgram& wanted, int64_t actual, const char* what, size_t axis) {
    const auto expected = wanted.value({out_.ints.data(), out_.ints.size()});
    if (expected == actual) return true;
    if (!expected) return wrong(i, fmt::format("{} {} can not be computed from the arguments", what, axis));
    const auto symbol = wanted.symbol();
    return wrong(i, fmt::format("{} {} has to be {}{}, it is {}", what, axis,
                                symbol ? signature_.symbols[*symbol].name + " = " : std::string(), *expected, actual));
  }

  const KernelSignature& signature_;
  std::string_view kernel_;
  Arguments args_;
  KernelArguments& out_;
  std::string why_;
};

bool paramFits(const KernelParam& param, size_t symbols) {
  if (param.place > KernelPlace::Real) return false;
  if (!param.declared) return true;
  const auto fits = [&](const ShapeProgram& program) { return program.fits(symbols); };
  return param.place == KernelPlace::Buffer && param.strides.size() <= param.shape.size() && fits(param.offset) &&
         std::all_of(param.shape.begin(), param.shape.end(), fits) &&
         std::all_of(param.strides.begin(), param.strides.end(), fits);
}

/// Whether each symbol is where the binder looks for it.
bool symbolsFit(const KernelSignature& signature) {
  size_t ints = 0;
  for (const KernelParam& param : signature.params) ints += param.place == KernelPlace::Int;
  if (ints > signature.symbols.size()) return false;
  for (size_t i = 0; i < signature.symbols.size(); ++i) {
    const KernelSymbol& symbol = signature.symbols[i];
    if (symbol.source > KernelSymbol::Source::Bytes || symbol.param >= signature.params.size()) return false;
    if ((i < ints) != (symbol.source == KernelSymbol::Source::Parameter)) return false;
    const KernelParam& param = signature.params[symbol.param];
    const bool ofPointer = symbol.source == KernelSymbol::Source::Bytes;
    if (ofPointer && (param.place != KernelPlace::Buffer || param.declared)) return false;
    if (i >= ints && !ofPointer && (!param.declared || (symbol.axis >= param.shape.size() && symbol.axis != 0))) {
      return false;
    }
    if (symbol.source == KernelSymbol::Source::Axis && symbol.axis >= param.shape.size()) return false;
  }
  return true;
}

}  // namespace

Result<Unit> KernelSignature::bind(std::string_view kernel, Arguments args, KernelArguments& out) const {
  if (args.size() != params.size()) {
    return fail("vm.argument-count",
                fmt::format("{} takes {} arguments, {} are given", kernel, params.size(), args.size()));
  }
  Binder binder(*this, kernel, args, out);
  if (!binder.run()) return binder.failure();
  return Unit{};
}

Value KernelSignature::resultOf(int64_t bits) const {
  if (resultType.isVoid() || resultType.isHandle()) return Value();
  if (resultType.isFloat()) return Value::of(std::bit_cast<double>(bits));
  return resultType.isBool() ? Value::of(bits != 0) : Value::of(bits);
}

bool KernelSignature::fits() const {
  return device >= kHost && symbolsFit(*this) &&
         std::all_of(params.begin(), params.end(),
                     [&](const KernelParam& param) { return paramFits(param, symbols.size()); });
}

}  // namespace rx::vm
