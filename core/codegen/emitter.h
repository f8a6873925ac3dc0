// Emitter: one lowered PrimFunc (core/lower/host_lowering.h) to LLVM IR; a block is refused. What is virtual is other
// on a device (ptx_emitter.h). Only .cpp files that see LLVM include this header.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "core/codegen/intrinsic_name.h"
#include "core/codegen/kernels.h"
#include "core/ir/all_nodes.h"
#include "core/lower/checked_ahead.h"
#include "core/lower/signature.h"
#include "core/runtime/kernel_fault.h"

namespace rx::codegen {

class LineMarks;

/// A pointer, with the bytes behind it that may be accessed (i64).
struct Pointer {
  llvm::Value* base = nullptr;
  llvm::Value* limit = nullptr;
};

/// A buffer as the code sees it. Offsets, strides and extents count elements.
struct BufferState {
  Pointer memory;
  std::vector<llvm::Value*> extents, strides;  ///< i64, one a dimension
  llvm::Value* offset = nullptr;               ///< i64, null = zero
  /// Its extents are those of its memory: an index inside of each dimension stays inside of that.
  bool whole = false;
};

/// The element that one lane of an access goes to.
struct LaneAccess {
  std::vector<llvm::Value*> indices;  ///< i64, one a dimension
  llvm::Value* flat = nullptr;        ///< i64, in elements
  llvm::Value* active = nullptr;      ///< i1: whether the lane counts; null = yes
};

class Emitter {
 public:
  /// `marks` may be null.
  Emitter(llvm::Module& module, const lower::HostKernel& kernel, const KernelOptions& options,
          LineMarks* marks = nullptr);
  virtual ~Emitter() = default;
  /// Adds the functions `name` (the entry) and its body; fails with codegen.unsupported, each with its place.
  /// `signature` is that of the kernel's function.
  Result<Unit> run(const std::string& name, const lower::Signature& signature);

 protected:
  friend struct Intrinsics;
  // Types (emit_types.cpp).
  llvm::Type* registerType(DataType dtype);
  llvm::Type* memoryType(DataType dtype);
  llvm::Value* fromMemory(llvm::Value* raw, DataType dtype);
  llvm::Value* toMemory(llvm::Value* value, DataType dtype);
  /// The value (float) of the bits (i32) of an emulated type, and back; a float as this type has it.
  /// The type of words of 32 bits, as many as the value has lanes.
  llvm::Type* wordsLike(llvm::Value* value);
  virtual llvm::Value* decoded(llvm::Value* bits, DataType dtype);
  virtual llvm::Value* encoded(llvm::Value* value, DataType dtype);
  virtual llvm::Value* nearest(llvm::Value* value, DataType dtype);
  /// A float of up to 16 bits that LLVM does not compute with here: held as float, rounded after each operation.
  static bool emulated(DataType dtype);
  llvm::Value* rounded(llvm::Value* value, DataType dtype);
  llvm::Value* saturated(llvm::Value* value, DataType to);
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
  /// An intrinsic that is other here than elsewhere; nothing for the rest. Null after a refusal.
  virtual std::optional<llvm::Value*> ownCall(std::string_view name, const tir::Call& node);
  /// A function of the C library.
  virtual llvm::FunctionCallee mathFunction(const std::string& name, llvm::Type* type, size_t args);
  llvm::Value* mathCall(const char* function, DataType dtype, std::vector<llvm::Value*> args);
  llvm::Value* callPacked(const tir::Call& node);
  llvm::Value* packedArgs(const tir::Call& node, size_t first);
  /// rx_tile_products (emit_tiles.cpp).
  llvm::Value* tileProducts(const tir::Call& call);

  // Pointers (emit_pointer.cpp).
  /// A value of handle type; nothing after a refusal, which has been noted. Lowering has refused those without a limit.
  std::optional<Pointer> pointer(const tir::PrimExpr& node);
  std::optional<Pointer> pointerHere(const tir::PrimExpr& node);
  std::optional<Pointer> addressOf(const tir::Call& call);
  std::optional<Pointer> accessPtr(const tir::Call& call);
  /// Ends the kernel where fewer bytes lie behind the pointer.
  void pointerHolds(const Pointer& pointer, int64_t bytes);
  void reportPart(llvm::Value* offset, llvm::Value* extent, llvm::Value* limit);
  std::optional<Pointer> choosePointer(const tir::PrimExpr& condition, const tir::PrimExpr& yes,
                                       const tir::PrimExpr& no);
  void define(const tir::Var& var, Pointer pointer);
  std::optional<Pointer> known(const tir::Var& var) const;

