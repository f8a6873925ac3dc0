#include "core/interpret/kernels.h"

#include <map>

#include "core/interpret/program.h"
#include "core/ir/symbols.h"
#include "core/ir/written_params.h"
#include "core/runtime/builtin_writes.h"

namespace rx::interpret {

namespace {

class InterpretedKernel final : public vm::Callable {
 public:
  InterpretedKernel(std::string name, const tir::PrimFuncRef& function, const Options& options)
      : name_(std::move(name)),
        program_(compile(function, name_)),
        written_(tir::writtenParams(*function, vm::builtinWrites)),
        options_(options) {}

  std::string_view name() const override { return name_; }
  bool mayWrite(size_t argument) const override { return argument < written_.size() && written_[argument]; }

  Result<Value> call(vm::CallContext& context, vm::Arguments args) const override {
    if (!program_) return program_.failure();
    Options options = options_;
    options.around = context.around;
    return execute(*program_, std::vector<Value>(args.begin(), args.end()), options);
  }

 private:
  std::string name_;
  Result<Program> program_;
  std::vector<bool> written_;
  Options options_;
};

class InterpretedKernels final : public vm::KernelProvider {
 public:
  InterpretedKernels(const ir::Module& module, const Options& options)
      : functions_(ir::primFuncsBySymbol(*module)), options_(options) {}

  Result<Ref<vm::Callable>> find(std::string_view name) override {
    const auto found = functions_.find(name);
    if (found == functions_.end()) return Ref<vm::Callable>();
    return Ref<vm::Callable>(make<InterpretedKernel>(std::string(name), found->second, options_));
  }

 private:
  std::map<std::string, tir::PrimFuncRef, std::less<>> functions_;
  Options options_;
};

}  // namespace

std::shared_ptr<vm::KernelProvider> makeInterpretedKernels(const ir::Module& module, const Options& options) {
  return std::make_shared<InterpretedKernels>(module, options);
}

}  // namespace rx::interpret
