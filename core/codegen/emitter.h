// Emitter: one lowered PrimFunc (core/lower/host_lowering.h) to LLVM IR; a block is refused. Only the emit_*.cpp files
// include this header, because of LLVM's.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <optional>
#include <unordered_map>

#include "core/codegen/kernels.h"
#include "core/codegen/signature.h"
#include "core/ir/all_nodes.h"

namespace rx::codegen {

/// A buffer as the code sees it. Offsets and strides count elements.
struct BufferState {
  llvm::Value* base = nullptr;
  std::vector<llvm::Value*> strides;  ///< i64, one a dimension
  llvm::Value* offset = nullptr;      ///< i64, null = zero
  llvm::Value* limit = nullptr;       ///< i64 number of elements that may be accessed; null = not known
};

class Emitter {
 public:
  /// `proven`: data pointers of buffers whose accesses need no check, sorted by address.
  Emitter(llvm::Module& module, const Signature& signature, const std::vector<tir::VarRef>& proven,
          const KernelOptions& options);
  /// Adds the functions `name` (the entry) and its body; fails with codegen.unsupported, each with its place.
  Result<Unit> run(const std::string& name);

 private:
  friend struct Intrinsics;
  // Types (emit_types.cpp).
  llvm::Type* registerType(DataType dtype);
  llvm::Type* memoryType(DataType dtype);
  llvm::Value* fromMemory(llvm::Value* raw, DataType dtype);
  llvm::Value* toMemory(llvm::Value* value, DataType dtype);
  /// A float of up to 16 bits that LLVM does not compute with here: held as float, rounded after each operation.
  static bool emulated(DataType dtype);
  llvm::Value* rounded(llvm::Value* value, DataType dtype);
  llvm::Value* convert(llvm::Value* value, DataType from, DataType to);
  llvm::Value* number(DataType dtype, double value);
  llvm::Value* index(llvm::Value* value, DataType dtype);
  llvm::Value* i64(int64_t value) { return builder_.getInt64(static_cast<uint64_t>(value)); }

  // Expressions (emit_expr.cpp, emit_arith.cpp, emit_call.cpp).
  llvm::Value* expr(const tir::PrimExpr& node);
  llvm::Value* exprHere(const tir::PrimExpr& node);
  llvm::Value* indexOf(const tir::PrimExpr& node) { return index(expr(node), node->dtype); }
  llvm::Value* binary(const tir::BinaryNode& node);
  llvm::Value* combine(Kind kind, DataType dtype, llvm::Value* a, llvm::Value* b);
  llvm::Value* divide(Kind kind, DataType dtype, llvm::Value* a, llvm::Value* b);
  llvm::Value* compare(Kind kind, DataType dtype, llvm::Value* a, llvm::Value* b);
  void failAtZero(const tir::BinaryNode& node, llvm::Value* divisor);
  llvm::Value* inLanes(llvm::Value* lanes, const std::function<llvm::Value*()>& emit);
  llvm::Value* shortCircuit(const tir::BinaryNode& node);
  llvm::Value* choose(const tir::PrimExpr& condition, const tir::PrimExpr& yes, const tir::PrimExpr& no);
  llvm::Value* load(const tir::BufferLoad& node);
  llvm::Value* ramp(const tir::Ramp& node);
  llvm::Value* broadcast(const tir::Broadcast& node);
  llvm::Value* shuffle(const tir::Shuffle& node);
  llvm::Value* let(const tir::Let& node);
  llvm::Value* reduce(const tir::Reduce& node);
  llvm::Value* call(const tir::Call& node);
  llvm::Value* mathCall(const char* function, DataType dtype, std::vector<llvm::Value*> args);
  llvm::Value* callPacked(const tir::Call& node);
  llvm::Value* packedArgs(const tir::Call& node, size_t first);

