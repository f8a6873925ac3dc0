// FoldConstant: calls whose arguments are all constants become what they give, as the interpreter computes it: call_tir
// of kernels of the module, and in dataflow blocks operators through their legalization.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/build/mutator.h"
#include "core/interpret/interpret.h"
#include "core/ir/constant.h"
#include "core/ir/structural_equal.h"
#include "core/legalize/legalize.h"
#include "core/op/rules.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/copies.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

/// Elements of a result that the interpreter computes; larger ones stay calls, which the build compiles, unless all
/// that is done is to copy.
constexpr int64_t kMostElements = 64 << 10;
/// A copy that takes more than so many times the memory of what it is made from stays a call too.
constexpr int64_t kMostGrowth = 4;
/// What makes a tensor out of nothing is cheap at run time: beyond so many elements it stays a call, as in TVM.
constexpr int64_t kMostMade = 1024;
/// Results of so many bytes and more are made once for all calls that give them.
constexpr int64_t kLeastKept = 4 << 10;
constexpr int64_t kMostSteps = int64_t{1} << 28;

bool holdsTensor(const relax::Expr& expr) {
  if (expr->sinfo && isa<relax::TensorStructInfo>(expr->sinfo)) return true;
  const auto* tuple = as<relax::Tuple>(expr);
  return tuple && std::any_of(tuple->items.begin(), tuple->items.end(), holdsTensor);
}

/// A tensor that a variable holds: nothing of it is known before the run.
bool holdsUnknown(const relax::Expr& expr) {
  if (const auto* tuple = as<relax::Tuple>(expr))
    return std::any_of(tuple->items.begin(), tuple->items.end(), holdsUnknown);
  return isa<relax::Var>(expr) && expr->sinfo && holdsTensor(expr);
}

bool isLargeCreation(const relax::Call& call, const relax::StructInfo& info) {
  const auto dims = numbersOf(info);
  if (!dims || std::any_of(dims->begin(), dims->end(), [](int64_t dim) { return dim <= 0; })) return false;
  const auto elements = elementCount(*dims);
  return (!elements || *elements > kMostMade) && std::none_of(call.args.begin(), call.args.end(), holdsTensor);
}

/// What kernels gave for large constants. A weight that many calls lay out in one way is there once: each more would
/// take memory, and the room of another in the processor's cache. Small ones are made anew, as in TVM; the build finds
/// those that are equal.
class FoldedCalls {
 public:
  /// The value of the same call; null where there was none.
  relax::Expr find(const tir::PrimFuncRef& kernel, const std::vector<Ref<HostTensor>>& inputs,
                   const relax::StructInfo& info) const {
    const auto [first, last] = calls_.equal_range(kernel.get());
    for (auto at = first; at != last; ++at)
      if (at->second.inputs == inputs && structuralEqual(at->second.info, info)) return at->second.value;
    return nullptr;
  }
  void add(const tir::PrimFuncRef& kernel, std::vector<Ref<HostTensor>> inputs, const relax::StructInfo& info,
           relax::Expr value) {
    calls_.emplace(kernel.get(), Call{kernel, std::move(inputs), info, std::move(value)});
  }

 private:
  struct Call {
    tir::PrimFuncRef kernel;
    std::vector<Ref<HostTensor>> inputs;
    relax::StructInfo info;
    relax::Expr value;
  };
  std::unordered_multimap<const tir::PrimFunc*, Call> calls_;
};

class ConstantFolder : public build::Mutator {
 public:
  ConstantFolder(build::ModuleContext& context, const ir::Module& module, pass::PassContext& pass, FoldedCalls& known)
      : Mutator("FoldConstant", &context),
        module_(module),
        surroundings_(module->with({})),
        pass_(pass),
        known_(known) {}

 protected:
  relax::Expr visitVar(const relax::VarRef& var) override {
    relax::Expr now = Mutator::visitVar(var);
    relax::Expr value = valueOf(now);
    return isa<relax::Constant>(value) ? value : now;
  }

