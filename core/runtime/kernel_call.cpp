// Calls of compiled kernels: in general, and those of one instruction, made ready.
#include <algorithm>
#include <array>
#include <bit>

#include "core/runtime/kernel_host.h"
#include "core/runtime/prepared_call.h"
#include "core/runtime/symbol_range.h"

namespace rx::vm {
namespace {

/// Of an expression that names no symbol.
std::optional<int64_t> constantOf(const ShapeProgram& program) {
  return program.fits(0) ? program.value({}) : std::nullopt;
}

/// What a parameter takes, in the form that is compared quickest.
struct Expected {
  /// The length of an axis: a number, a symbol by its index, or what a program computes of the symbols.
  struct Axis {
    int64_t number = 0;
    const ShapeProgram* program = nullptr;  ///< null: the number, or the symbol
    bool symbol = false;
    std::optional<int64_t> length(std::span<const int64_t> symbols) const {
      if (program) return program->value(symbols);
      return symbol ? symbols[static_cast<size_t>(number)] : number;
    }
  };
  explicit Expected(const KernelParam& param) : place(param.place), dtype(param.dtype), written(param.written) {
    for (const ShapeProgram& dim : param.shape) {
      const auto number = constantOf(dim);
      const auto symbol = dim.symbol();
      axes.push_back({number ? *number : static_cast<int64_t>(symbol.value_or(0)), number || symbol ? nullptr : &dim,
                      symbol.has_value()});
    }
  }
  /// Of a tensor: all but the lengths of its axes.
  bool takes(const Value& value, const DeviceMemory* device) const {
    if (!value.is(ValueKind::Tensor)) return false;
    const HostTensor& tensor = value.tensor();
    return tensor.device() == device && tensor.dtype() == dtype && tensor.shape().size() == axes.size() &&
           (!written || tensor.storage()->writable());
  }
  KernelPlace place;
  DataType dtype;
  bool written;
  std::vector<Axis> axes;
};

/// Of a kernel whose tensors are compact and begin where their data does: what each argument has to be is compared, the
/// symbols, which an integer or an axis gives, are filled in; what follows of them is kept until they are others.
class ReadyCall final : public PreparedCall {
 public:
  static constexpr size_t kMost = 16;
  explicit ReadyCall(const CompiledKernel& kernel) : kernel_(kernel), signature_(kernel.signature()) {
    for (const KernelParam& param : signature_.params) expected_.emplace_back(param);
    for (const KernelSymbol& symbol : signature_.symbols) ranges_.emplace_back(symbol);
  }

  /// Of one that works on shape heaps. What it calls of the runtime's functions is found by their names.
  bool findsSizes() const override {
    return signature_.device == kHost && std::all_of(expected_.begin(), expected_.end(), [](const Expected& param) {
             return param.place == KernelPlace::Buffer && param.dtype == DataType::Int(64) && param.axes.size() == 1;
           });
  }
  Outcome run(CallContext& context, PlannedArguments args, Value& result) override {
    Words words;
    if (!take(context, args, words)) return Outcome::Unfit;
    if (!entry_ && !find()) return Outcome::Unfit;
    KernelHost host(context);
    int64_t bits = 0;
    if (entry_(words.buffers.data(), words.ints.data(), words.reals.data(), &bits, &host) != 0) {
      context.failure = host.failure(kernel_.name()).diagnostics;
      return Outcome::Failed;
    }
    if (!signature_.resultType.isVoid()) result = signature_.resultOf(bits);
    return Outcome::Done;
  }

