#include "core/codegen/kernels.h"

#include <atomic>
#include <bit>
#include <chrono>
#include <map>
#include <mutex>

#include "core/codegen/compile_time.h"
#include "core/codegen/host.h"
#include "core/codegen/jit.h"
#include "core/ir/structural_equal.h"
#include "core/ir/structural_hash.h"
#include "core/ir/symbols.h"

namespace rx::codegen {

/// A PrimFunc with its machine code, or with the reason why it has none.
struct CacheEntry {
  explicit CacheEntry(Signature s) : signature(std::move(s)) {}
  Signature signature;
  std::mutex mutex;
  bool tried = false;
  std::unique_ptr<CompiledKernel> kernel;
  std::vector<Diagnostic> diagnostics;
};

class KernelCache {
 public:
  Result<std::shared_ptr<CacheEntry>> entry(const tir::PrimFuncRef& function, const KernelOptions& options) {
    const Key key{structuralHash(function), options.optLevel, options.checkAccess};
    std::lock_guard lock(mutex_);
    for (auto [it, end] = entries_.equal_range(key); it != end; ++it) {
      if (structuralEqual(it->second->signature.function(), function)) return it->second;
    }
    RX_TRY(signature, Signature::of(function));
    auto made = std::make_shared<CacheEntry>(std::move(signature));
    entries_.emplace(key, made);
    return made;
  }

 private:
  using Key = std::tuple<uint64_t, int, bool>;
  std::mutex mutex_;
  std::multimap<Key, std::shared_ptr<CacheEntry>> entries_;
};

std::shared_ptr<KernelCache> makeKernelCache() { return std::make_shared<KernelCache>(); }

namespace {

/// Nanoseconds, added to by every kernel of a provider.
using CompileTime = std::shared_ptr<std::atomic<int64_t>>;

class Kernel final : public vm::Callable {
 public:
  Kernel(std::string name, std::shared_ptr<CacheEntry> entry, KernelOptions options, CompileTime time)
      : name_(std::move(name)), entry_(std::move(entry)), options_(options), time_(std::move(time)) {}

  std::string_view name() const override { return name_; }
  bool mayWrite(size_t argument) const override { return entry_->signature.mayWrite(argument); }

  Result<vm::Value> call(vm::CallContext& context, std::span<const vm::Value> args) const override {
    const Signature& signature = entry_->signature;
    RX_TRY(bound, signature.bind(name_, args));
    RX_TRY(entry, compiled());
    HostCall host(context);
    int64_t result = 0;
    if (entry(bound.buffers.data(), bound.ints.data(), bound.reals.data(), &result, &host) != 0)
      return host.failure(name_);
    const DataType type = signature.resultType();
    if (type.isVoid() || type.isHandle()) return vm::Value();
    if (type.isFloat()) return vm::Value::of(std::bit_cast<double>(result));
    return type.isBool() ? vm::Value::of(result != 0) : vm::Value::of(result);
  }

 private:
  Result<KernelEntry> compiled() const {
    std::lock_guard lock(entry_->mutex);
    if (!entry_->tried) {
      entry_->tried = true;
      const auto start = std::chrono::steady_clock::now();
      auto kernel = compileKernel(entry_->signature, options_);
      const auto took = std::chrono::steady_clock::now() - start;
      *time_ += std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
      if (kernel) {
        entry_->kernel = std::move(*kernel);
      } else {
        entry_->diagnostics = kernel.diagnostics();
        for (Diagnostic& diagnostic : entry_->diagnostics) diagnostic.context = "PrimFunc " + name_;
      }
    }
    if (!entry_->kernel) return fail(entry_->diagnostics);
    return entry_->kernel->entry;
  }

  std::string name_;
  std::shared_ptr<CacheEntry> entry_;
  KernelOptions options_;
  CompileTime time_;
};

class JitKernels final : public vm::KernelProvider {
 public:
  JitKernels(const ir::Module& module, KernelOptions options, std::shared_ptr<KernelCache> cache)
      : functions_(ir::primFuncsBySymbol(*module)),
        options_(options),
        cache_(cache ? std::move(cache) : makeKernelCache()) {}

  Result<Ref<vm::Callable>> find(std::string_view name) override {
    const auto found = functions_.find(name);
    if (found == functions_.end()) return Ref<vm::Callable>();
    RX_TRY(entry, cache_->entry(found->second, options_));
    return Ref<vm::Callable>(make<Kernel>(std::string(name), std::move(entry), options_, time_));
  }
  int64_t nanoseconds() const { return *time_; }

 private:
  std::map<std::string, tir::PrimFuncRef, std::less<>> functions_;
  KernelOptions options_;
  std::shared_ptr<KernelCache> cache_;
  CompileTime time_ = std::make_shared<std::atomic<int64_t>>(0);
};

}  // namespace

std::shared_ptr<vm::KernelProvider> makeJitKernels(const ir::Module& module, const KernelOptions& options,
                                                   std::shared_ptr<KernelCache> cache) {
  return std::make_shared<JitKernels>(module, options, std::move(cache));
}

int64_t compileNanoseconds(const vm::KernelProvider& kernels) {
  const auto* jit = dynamic_cast<const JitKernels*>(&kernels);
  return jit ? jit->nanoseconds() : 0;
}

}  // namespace rx::codegen
