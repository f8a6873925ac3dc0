// The objects that a package is linked from: each kernel one, so that they are compiled side by side and kept from one
// build to the next, and what names them in one more.
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>

#include <map>
#include <optional>

#include "core/codegen/jit.h"
#include "core/codegen/llvm_module.h"
#include "core/ir/attrs.h"
#include "core/ir/relax.h"
#include "core/ir/structural_equal.h"
#include "core/ir/structural_hash.h"
#include "core/support/thread_pool.h"

namespace rx::codegen {

namespace {

/// A kernel, and the name that its entry has among all that are linked together.
struct NamedKernel {
  tir::PrimFuncRef function;
  std::string symbol;
};

/// The kernels that differ, and for each PrimFunc of the module which of them it is.
struct Distinct {
  std::vector<NamedKernel> kernels;
  std::vector<size_t> places;
};

Distinct distinctKernels(const ir::Module& module) {
  Distinct found;
  std::multimap<uint64_t, size_t> byHash;
  for (size_t i = 0; i < module->size(); ++i) {
    auto function = refAs<tir::PrimFunc>(module->functions[i]);
    if (!function) continue;
    // What a kernel is called is no part of its code.
    function = cast<tir::PrimFunc>(ir::withFunctionAttrs(function, ir::withoutAttr(function->attrs, "global_symbol")));
    const uint64_t hash = structuralHash(function);
    size_t place = found.kernels.size(), others = 0;
    for (auto [it, end] = byHash.equal_range(hash); it != end; ++it, ++others)
      if (structuralEqual(found.kernels[it->second].function, function)) place = it->second;
    found.places.push_back(place);
    if (place < found.kernels.size()) continue;
    // The name says nothing of what else is in the module, so that the object is the same in every build.
    found.kernels.push_back(
        {function, others ? fmt::format("kernel_{:016x}_{}", hash, others) : fmt::format("kernel_{:016x}", hash)});
    byHash.emplace(hash, place);
  }
  return found;
}

Result<std::string> objectOf(const NamedKernel& kernel, const KernelCompiler& compiler) {
  KernelOptions options = compiler.options;
  options.symbol = kernel.symbol;
  const auto make = [&]() -> Result<std::string> {
    RX_TRY(lowered, compiler.lower(kernel.function));
    return kernelObject(lowered, options);
  };
  if (!compiler.store) return make();
  RX_TRY(stored, compiler.store->objectFor(kernel.function, options, make));
  return std::move(stored.object);
}

void addData(llvm::Module& module, const ObjectData& data) {
  llvm::Constant* bytes = llvm::ConstantDataArray::getString(module.getContext(), data.bytes, /*AddNull=*/false);
  auto* global =
      new llvm::GlobalVariable(module, bytes->getType(), true, llvm::GlobalValue::ExternalLinkage, bytes, data.name);
  global->setAlignment(llvm::Align(16));
  global->setVisibility(llvm::GlobalValue::HiddenVisibility);
}

/// The array of the entries, and the data.
Result<std::string> tableObject(const Distinct& all, const std::string& table, const std::vector<ObjectData>& data,
                                const KernelOptions& options) {
  RX_TRY(prepared, prepare(options));
  llvm::Type* pointer = llvm::PointerType::getUnqual(*prepared.context);
  std::vector<llvm::Constant*> entries;
  for (const size_t place : all.places) {
    auto* entry = llvm::cast<llvm::GlobalVariable>(
        prepared.module->getOrInsertGlobal(all.kernels[place].symbol, llvm::Type::getInt8Ty(*prepared.context)));
    entry->setVisibility(llvm::GlobalValue::HiddenVisibility);
    entries.push_back(entry);
  }
  auto* type = llvm::ArrayType::get(pointer, entries.size());
  auto* array = new llvm::GlobalVariable(*prepared.module, type, true, llvm::GlobalValue::ExternalLinkage,
                                         llvm::ConstantArray::get(type, entries), table);
  array->setVisibility(llvm::GlobalValue::HiddenVisibility);
  // With what the loader seals when it has put the addresses in; as far data it would stay writable, in pages of its
  // own.
  array->setSection(".data.rel.ro");
  for (const ObjectData& item : data) addData(*prepared.module, item);
  return objectFile(prepared, options);
}

}  // namespace

Result<std::vector<std::string>> packageObjects(const ir::Module& module, const std::string& table,
                                                const std::vector<ObjectData>& data, const KernelCompiler& compiler,
                                                ThreadPool& pool) {
  const Distinct all = distinctKernels(module);
  std::vector<std::optional<Result<std::string>>> made(all.kernels.size());
  parallelFor(pool, made.size(), {}, [&](size_t i) { made[i] = objectOf(all.kernels[i], compiler); });
  std::vector<std::string> objects;
  for (auto& object : made) {
    if (!*object) return fail(object->diagnostics());
    objects.push_back(std::move(**object));
  }
  RX_TRY(named, tableObject(all, table, data, compiler.options));
  objects.push_back(std::move(named));
  return objects;
}

}  // namespace rx::codegen