  relax::Expr visitCall(const Ref<relax::Call>& original) override {
    relax::Expr visited = Mutator::visitCall(original);
    auto call = refAs<relax::Call>(visited);
    const auto* op = call ? as<relax::Op>(call->op) : nullptr;
    if (!op || isLargeCreation(*call, original->sinfo) || pass_.cancel.cancelled()) return visited;
    if (isOp(call, "relax.call_tir")) return foldedOr(*call, *module_, visited);
    call = withShapes(call);
    if (!builder.inDataflow()) return call;
    if (relax::Expr shape = shapeOf(*call)) return shape;
    return throughKernel(call);
  }

 private:
  /// Shapes stand in the call itself where variables name them.
  Ref<relax::Call> withShapes(const Ref<relax::Call>& call) {
    std::vector<relax::Expr> args = call->args.vector();
    bool changed = false;
    for (relax::Expr& arg : args) {
      relax::Expr value = isa<relax::Var>(arg) ? valueOf(arg) : nullptr;
      if (!isa<relax::ShapeExpr>(value)) continue;
      arg = value;
      changed = true;
    }
    if (!changed) return call;
    auto* made = new relax::Call(call->op, Array<relax::Expr>(std::move(args)), call->attrs, call->sinfoArgs);
    made->span = call->span;
    return Ref<relax::Call>(made);
  }

  /// tensor_to_shape and shape_to_tensor of what is known; else null.
  static relax::Expr shapeOf(const relax::Call& call) {
    const auto* name = as<relax::Op>(call.op);
    if (call.args.size() != 1) return nullptr;
    if (const auto* constant = as<relax::Constant>(call.args[0]);
        constant && constant->data && name->name == "relax.tensor_to_shape") {
      if (constant->data->rank() != 1 || !constant->data->dtype().isIntegral()) return nullptr;
      std::vector<tir::PrimExpr> dims;
      for (int64_t i = 0; i < constant->data->count(); ++i) dims.push_back(tir::intImm(constant->data->intAt(i)));
      return make<relax::ShapeExpr>(Array<tir::PrimExpr>(std::move(dims)));
    }
    const auto* shape = as<relax::ShapeExpr>(call.args[0]);
    if (!shape || name->name != "relax.shape_to_tensor") return nullptr;
    std::vector<int64_t> numbers;
    for (const tir::PrimExpr& dim : shape->values) {
      const auto number = tir::asInt(dim);
      if (!number) return nullptr;
      numbers.push_back(*number);
    }
    auto tensor = HostTensor::fromInts({static_cast<int64_t>(numbers.size())}, DataType::Int(64), numbers);
    return tensor ? relax::constantOf(*tensor) : nullptr;
  }

  /// The call of an operator through the kernel that legalization writes, which is made and forgotten here.
  relax::Expr throughKernel(const Ref<relax::Call>& call) {
    if (std::any_of(call->args.begin(), call->args.end(), holdsUnknown)) return call;
    Ref<relax::Call> ready = callWithInfo(call, builder);
    if (!ready) return call;
    build::ModuleContext scratch(surroundings_);
    build::BlockBuilder kernels(&scratch);
    kernels.beginSeq();
    kernels.beginDataflow();
    auto legal = legalize::legalizeCall(*ready, kernels);
    const auto* kernelCall = legal && *legal ? as<relax::Call>(*legal) : nullptr;
    if (!kernelCall || !isOp(*legal, "relax.call_tir")) return call;
    return foldedOr(*kernelCall, *scratch.module(), call);
  }

  relax::Expr foldedOr(const relax::Call& call, const ir::IRModule& module, const relax::Expr& otherwise) {
    relax::Expr folded = valueOfCall(call, module);
    return folded ? folded : otherwise;
  }

