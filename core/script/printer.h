// The printing machine, private to core/script: one output buffer, scoped names, and a work list in place of recursion.
//
// Code reads like a recursive printer: text(...), expr(...), text(...). Each call writes at once as long as nothing is
// waiting; beyond kInlineDepth native frames it is put on the work list instead, and everything after it waits behind
// it. So depth costs list entries, never stack.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/script/print.h"
#include "core/script/print_again.h"
#include "core/script/print_names.h"

namespace rx::script {

/// Binding strength of Python's operators, weakest first.
enum class Prec : uint8_t { Lambda, Or, And, Not, Compare, BitOr, BitXor, BitAnd, Shift, Add, Mul, Unary, Power, Atom };

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}
  PrintResult run(const NodeRef& root);
  /// `bodies` gets the places of bodies that are printed; those of `before` are copied where they are the same.
  PrintResult runAgain(const ir::Module& module, const PrintedBefore& before, std::vector<PrintedBody>* bodies);
  /// One line for messages: variables by their own names, no scopes.
  std::string runLoose(const Node& node);

 private:
  using Run = void (Printer::*)(const void* p, uint64_t x);
  struct Task {
    Run run;
    const void* p;
    uint64_t x;
  };
  static constexpr int kInlineDepth = 48;

  // --- the machine (printer.cpp)
  bool waiting() const { return tasks_.size() > mark_; }
  void later(Run run, const void* p = nullptr, uint64_t x = 0) { tasks_.push_back({run, p, x}); }
  void now(Run run, const void* p, uint64_t x = 0) {
    if (waiting() || depth_ >= kInlineDepth) return later(run, p, x);
    ++depth_;
    (this->*run)(p, x);
    --depth_;
  }
  void drain();
  /// `s` must outlive the printing: a literal, text of the IR, or keep().
  void text(std::string_view s) {
    if (waiting()) return later(&Printer::runText, s.data(), s.size());
    out_.append(s);
  }
  std::string_view keep(std::string s) { return kept_.emplace_back(std::move(s)); }
  void number(int64_t value);
  void real(double value);
  void quoted(std::string_view s);
  void newline();
  void indent();
  void dedent();
  void enterScope() { names_.enter(); }
  void leaveScope() { waiting() ? later(&Printer::runLeaveScope) : names_.leave(); }
  size_t anchor(const Node* node);
  void endAnchor(size_t index);
  /// What is written up to endName() is a name.
  void beginName(const Node* node, NameRole role);
  void endName();
  void named(std::string_view name, const Node* node, NameRole role) {
    beginName(node, role);
    text(name);
    endName();
  }
  void runText(const void* p, uint64_t x);
  void runNewline(const void*, uint64_t);
  void runIndent(const void*, uint64_t x);
  void runLeaveScope(const void*, uint64_t) { names_.leave(); }
  void runEndAnchor(const void*, uint64_t x) { anchors_[x].end = static_cast<uint32_t>(out_.size()); }
  void runBeginName(const void* p, uint64_t role);
  void runEndName(const void*, uint64_t) { places_.back().end = static_cast<uint32_t>(out_.size()); }
  /// Text put at `at` when the function is done (declarations found while its body was printed).
  struct Insertion {
    size_t at;
    std::string text;
    size_t order = 0;
  };
  void applyInsertions(size_t from);
  void warn(std::string message);
  /// "T" and "R" of the header; usage is noted.
  void t(std::string_view name);
  void r(std::string_view name);
  void i(std::string_view name);
  bool era(Dialect dialect) const { return options_.dialect == dialect; }
  template <class List, class F>
  void commas(const List& list, F&& each) {
    bool first = true;
    for (const auto& element : list) {
      if (!first) text(", ");
      first = false;
      each(element);
    }
  }

  // --- attribute values (print_attr.cpp)
  void attr(const NodeRef& value) { now(&Printer::runAttr, value.get()); }
  void runAttr(const void* p, uint64_t);
  void attrList(const ir::ArrayAttr& list);
  void runAttrList(const void* p, uint64_t x);
  void dict(const ir::Attrs& attrs);
  void runDict(const void* p, uint64_t x);
  void dtypeText(DataType dtype);
  std::string_view dtypeQuoted(DataType dtype);
  void indexMap(const tir::IndexMap& map);
  void target(const NodeRef& value);
  std::string vdeviceText(const ir::VDevice& device) const;
  std::string meshText(const ir::DeviceMesh& mesh) const;
  /// Begin and end of a range, with the parenthesis after them.
  void rangeEnds(const tir::Range& range);
  void deviceMesh(const ir::DeviceMesh& mesh);
  void metadataRef(const char* type, const Ref<HostTensor>& data);

  // --- TIR expressions (print_prim.cpp)
  void prim(const tir::PrimExpr& e, Prec least = Prec::Lambda) { now(&Printer::runPrim, e.get(), uint64_t(least)); }
  void runPrim(const void* p, uint64_t least);
  void intImm(const tir::IntImm& imm);
  void binary(const tir::BinaryNode& e, Prec least);
  void primCall(const tir::Call& call);
  void let(const tir::Let& let);
  void reducer(const tir::CommReducer& reducer);
  void reduce(const tir::Reduce& reduce);
  void lambdaParams(const std::vector<const Node*>& vars);
  void bufferRef(const tir::Buffer& buffer);
  /// An element that is read or stored: `A[i]`, or the name of a scalar.
  void element(const tir::Buffer& buffer, const Array<tir::PrimExpr>& at);
  void indices(const Array<tir::PrimExpr>& list);
  void region(const tir::BufferRegion& region);
  void sliceOrIndex(const tir::PrimExpr& index);
  void primVar(const tir::Var& var);
  void type(const tir::Type& type, const tir::Var* var);
  void varCreation(const tir::Var& var);
  /// Declares a variable that nothing defined, at the top of the function.
  std::string_view declareFree(const tir::Var& var);
  /// A variable may be used from the end of what is printed, `deeper` levels further in.
  void definedHere(const Node* var, int deeper);
  std::string_view declareFreeBuffer(const tir::Buffer& buffer);
  void typeVar(std::string_view name);
  /// A variable that nothing binds is declared by its annotation alone.
  std::string_view declareFreeVar(const relax::Var& var);

  // --- TIR statements and functions (print_stmt.cpp, print_block.cpp, print_primfunc.cpp)
  void primFunc(const tir::PrimFunc& func, std::string_view name);
  void primFuncParams(const tir::PrimFunc& func);
  void stmt(const tir::Stmt& s) { later(&Printer::runStmt, s.get(), 1); }
  /// x: 1 when nothing follows in its scope, so that a `with` may be left out.
  void runStmt(const void* p, uint64_t x);
  void runSeq(const void* p, uint64_t x);
  void forLoop(const tir::For& loop);
  void attrStmt(const tir::AttrStmt& s, bool last);
  void allocate(const tir::Allocate& s);
  void allocBuffer(const tir::AllocBuffer& s);
  /// `name: T.int32 = value`; `first` null where no value follows.
  void allocScalar(const tir::AllocBuffer& s, const tir::BufferStore* first);
  bool writtenAsScalar(const tir::Buffer& buffer) const { return !era(Dialect::V018) && tir::isScalar(buffer); }
  void bufferStore(const tir::BufferStore& s);
  void evaluate(const tir::Evaluate& s);
  void assertStmt(const tir::AssertStmt& s);
  void bind(const tir::Bind& s);
  void ifThenElse(const tir::IfThenElse& s);
  void runElse(const void* p, uint64_t);
  void block(const tir::BlockRealize* realize, const tir::Block& block);
  void iterVars(const tir::BlockRealize* realize, const tir::Block& block);
  void iterVar(const tir::BlockRealize* realize, const tir::Block& block, size_t i);
  void regions(std::string_view name, const Array<Ref<tir::BufferRegion>>& list);
  void blockBuffers(const tir::Block& block);
  void body(const tir::Stmt& s);
  std::string_view defineBuffer(const tir::Buffer& buffer);
  /// Defines the buffer and writes `NAME = T.kind(leading, shape, dtype, keywords)`.
  void bufferDecl(const tir::Buffer& buffer, std::string_view kind, const tir::BufferRegion* source,
                  std::string_view leading, bool definesData, const ir::Attrs& annotations = nullptr);
  /// A variable that nothing has defined so far.
  bool isNewVar(const tir::PrimExpr& e) const;
  /// Variables that a declaration of the buffer introduces get a line of their own before it.
  void bufferVars(const tir::Buffer& buffer, std::string_view kind);
  void bufferKeywords(const tir::Buffer& buffer, std::string_view kind, const std::string& name,
                      const ir::Attrs& annotations);
  void bufferStrides(const tir::Buffer& buffer, const std::string& name);
  /// True where the declaration makes the variable of the offset, which its factor has to say.
  bool bufferOffset(const tir::Buffer& buffer, const std::string& name);
  void bufferAxisSeparators(const tir::Buffer& buffer);
  void findUsedParams(const tir::PrimFunc& func);
  bool inlineParam(const tir::PrimFunc& func, size_t i) const;
  std::string_view blockWord(std::string_view v018, std::string_view v025) const {
    return era(Dialect::V018) ? v018 : v025;
  }

  // --- StructInfo (print_sinfo.cpp)
  void sinfo(const relax::StructInfo& info) { now(&Printer::runSinfo, info.get()); }
  void runSinfo(const void* p, uint64_t);
  void tensorSinfo(const relax::TensorStructInfo& info);
  void shapeDims(const Array<tir::PrimExpr>& dims, bool tuple);
  void dim(const tir::PrimExpr& e);
  void funcSinfo(const relax::FuncStructInfo& info);
  void dtensorSinfo(const relax::DTensorStructInfo& info);

  // --- Relax (print_relax.cpp, print_call.cpp, print_function.cpp)
  void expr(const relax::Expr& e, uint64_t flags = 0) { now(&Printer::runExpr, e.get(), flags); }
  static constexpr uint64_t kBareTuple = 1;  ///< a tuple of two or more without parentheses
  void runExpr(const void* p, uint64_t flags);
  void exprs(const Array<relax::Expr>& list);
  void runExprs(const void* p, uint64_t x);
  void tupleExpr(const relax::Tuple& tuple, bool bare);
  void constant(const relax::Constant& constant);
  void relaxVar(const relax::Var& var);
  void globalVar(const relax::GlobalVar& var);
  void call(const relax::Call& call);
  void callTir(const relax::Call& call);
  void callArguments(const relax::Call& call);
  void callPacked(const relax::Call& call);
  void callFunctionFirst(const relax::Call& call);
  void callPrint(const relax::Call& call);
  void callAssert(const relax::Call& call);
  void callHint(const relax::Call& call);
  bool leavesOut(const relax::Call& call, size_t attr) const;
  /// "R.NAME" of an operator, the "R." of its namespace included.
  void opName(const relax::Call& call, std::string_view name);
  void callAttrs(const relax::Call& call, bool& first);
  void sinfoArgs(const Array<relax::StructInfo>& list, bool& first);
  std::string_view sinfoWord(std::string_view v025, std::string_view v027) const {
    return era(Dialect::V027) ? v027 : v025;
  }
  /// `node` is what the name behind `def` stands for.
  void function(const relax::Function& func, const Node* node, std::string_view name, bool global);
  void runFunctionEnd(const void*, uint64_t outermost);
  void runEnterScope(const void*, uint64_t) { names_.enter(); }
  void functionAttrs(const ir::Attrs& attrs, std::string_view name, bool global, bool relaxText);
  /// Names the symbolic variables that `info` brings and adds the lines that declare them.
  void declareSymbols(const relax::StructInfo& info, std::vector<std::string>& lines);
  void seqBody(const relax::SeqExpr& seq);
  void runSeqBlocks(const void* p, uint64_t x);
  void runBlock(const void* p, uint64_t x);
  void runBlockEnd(const void* p, uint64_t);
  void binding(const relax::BindingNode& binding);
  void runReturn(const void* p, uint64_t);
  void ifBinding(const relax::If& branch, const relax::VarBinding& binding);
  void runBranchValue(const void* p, uint64_t x);
  void annotation(const relax::Var& var, const Node* value);

  // --- modules (print_module.cpp)
  void module(const ir::IRModule& module);
  void moduleHeader(const ir::IRModule& module);
  void runMember(const void* p, uint64_t x);
  void runMemberEnd(const void*, uint64_t from);
  /// Without a module around it a function calls others by their bare names, which no variable may take.
  void reserveCallees(const ir::BaseFuncNode& func);
  void member(const ir::BaseFunc& func, std::string_view name);
  /// Begins the body of a function of a module, and copies it where it was printed before; true then.
  bool beginBody(const relax::Function& func);
  /// Behind the body that was begun last: notes it where only its function decides its text.
  void endBody();
  void runRoot(const void* p, uint64_t);
  std::string header() const;

  PrintOptions options_;
  std::string out_;
  std::vector<Task> tasks_;
  size_t mark_ = 0;
  int depth_ = 0;
  int indent_ = 0;
  NameScopes names_;
  std::deque<std::string> kept_;
  std::vector<Anchor> anchors_;
  std::vector<NamePlace> places_;
  std::vector<Insertion> insertions_;
  std::vector<Diagnostic> warnings_;
  std::unordered_set<std::string> warned_;
  std::vector<std::string> typeVars_;  ///< v0.27: symbols of the file

  const ir::IRModule* module_ = nullptr;
  std::shared_ptr<const std::vector<uint32_t>> order_;  ///< members as they are printed
  bool wroteHeader_ = false;
  DataType lastDtype_;
  std::string_view lastDtypeText_;  ///< quoted
  bool loose_ = false;              ///< a message: nothing is declared
  bool usesT_ = false, usesR_ = false, usesI_ = false;
  DataType bareInt_ = DataType::Int(32);  ///< integers of this type need no wrapper
  bool stepped_ = false;                  ///< a part of a buffer is written with its step
  // State of the function being printed
  int functionDepth_ = 0;   ///< Relax functions around this place
  bool signature_ = false;  ///< dimensions are texts ("n * 2")
  bool clsUsed_ = false;
  size_t top_ = 0;  ///< where declarations go
  int topIndent_ = 0;
  struct DataPlace {
    size_t at;
    int indent;
  };
  const ir::DictAttrs* functionAttrs_ = nullptr;           ///< of the function that is written: their target is one
  std::unordered_map<const Node*, std::string> scalars_;   ///< buffers that are written as variables
  std::unordered_set<const Node*> usedParams_;             ///< of the function, besides by their buffers
  std::unordered_map<const Node*, DataPlace> dataPlaces_;  ///< where a variable of the body, or a pointer, is defined
  std::unordered_map<const Node*, const tir::For*> loops_;
  std::unordered_map<const Node*, int> threadUses_;
  std::vector<PrintedBody>* bodies_ = nullptr;                        ///< null where nobody asks for them
  std::unordered_map<const Node*, const PrintedBody*> bodiesBefore_;  ///< by the body
  std::string_view textBefore_;
  PrintedBody body_;           ///< the one that is printed; no function where it is not to be noted
  bool usedTBefore_ = false;   ///< by what stands before that body
  bool metadataUsed_ = false;  ///< by that body
  std::vector<Ref<HostTensor>> constants_, tensors_;  ///< the metadata block
  std::unordered_map<const HostTensor*, size_t> constantIndex_, tensorIndex_;
  std::vector<NodeRef> owned_;  ///< nodes made while printing
};

}  // namespace rx::script