  // Buffers (emit_buffer.cpp).
  std::optional<BufferState> buffer(const tir::Buffer& node);
  BufferState makeState(const tir::Buffer& node, Pointer memory);
  bool fits(const tir::Buffer& node, const BufferState& state, size_t indices);
  /// Lane `lane` of an access; scalar indices are the same in all lanes.
  LaneAccess laneAccess(const BufferState& state, const Array<tir::PrimExpr>& indices,
                        const std::vector<llvm::Value*>& values, int lane, llvm::Value* active);
  /// All lanes at once, in vectors.
  LaneAccess everyLane(const BufferState& state, const Array<tir::PrimExpr>& indices,
                       const std::vector<llvm::Value*>& values, int lanes, llvm::Value* active);
  /// Whether the elements of a vector lie one after the other.
  /// How many elements neighbouring lanes are apart, where the last index alone has lanes and that is a number; else 0.
  int64_t laneStride(const tir::Buffer& buffer, const BufferState& state, const Array<tir::PrimExpr>& indices) const;
  /// The lanes that count, as bits: those of the predicate, of the ones that count here; null = all.
  llvm::Value* lanesOf(const tir::PrimExpr& predicate, int lanes);
  llvm::Value* laneOf(llvm::Value* lanes, int lane);
  static llvm::Align alignment(DataType element);
  llvm::Value* elementPointer(const tir::Buffer& node, const BufferState& state, llvm::Value* flat);
  /// The same in lanes that count; a place that nobody looks at in others.
  llvm::Value* safePointer(const tir::Buffer& node, const BufferState& state, const LaneAccess& lane);
  /// Element `part` of a vector in memory.
  llvm::Value* partOf(llvm::Value* vector, DataType element, int part);
  bool movesAsVector(DataType element);
  llvm::Value* stridedVector(const tir::BufferLoad& node, const BufferState& state, const LaneAccess& first,
                             int stride);
  llvm::Value* wholeVector(const tir::BufferLoad& node, const BufferState& state, const LaneAccess& first,
                           llvm::Value* active);
  void store(const tir::BufferStore& node);
  /// Past the caches where the address is a multiple of the vector's size, as the instruction asks for.
  void streamedStore(llvm::Value* vector, llvm::Value* at, DataType element);
  /// What comes behind finds in memory what was stored past the caches.
  void streamedStoresDone();

  // Checks (emit_check.cpp).
  /// Ends the kernel where a lane that counts is outside of the buffer; `every` is null where it is enough to look at
  /// the first and the last one: of a scalar, and of a vector that lies in one piece.
  void checkAccess(const tir::Buffer& node, const BufferState& state, const std::vector<LaneAccess>& lanes,
                   const LaneAccess* every);
  /// Whether the accesses of the buffer have to be looked at.
  bool checked(const tir::Buffer& node) const;
  /// Of one lane, or of each where the parts of the access are vectors.
  llvm::Value* outside(const tir::Buffer& node, const BufferState& state, const LaneAccess& access);
  /// Lanes that are outside go to the first element, where there is one, and else count no longer.
  void stayInside(const tir::Buffer& node, const BufferState& state, std::vector<LaneAccess>& lanes);
  void failAccess(llvm::Value* condition, const tir::Buffer& node, const BufferState& state,
                  const std::vector<LaneAccess>& lanes);
  llvm::Value* wordsFor(size_t count);
  /// Ends the kernel where the condition holds; `report` says why.
  void failWhen(llvm::Value* condition, const std::function<void()>& report);
  virtual void failWhen(llvm::Value* condition, vm::KernelFault fault, const std::string& message);
  /// Ends the kernel; the host has noted the reason.
  void failNoted(llvm::Value* condition);
  llvm::Value* text(const std::string& message);
  void failAtZero(DataType dtype, llvm::Value* divisor, const std::string& message);
  virtual void allocate(const tir::Buffer& node);
  /// Null after a refusal, which has been noted.
  virtual llvm::Value* allocateBytes(llvm::Value* bytes);
  /// Bytes of an element in memory, where one of less than a byte takes one.
  static int64_t elementBytes(DataType type);
  llvm::Value* byteCount(DataType type, const Array<tir::PrimExpr>& extents);
  /// The same for memory that is taken: ends the kernel where they are negative, or no number holds them.
  llvm::Value* byteCountChecked(std::string_view name, DataType type, const Array<tir::PrimExpr>& extents);

