// The compiler from TIR to a Program: expressions lane by lane, statements in order.
#pragma once

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/interpret/program.h"
#include "core/lower/signature.h"

namespace rx::interpret {

class Compiler {
 public:
  virtual ~Compiler() = default;
  Result<Program> run(const lower::Signature& signature);

 protected:
  // What is otherwise where the program is one of several that run side by side.
  /// Whether it is stepped: then each instruction stays with its statement.
  virtual bool isStepped() const { return false; }
  /// The register of a call; nothing where it is called as in any program. The same of the statements below: false.
  virtual std::optional<uint32_t> ownCall(std::string_view, const tir::Call&, int /*lane*/) { return std::nullopt; }
  virtual bool ownAttr(const tir::AttrStmt&) { return false; }
  virtual bool ownAllocation(const tir::BufferRef&) { return false; }

  // Expressions (compile_expr.cpp): the register that holds lane `lane`.
  uint32_t expr(const tir::PrimExpr& e, int lane = 0);
  uint32_t exprHere(const tir::PrimExpr& e, int lane);
  uint32_t binary(const tir::BinaryNode& node, int lane);
  uint32_t choose(const tir::PrimExpr& c, const tir::PrimExpr& yes, const tir::PrimExpr& no, int lane);
  uint32_t load(const tir::BufferLoad& node, int lane);
  uint32_t call(const tir::Call& node, int lane);
  uint32_t divisor(const tir::Call& node, int lane);
  uint32_t dotOfBytes(const tir::Call& node, int lane);
  uint32_t dotOfHalves(const tir::Call& node, int lane);
  uint32_t scaled(const tir::Call& node, int lane);
  uint32_t tileProducts(const tir::Call& node);
  uint32_t wordOp(Kind kind, uint32_t a, uint32_t b);
  uint32_t mathCall(std::string_view name, const tir::Call& node, int lane);
  uint32_t castTo(uint32_t value, DataType from, DataType to);
  uint32_t packedCall(const tir::Call& node);
  uint32_t checkedIndex(const tir::Call& node, int lane);
  PackedArg packedArg(const tir::PrimExpr& e);
  uint32_t pointer(const tir::PrimExpr& e);
  uint32_t pointerHere(const tir::PrimExpr& e);
  uint32_t choosePointer(const tir::PrimExpr& c, const tir::PrimExpr& yes, const tir::PrimExpr& no);
  int64_t access(const tir::BufferRef& buffer, const Array<tir::PrimExpr>& indices, int lane);

  // Statements (compile_stmt.cpp).
  void stmt(const tir::Stmt& s);
  void stmtHere(const tir::Stmt& s);
  void bind(const tir::VarRef& var, const tir::PrimExpr& value);
  /// The pointer to new memory, which is that of `data`.
  uint32_t allocate(const tir::VarRef& data, DataType type, const Array<tir::PrimExpr>& extents, const Str& name);
  void assertion(const tir::AssertStmt& node);
  void branch(const tir::IfThenElse& node);
  void whileLoop(const tir::While& node);
  void store(const tir::BufferStore& node);
  void attr(const tir::AttrStmt& node);
  /// What `body` names is gone behind it.
  void scope(const tir::Stmt& body);
  void nameValue(const tir::Var& var, std::vector<uint32_t> lanes);
  void countedLoop(const tir::VarRef& var, const tir::PrimExpr& min, const tir::PrimExpr& extent,
                   const tir::Stmt& body);
  void loop(const tir::For& each);
  /// Where loops add products up, does them at once (compile_sums.cpp): the jump that is then taken behind them.
  std::optional<size_t> productSum(const tir::For& loop);
  uint32_t converted(const tir::PrimExpr& e, DataType type);
  void params(const lower::Signature& signature);
  void defineBuffer(const tir::BufferRef& buffer, uint32_t pointer);
  void allocateBuffer(const tir::BufferRef& buffer);

  // Parts.
  uint32_t fresh() {
    depthOf_.push_back(depth());
    return program_.registers++;
  }
  /// How many loops are open. A register has the depth of the instruction that writes it: in deeper loops it stays.
  uint32_t depth() const { return static_cast<uint32_t>(before_.size()); }
  /// Whether an instruction gives the same wherever it stands, and can not fail.
  bool isPure(const Instr& instr) const;
  void openLoop() {
    if (!isStepped()) before_.emplace_back();
  }
  /// Puts what the loop that begins at `start` need not do in each step before it.
  void closeLoop(size_t start);
  /// Jumps that are taken where the condition does not hold.
  void jumpsUnless(const tir::PrimExpr& condition, std::vector<size_t>& jumps);
  uint32_t constant(int64_t value);
  uint32_t constantReal(double value);
  /// The register of a constant, one for each however often it stands in the code.
  uint32_t constantRegister(Reg value);
  size_t emit(Instr instr);
  /// The same of one that gives a number: the register that holds it.
  uint32_t give(Instr instr);
  /// Puts one of two into `dst`, by `move`: what `yes` or `no` gives, whose instructions run where it is chosen.
  template <class Yes, class No>
  uint32_t chosen(uint32_t test, uint32_t dst, Code move, Yes yes, No no);
  /// Puts a row behind the others of a table of the program.
  template <class Row>
  static int64_t numberOf(std::vector<Row>& table, Row row) {
    table.push_back(std::move(row));
    return static_cast<int64_t>(table.size()) - 1;
  }
  void patch(size_t at) { program_.code[at].imm = static_cast<int64_t>(program_.code.size()); }
  uint32_t variable(const tir::Var* var, int lane = 0);
  uint32_t bufferSlot(const tir::BufferRef& buffer);
  void fail(std::string rule, std::string message, Span span = {});
  /// Puts an instruction that ends the run with this message.
  void failAtRun(std::string rule, std::string text);
  int64_t divisionMessage(std::string text);
  /// The number of a message that an instruction may end the run with.
  int64_t message(std::string rule, std::string text);

  uint32_t statement_ = 0;  ///< whose instructions are emitted
  Program program_;
  std::unordered_map<int64_t, uint32_t> constants_;  ///< registers by their bits
  std::vector<std::vector<Instr>> before_;           ///< by open loop: what is done before it
  std::vector<uint32_t> depthOf_;                    ///< by register
  std::vector<uint32_t> viewDepthOf_;                ///< by buffer: where it is defined
  std::unordered_map<const tir::Var*, std::vector<uint32_t>> variables_;
  std::unordered_map<const tir::Var*, uint32_t> pointers_;
  std::unordered_map<const tir::Buffer*, uint32_t> buffers_;
  struct LoopExits {
    std::vector<size_t> breaks, continues;
  };
  std::vector<LoopExits> loops_;
  bool inProductSum_ = false;  ///< in loops that are done at once where they can be
  std::unordered_map<const tir::Var*, uint32_t> threads_;
  std::vector<Diagnostic> errors_;
};

}  // namespace rx::interpret
