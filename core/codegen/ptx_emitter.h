// PtxEmitter: one kernel of a device to LLVM IR for NVPTX. Only ptx*.cpp files include this header, because of LLVM's.
//
// Pointers are generic in what is emitted; LLVM finds the memory behind each again. What goes wrong is written to the
// words of the kernel's last argument, and the threads go on with what is safe, since others may wait for them.
#pragma once

#include "core/codegen/device_functions.h"
#include "core/codegen/device_text.h"
#include "core/codegen/emitter.h"
#include "core/codegen/tile_copies.h"

namespace rx::codegen {

/// How LLVM numbers the memory of a device, and that which the threads of a group share.
inline constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3;

class PtxEmitter final : public Emitter {
 public:
  /// `checks`: whether marked accesses and divisors are looked at. `architecture`: "sm_80". `marks` may be null.
  PtxEmitter(llvm::Module& module, const lower::DeviceKernel& kernel, bool checks, std::string_view architecture,
             std::vector<FaultSite>& sites, LineMarks* marks);
  /// Adds the kernel and its body. The bytes that a launch has to give to the threads of a group.
  Result<int64_t> run();

 private:
  friend struct PtxIntrinsics;
  friend struct PtxTensor;
  void measure();
  std::vector<llvm::Type*> arguments();
  void takeArguments();
  llvm::Function* entry(const std::vector<llvm::Type*>& types);
  /// Says of the entry's arguments that are maps how they come; their numbers are told as notes about the entry.
  void takeMaps(llvm::Function& kernel);

  std::optional<llvm::Value*> ownCall(std::string_view name, const tir::Call& node) override;
  llvm::FunctionCallee mathFunction(const std::string& name, llvm::Type* type, size_t args) override;
  llvm::FunctionCallee host(const char* name, llvm::Type* result, std::initializer_list<llvm::Type*> params) override;
  llvm::Value* decoded(llvm::Value* bits, DataType dtype) override;
  llvm::Value* encoded(llvm::Value* value, DataType dtype) override;
  llvm::Value* nearest(llvm::Value* value, DataType dtype) override;
  void failWhen(llvm::Value* condition, vm::KernelFault fault, const std::string& message) override;
  void allocate(const tir::Buffer& node) override;
  llvm::Value* allocateBytes(llvm::Value* bytes) override;
  void threads(const tir::IterVar& axis, const tir::PrimExpr& extent, const tir::Stmt& body) override;
  llvm::Value* goesOn(llvm::Value* condition) override;

  int site(vm::KernelFault fault, std::string text, int64_t dimension = 0);
  /// Writes to the words where the condition holds.
  void tell(llvm::Value* condition, int site, llvm::Value* index, llvm::Value* extent);
  llvm::Value* sharedMemory(const tir::Buffer& node, int64_t bytes);

  const lower::DeviceKernel& deviceKernel_;
  const bool looks_;
  const std::string architecture_;
  std::vector<FaultSite>& sites_;
  DeviceFunctions functions_;
  llvm::Value* fault_ = nullptr;
  const std::vector<TileOf> tiles_;  ///< whose maps come behind the kernel's own parameters
  bool waits_ = false;               ///< threads wait for each other: none may leave early
  bool dynamic_ = false;             ///< what threads share comes with the launch
  int64_t sharedBytes_ = 0;
  std::map<std::string, int64_t> groupExtents_;  ///< LLVM's name of an axis of a group, where its length is known
};

}  // namespace rx::codegen