  // Statements (emit_stmt.cpp).
  /// `args`: one for each parameter and symbol, the result, the host.
  void takeParams(const lower::Signature& signature, std::span<llvm::Value* const> args);
  /// A function that the host can call: i32 (buffers, numbers, reals, result, host).
  llvm::Function* newEntry(const std::string& name, llvm::Function::LinkageTypes linkage);
  /// Begins the entry with what its lists hold, in the order of takeParams().
  std::vector<llvm::Value*> unpacked(llvm::Function& entry, const lower::Signature& signature);
  /// Symbols that are known to be numbers.
  using Sizes = std::unordered_map<const Node*, int64_t>;
  /// The entry, which unpacks the arguments, and the body that it calls: all of these statements in order.
  void kernelOf(llvm::Function* entry, const lower::Signature& signature, std::span<const tir::Stmt> parts,
                const Sizes& sizes = {});

  // Forms of a kernel (emit_forms.cpp).
  /// A kernel that only chooses between parts that are compiled apart.
  struct Forms {
    std::vector<tir::Stmt> ahead;  ///< names for values and views, which each of them needs
    tir::Stmt choice;
    struct Form {
      const tir::AttrStmt* statement;
      Sizes sizes;  ///< what it is for
    };
    std::vector<Form> forms;
  };
  static std::optional<Forms> formsOf(const tir::Stmt& body);
  /// Each of them as a kernel, and the entry, which ends by the one that the run needs.
  void kernelOfForms(const std::string& name, const lower::Signature& signature, const Forms& forms);
  /// Begins a function: nothing that another one holds is there in it.
  void forget();
  void endBy(llvm::Function& form);
  /// From here on what is emitted into the function is of the statement at that place.
  void mark(llvm::Function& function, const Span& place);
  void stmt(const tir::Stmt& node);
  void stmtHere(const tir::Stmt& node);
  /// What a variable is from here on; false after a refusal.
  bool bind(const tir::VarRef& var, const tir::PrimExpr& value);
  void allocateData(const tir::Allocate& node);
  void declare(const tir::Buffer& declared);
  void assertion(const tir::AssertStmt& node);
  void attr(const tir::AttrStmt& node);
  /// What each thread of an axis runs.
  virtual void threads(const tir::IterVar& axis, const tir::PrimExpr& extent, const tir::Stmt& body);
  void sequence(const tir::SeqStmt& node);
  void branch(const tir::IfThenElse& node);
  void forLoop(const tir::For& node);
  void whileLoop(const tir::While& node);
  /// Whether a loop goes on whose condition is this.
  virtual llvm::Value* goesOn(llvm::Value* condition) { return condition; }

  // Cancellation (emit_cancel.cpp).
  /// How a loop looks whether the run was cancelled; a `while` looks once in some steps.
  enum class Looks : uint8_t { Never, EachStep, EachPiece };
  /// How many steps each loop of the statement may take at the most, as far as is known.
  void countSteps(const tir::Stmt& body);
  Looks looksOf(const tir::For& node) const;
  /// Whether an expression is made of axes, counters of loops and numbers alone.
  bool countsElements(const tir::PrimExpr& extent) const;
  /// The most that an extent can be, as far as is known.
  double mostOf(const tir::PrimExpr& extent) const;
  /// Ends the kernel where the run was cancelled.
  void look();
  void lookNowAndThen();
  void inPieces(const tir::For& node, llvm::Value* first, llvm::Value* extent);

  // Loops that are checked before their steps run (emit_ahead.cpp).
  /// What code that may fail does.
  enum class Checks : uint8_t {
    Here,     ///< it ends the kernel
    Ahead,    ///< it notes that a step would fail, goes nowhere outside of a buffer, and writes nothing
    Settled,  ///< nothing: no step of these fails
  };
  /// All steps of a loop, in order.
  void steps(const tir::For& node, llvm::Value* first, llvm::Value* extent);
  /// The same of a loop that does not look between them, or at each of them.
  void plainSteps(const tir::For& node, llvm::Value* first, llvm::Value* extent);
  void stepsCheckedAhead(const tir::For& node, llvm::Value* first, llvm::Value* extent, const lower::AheadPlan& plan);
  void stepsAs(Checks checks, const tir::For& node, llvm::Value* first, llvm::Value* extent);
  llvm::Value* decidedByOthers(const lower::AheadPlan& plan);