  // Buffers (emit_buffer.cpp).
  std::optional<BufferState> buffer(const tir::Buffer& node);
  BufferState makeState(const tir::Buffer& node, llvm::Value* base);
  llvm::Value* flatIndex(const tir::Buffer& node, const BufferState& state, const std::vector<llvm::Value*>& indices);
  /// Where the elements of a vector lie one after the other: the address of the first; null where they do not, or were
  /// refused.
  llvm::Value* contiguous(const tir::Buffer& buffer, const BufferState& state, const Array<tir::PrimExpr>& indices,
                          const std::vector<llvm::Value*>& values);
  static llvm::Align alignment(DataType element);
  llvm::Value* elementPointer(const tir::Buffer& node, const BufferState& state, llvm::Value* flat);
  void store(const tir::BufferStore& node);
  void allocate(const tir::Buffer& node);
  llvm::Value* allocateBytes(llvm::Value* bytes);
  /// Of so many elements; an extent that is refused counts as one.
  llvm::Value* byteCount(DataType type, const Array<tir::PrimExpr>& extents);
  /// Lane `lane` of each index; scalar indices are the same in all lanes.
  std::vector<llvm::Value*> laneIndices(const Array<tir::PrimExpr>& indices, const std::vector<llvm::Value*>& values,
                                        int lane);

  // Statements (emit_stmt.cpp).
  void stmt(const tir::Stmt& node);
  void stmtHere(const tir::Stmt& node);
  void bind(const tir::Bind& node);
  void allocateData(const tir::Allocate& node);
  void declare(const tir::Buffer& declared);
  void assertion(const tir::AssertStmt& node);
  void attr(const tir::AttrStmt& node);
  void sequence(const tir::SeqStmt& node);
  void branch(const tir::IfThenElse& node);
  void forLoop(const tir::For& node);
  void whileLoop(const tir::While& node);

  // Parallel loops (emit_parallel.cpp).
  /// What a body sees of the function around it.
  struct Frame {
    std::unordered_map<const tir::Var*, llvm::Value*> vars, limits;
    std::unordered_map<const tir::Buffer*, BufferState> buffers;
    template <class F>
    void each(F&& use) {
      for (auto& entry : vars) use(entry.second);
      for (auto& entry : limits) use(entry.second);
      for (auto& [buffer, state] : buffers) {
        use(state.base);
        use(state.offset);
        use(state.limit);
        for (llvm::Value*& stride : state.strides) use(stride);
      }
    }
  };
  struct Captured;
  bool runsInParallel(const tir::For& node) const;
  void parallelLoop(const tir::For& node, llvm::Value* first, llvm::Value* extent);
  Frame frameFor(const tir::Stmt& body, Captured& captured) const;
  llvm::Function* outlined(const tir::For& node, llvm::Value* first, Frame frame, const Captured& captured,
                           llvm::StructType* record);

  void loop(const tir::VarRef& var, llvm::Value* first, llvm::Value* extent, const std::function<void()>& body);
  void ifThen(llvm::Value* condition, const std::function<void()>& yes, const std::function<void()>& no = {});
  void failWhen(llvm::Value* condition, const std::string& message);
  void returnCode(llvm::Value* code);
  /// Frees what was allocated on the host since the scope had `count` allocations.
  void leaveScope(size_t count);

  llvm::FunctionCallee host(const char* name, llvm::Type* result, std::initializer_list<llvm::Type*> params);
  llvm::Value* refuse(Span span, const std::string& what);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> builder_;
  const Signature& signature_;
  const std::vector<tir::VarRef>& proven_;
  const KernelOptions& options_;
  llvm::Function* function_ = nullptr;
  llvm::Value* result_ = nullptr;
  llvm::Value* host_ = nullptr;
  llvm::Value* activeLanes_ = nullptr;  ///< lanes whose value is used; null = all of them
  std::unordered_map<const tir::Var*, llvm::Value*> vars_;
  std::unordered_map<const tir::Buffer*, BufferState> buffers_;
  std::unordered_map<const tir::Var*, llvm::Value*> limits_;  ///< elements behind a pointer, in bytes
  std::vector<llvm::Value*> hostAllocations_;
  /// Where `continue` and `break` of the innermost loop go.
  struct LoopTargets {
    llvm::BasicBlock* next;
    llvm::BasicBlock* end;
  };
  std::vector<LoopTargets> loops_;
  int64_t stackBytes_ = 0;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace rx::codegen