  /// The value of a call_tir of constants; null where it is not to be had.
  relax::Expr valueOfCall(const relax::Call& call, const ir::IRModule& module) {
    const auto* name = call.args.size() == 2 ? as<relax::GlobalVar>(call.args[0]) : nullptr;
    const auto kernel = name ? refAs<tir::PrimFunc>(module.find(name)) : nullptr;
    const auto* inputs = kernel ? as<relax::Tuple>(call.args[1]) : nullptr;
    if (!inputs || call.sinfoArgs.size() != 1) return nullptr;
    std::vector<Ref<HostTensor>> tensors;
    int64_t given = 0;
    for (const relax::Expr& input : inputs->items) {
      const auto* constant = as<relax::Constant>(input);
      if (!constant || !constant->data) return nullptr;
      tensors.push_back(constant->data);
      given += constant->data->count();
    }
    if (relax::Expr known = known_.find(kernel, tensors, call.sinfoArgs[0])) return known;
    const std::vector<Ref<HostTensor>> inputsOnly = tensors;
    const auto* several = as<relax::TupleStructInfo>(call.sinfoArgs[0]);
    std::vector<relax::StructInfo> infos = several ? several->items.vector() : std::vector{call.sinfoArgs[0]};
    std::vector<relax::Expr> results;
    bool large = false;
    int64_t bytes = 0;
    for (const relax::StructInfo& info : infos) {
      const auto dims = numbersOf(info);
      const auto elements = dims ? elementCount(*dims) : std::nullopt;
      if (!elements) return nullptr;
      large = large || *elements > kMostElements;
      if (*elements > std::max(kMostElements, kMostGrowth * given)) return tooLarge(*name, *dims);
      Ref<HostTensor> tensor = outputFor(info, *dims);
      if (!tensor) return nullptr;
      bytes += tensor->bytes();
      tensors.push_back(tensor);
      results.push_back(relax::constantOf(tensor));
    }
    if (large && !runCopies(*kernel, tensors, pass_.cancel)) return tooLarge(*name, tensors.back()->shape());
    if (!large && !computed(kernel, tensors)) return nullptr;
    const relax::Expr value = several ? make<relax::Tuple>(Array<relax::Expr>(results)) : results.front();
    if (bytes >= kLeastKept) known_.add(kernel, inputsOnly, call.sinfoArgs[0], value);
    return value;
  }

  bool computed(const tir::PrimFuncRef& kernel, const std::vector<Ref<HostTensor>>& tensors) const {
    std::vector<vm::Value> args;
    for (const Ref<HostTensor>& tensor : tensors) args.push_back(vm::Value::of(tensor));
    interpret::Options options;
    options.around.cancel = pass_.cancel;
    options.maxSteps = kMostSteps;
    return interpret::runPrimFunc(kernel, args, options).ok();
  }

  relax::Expr tooLarge(const relax::GlobalVar& kernel, std::span<const int64_t> shape) {
    pass_.messages.push_back({Severity::Note, "pass.fold-size",
                              fmt::format("{} is not folded: its result {} has more than {} elements",
                                          kernel.name.view(), shapeText(shape), kMostElements)});
    return nullptr;
  }

  static Ref<HostTensor> outputFor(const relax::StructInfo& info, const std::vector<int64_t>& dims) {
    const auto* type = as<relax::TensorStructInfo>(info);
    if (type->dtype.isVoid()) return nullptr;
    auto tensor = HostTensor::allocate(dims, type->dtype);
    return tensor ? *tensor : nullptr;
  }

  const ir::Module& module_;
  const ir::Module surroundings_;  ///< without its functions, none of which a kernel made for one call needs
  pass::PassContext& pass_;
  FoldedCalls& known_;
};

}  // namespace

Result<ir::Module> foldConstant(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  FoldedCalls known;
  return rewriteFunctions(module, context, [&](const relax::FunctionRef& function, build::ModuleContext& functions) {
    ConstantFolder folder(functions, module, context, known);
    auto folded = folder.rewrite(function);
    if (!folded) return folded;
    return removeUnusedBindings(*folded, functions, module.get());
  });
}

}  // namespace rx::transform