  // Parallel loops (emit_parallel.cpp).
  /// What a body sees of the function around it.
  struct Frame {
    std::unordered_map<const tir::Var*, llvm::Value*> vars, limits;
    std::unordered_map<const tir::Buffer*, BufferState> buffers;
    std::vector<const Node*> order;  ///< of all of them: code does not depend on where nodes lie in memory
    template <class F>
    void each(F&& use) {
      for (const Node* node : order) {
        if (const auto* var = as<tir::Var>(node)) {
          if (const auto found = vars.find(var); found != vars.end()) use(found->second);
          if (const auto found = limits.find(var); found != limits.end()) use(found->second);
        } else if (const auto found = buffers.find(as<tir::Buffer>(node)); found != buffers.end()) {
          eachOf(found->second, use);
        }
      }
    }
    template <class F>
    static void eachOf(BufferState& state, F&& use) {
      use(state.memory.base);
      use(state.memory.limit);
      use(state.offset);
      for (llvm::Value*& stride : state.strides) use(stride);
      for (llvm::Value*& extent : state.extents) use(extent);
    }
  };
  struct Captured;
  bool runsInParallel(const tir::For& node) const;
  void parallelLoop(const tir::For& node, llvm::Value* first, llvm::Value* extent);
  Frame frameFor(const tir::Stmt& body, Captured& captured) const;
  /// The steps from one to another as a function: i32 (begin, end, host, what is captured...).
  llvm::Function* outlined(const tir::For& node, llvm::Value* first, Frame frame, const Captured& captured);
  /// The same for threads, which find what is captured in a record: i32 (begin, end, record, host).
  llvm::Function* calledByThreads(llvm::Function* made, llvm::StructType* record, const Span& place);

  void loop(const tir::VarRef& var, llvm::Value* first, llvm::Value* extent, const std::function<void()>& body);
  void ifThen(llvm::Value* condition, const std::function<void()>& yes, const std::function<void()>& no = {});
  void returnCode(llvm::Value* code);
  llvm::Value* stackMemory(int64_t bytes);
  llvm::Value* hostMemory(llvm::Value* bytes);
  /// Frees what was allocated on the host since the scope had `count` allocations.
  void leaveScope(size_t count);

  /// A function of the runtime.
  virtual llvm::FunctionCallee host(const char* name, llvm::Type* result, std::initializer_list<llvm::Type*> params);
  llvm::Value* refuse(Span span, const std::string& what);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> builder_;
  const lower::HostKernel& kernel_;
  const KernelOptions& options_;
  LineMarks* marks_;
  llvm::Function* function_ = nullptr;
  llvm::Value* threadsIf_ = nullptr;  ///< whether threads share parallel loops here; null: they do
  bool streamed_ = false;             ///< whole vectors are stored past the caches here
  llvm::Value* result_ = nullptr;
  llvm::Value* host_ = nullptr;
  llvm::Value* activeLanes_ = nullptr;  ///< lanes whose value is used; null = all of them
  std::unordered_map<const tir::Var*, llvm::Value*> vars_;
  std::unordered_map<const tir::Buffer*, BufferState> buffers_;
  std::unordered_map<const tir::Var*, llvm::Value*> limits_;  ///< bytes behind a pointer
  std::unordered_map<const Node*, double> most_;  ///< steps of a statement at the most, infinite where not known
  std::unordered_set<const tir::Var*> counts_;    ///< axes and counters of loops, which memory bounds
  struct HostAllocation {
    llvm::Value* memory;
    bool always;  ///< else it may be null: then there is none to give back
  };
  std::vector<HostAllocation> hostAllocations_;
  std::unordered_set<const llvm::Value*> ownMemory_;  ///< that nothing else leads to
  /// Memory on the stack of the function, once each: for what a failing access says, and for lanes that do not count.
  struct Scratch {
    llvm::AllocaInst* words = nullptr;
    size_t count = 0;
    llvm::Value* unused = nullptr;
    size_t unusedBytes = 0;
  } scratch_;
  Checks checks_ = Checks::Here;
  /// In a part of a parallel loop: what the other parts may write to meanwhile; nothing where that is not known.
  std::optional<std::vector<tir::VarRef>> writtenByOthers_ = std::vector<tir::VarRef>();
  llvm::Value* wouldFail_ = nullptr;  ///< i1 in memory, while Checks::Ahead
  std::map<std::string, llvm::Value*, std::less<>> texts_;
  /// Where `continue` and `break` of the innermost loop go.
  struct LoopTargets {
    llvm::BasicBlock* next;
    llvm::BasicBlock* end;
  };
  std::vector<LoopTargets> loops_;
  std::unordered_map<const Node*, llvm::Function*> forms_;  ///< by the statement that each of them is
  int64_t stackBytes_ = 0, unknownBytes_ = 0;               ///< on the stack of the function: of known size, and of any
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace rx::codegen
