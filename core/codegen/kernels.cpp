#include "core/codegen/kernels.h"

#include <atomic>
#include <bit>
#include <chrono>
#include <map>
#include <mutex>

#include "core/codegen/jit.h"
#include "core/ir/structural_equal.h"
#include "core/ir/structural_hash.h"
#include "core/ir/symbols.h"
#include "core/runtime/kernel_host.h"
#include "core/support/thread_pool.h"

namespace rx::codegen {

namespace {

/// A PrimFunc with its machine code, or with the reason why it has none.
struct Code {
  explicit Code(lower::Signature s) : signature(std::move(s)) {}
  const lower::Signature signature;
  std::mutex mutex;
  bool tried = false;
  std::atomic<vm::KernelEntry> ready = nullptr;  ///< once it is compiled, asked without the lock
  std::unique_ptr<LoadedKernel> kernel;
  std::vector<Diagnostic> diagnostics;
};

/// The code of all kernels of one provider.
class Codes {
 public:
  explicit Codes(KernelCompiler compiler) : compiler_(std::move(compiler)) {}

  Result<std::shared_ptr<Code>> of(const tir::PrimFuncRef& function) {
    const uint64_t hash = structuralHash(function);
    std::lock_guard lock(mutex_);
    for (auto [it, end] = codes_.equal_range(hash); it != end; ++it) {
      if (structuralEqual(it->second->signature.function(), function)) return it->second;
    }
    RX_TRY(signature, lower::Signature::of(function));
    auto made = std::make_shared<Code>(std::move(signature));
    codes_.emplace(hash, made);
    return made;
  }

  Result<vm::KernelEntry> entry(Code& code, std::string_view name) {
    if (const vm::KernelEntry ready = code.ready.load(std::memory_order_acquire)) return ready;
    std::lock_guard lock(code.mutex);
    if (!code.tried) {
      code.tried = true;
      const auto start = std::chrono::steady_clock::now();
      auto kernel = load(code.signature.function());
      const auto took = std::chrono::steady_clock::now() - start;
      nanoseconds_ += std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
      if (kernel) {
        code.kernel = std::move(*kernel);
      } else {
        code.diagnostics = kernel.diagnostics();
        for (Diagnostic& diagnostic : code.diagnostics) diagnostic.context = fmt::format("PrimFunc {}", name);
      }
    }
    if (!code.kernel) return fail(code.diagnostics);
    code.ready.store(code.kernel->entry, std::memory_order_release);
    return code.kernel->entry;
  }

  CompileTally tally() const { return {nanoseconds_, compiled_, loaded_}; }

 private:
  Result<std::unique_ptr<LoadedKernel>> load(const tir::PrimFuncRef& function) {
    ++compiled_;
    auto make = [&]() -> Result<std::string> {
      RX_TRY(lowered, compiler_.lower(function));
      return kernelObject(lowered, compiler_.options);
    };
    StoredObject code;
    if (compiler_.store) {
      RX_TRY(stored, compiler_.store->objectFor(function, compiler_.options, make));
      code = std::move(stored);
    } else {
      RX_TRY(object, make());
      code.object = std::move(object);
    }
    loaded_ += code.found;
    return loadKernel(code.object);
  }

  KernelCompiler compiler_;
  std::mutex mutex_;
  std::multimap<uint64_t, std::shared_ptr<Code>> codes_;
  std::atomic<int64_t> nanoseconds_ = 0, compiled_ = 0, loaded_ = 0;
};

class Kernel final : public vm::CompiledKernel {
 public:
  Kernel(std::string name, std::shared_ptr<Code> code, std::shared_ptr<Codes> codes)
      : CompiledKernel(std::move(name)), code_(std::move(code)), codes_(std::move(codes)) {}
  const vm::KernelSignature& signature() const override { return code_->signature.kernel(); }
  Result<vm::KernelEntry> entry() const override { return codes_->entry(*code_, name()); }

 private:
  std::shared_ptr<Code> code_;
  std::shared_ptr<Codes> codes_;
};

class LazyKernels final : public JitKernels {
 public:
  LazyKernels(const ir::Module& module, KernelCompiler compiler)
      : functions_(ir::primFuncsBySymbol(*module)), codes_(std::make_shared<Codes>(std::move(compiler))) {}

  Result<Ref<vm::Callable>> find(std::string_view name) override {
    const auto found = functions_.find(name);
    if (found == functions_.end()) return Ref<vm::Callable>();
    RX_TRY(code, codes_->of(found->second));
    return Ref<vm::Callable>(make<Kernel>(std::string(name), std::move(code), codes_));
  }
  CompileTally tally() const override { return codes_->tally(); }

  void compileAhead(std::span<const std::string> names, ThreadPool& pool, const CancelToken& cancel,
                    const std::function<void(size_t, size_t)>& progress) override {
    std::map<std::shared_ptr<Code>, std::string> all;
    for (const std::string& name : names) {
      const auto found = functions_.find(name);
      if (found == functions_.end()) continue;
      if (auto code = codes_->of(found->second)) all.emplace(*code, name);
    }
    const std::vector<std::pair<std::shared_ptr<Code>, std::string>> list(all.begin(), all.end());
    std::atomic<size_t> done = 0;
    parallelFor(pool, list.size(), cancel, [&](size_t i) {
      (void)codes_->entry(*list[i].first, list[i].second);
      if (progress) progress(++done, list.size());
    });
  }

 private:
  std::map<std::string, tir::PrimFuncRef, std::less<>> functions_;
  std::shared_ptr<Codes> codes_;
};

}  // namespace

std::shared_ptr<JitKernels> makeJitKernels(const ir::Module& module, KernelCompiler compiler) {
  return std::make_shared<LazyKernels>(module, std::move(compiler));
}

}  // namespace rx::codegen