 private:
  /// What the machine code takes.
  struct Words {
    std::array<void*, kMost> buffers;
    std::array<int64_t, kMost> ints;
    std::array<double, kMost> reals;
  };
  bool take(const CallContext& context, const PlannedArguments& args, Words& words) {
    const std::shared_ptr<DeviceArena>& place = context.around.memoryOf(signature_.device);
    const DeviceMemory* device = place ? &place->device() : nullptr;
    size_t buffers = 0, reals = 0;
    for (size_t i = 0; i < expected_.size(); ++i) {
      if (expected_[i].place == KernelPlace::Buffer) {
        if (!expected_[i].takes(args[i], device)) return false;
        words.buffers[buffers++] = std::bit_cast<void*>(args[i].tensor().handle());
      } else if (expected_[i].place == KernelPlace::Real) {
        if (!args[i].is(ValueKind::Float)) return false;
        words.reals[reals++] = args[i].asFloat();
      } else if (!args[i].is(ValueKind::Int)) {
        return false;
      }
    }
    bool asBefore = measured_;
    for (size_t i = 0; i < ranges_.size(); ++i) {
      const KernelSymbol& symbol = signature_.symbols[i];
      const Value& given = args[symbol.param];
      words.ints[i] = symbol.source == KernelSymbol::Source::Axis ? given.tensor().shape()[symbol.axis] : given.asInt();
      asBefore = asBefore && words.ints[i] == symbols_[i];
    }
    if (!asBefore && !measure(words.ints)) return false;
    const int64_t* length = lengths_.data();
    for (size_t i = 0; i < expected_.size(); ++i) {
      if (expected_[i].place != KernelPlace::Buffer) continue;
      for (const int64_t given : args[i].tensor().shape())
        if (given != *length++) return false;
    }
    return true;
  }
  /// Finds how long the axes of all tensors have to be where the symbols are these; false where they can not be.
  bool measure(const std::array<int64_t, kMost>& symbols) {
    measured_ = false;
    lengths_.clear();
    for (size_t i = 0; i < ranges_.size(); ++i)
      if (!ranges_[i].holds(symbols[i])) return false;
    for (const Expected& param : expected_) {
      if (param.place != KernelPlace::Buffer) continue;
      for (const Expected::Axis& axis : param.axes) {
        const auto length = axis.length({symbols.data(), ranges_.size()});
        if (!length) return false;
        lengths_.push_back(*length);
      }
    }
    std::copy_n(symbols.begin(), ranges_.size(), symbols_.begin());
    measured_ = true;
    return true;
  }
  /// The machine code, made by now; what keeps it from being made is told by who calls the kernel.
  bool find() {
    const auto entry = kernel_.entry();
    if (entry) entry_ = *entry;
    return entry_ != nullptr;
  }

  const CompiledKernel& kernel_;
  const KernelSignature& signature_;
  std::vector<Expected> expected_;   ///< of each parameter
  std::vector<SymbolRange> ranges_;  ///< of each symbol
  KernelEntry entry_ = nullptr;
  bool measured_ = false;  ///< whether these are of some call:
  std::array<int64_t, kMost> symbols_ = {};
  std::vector<int64_t> lengths_;  ///< of the axes of all tensors, one behind the other
};

/// Whether ReadyCall knows all that a parameter, or the symbol of one, can ask for.
bool isReady(const KernelParam& param) {
  if (param.place != KernelPlace::Buffer) return true;
  return param.declared && constantOf(param.offset) == 0 && param.strides.empty();
}
bool isFilledIn(const KernelSymbol& symbol) {
  return symbol.source == KernelSymbol::Source::Axis || symbol.source == KernelSymbol::Source::Parameter;
}

}  // namespace

Result<Value> CompiledKernel::call(CallContext& context, Arguments args) const {
  RX_TRY(code, entry());
  KernelArguments bound;
  RX_CHECK(signature().bind(name_, args, bound));
  KernelHost host(context);
  int64_t result = 0;
  if (code(bound.buffers.data(), bound.ints.data(), bound.reals.data(), &result, &host) != 0)
    return host.failure(name_);
  return signature().resultOf(result);
}

std::unique_ptr<PreparedCall> CompiledKernel::prepare(std::span<const PlannedArgument> places) const {
  const std::vector<KernelParam>& params = signature().params;
  const std::vector<KernelSymbol>& symbols = signature().symbols;
  const bool ready = params.size() == places.size() && params.size() <= ReadyCall::kMost &&
                     symbols.size() <= ReadyCall::kMost && std::all_of(params.begin(), params.end(), isReady) &&
                     std::all_of(symbols.begin(), symbols.end(), isFilledIn);
  if (!ready) return nullptr;
  return std::make_unique<ReadyCall>(*this);
}

}  // namespace rx::vm
