// The reader of one module or function: evaluates the syntax tree to IR. Expressions are read here for TIR and Relax
// alike (reader_*.cpp); statements by the readers of each (tir_*.cpp, relax_*.cpp).
//
// Python values are attribute nodes (IntAttr, FloatAttr, BoolAttr, StrAttr, NullAttr, ArrayAttr for tuples and lists,
// DictAttrs); everything else is IR.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/module.h"
#include "core/op/tir_intrinsics.h"
#include "core/script/metadata_read.h"
#include "core/script/outline.h"
#include "core/script/parse.h"
#include "core/script/scope.h"
#include "core/script/syntax.h"
#include "core/script/value_order.h"

namespace rx::op {
struct OpRow;
}

namespace rx::script {

/// What a text's spelling says about its age, gathered before it is read.
struct EraHints {
  Era era = Era::V025;
  bool statementAllocation = true;  ///< T.alloc_buffer is a statement (v0.24), not a block's allocation
  /// An assignment makes a scalar, which later ones change (v0.25); before it, a binding. Where the text does not tell
  /// its era it is a binding: a function without s_tir is older.
  bool scalars = false;
  bool printed = false;       ///< it imports no dialect, as printed texts do
  bool saysSTir = false;      ///< it names s_tir, as those of v0.25 and later do
  bool beforePurity = false;  ///< effects were not tracked yet
};

class Reader;
/// Values of a call's arguments. A value that failed is null (and was reported).
struct Args {
  NodeId call = kNoNode;
  std::vector<NodeRef> values;  ///< positional
  std::vector<NodeId> nodes;    ///< the same; kNoNode for those that come from a `*`
  std::vector<std::pair<NameId, NodeRef>> keywords;
  std::vector<NodeId> keywordNodes;
  bool failed = false;

  /// Empties it and keeps its memory.
  void clear();
};
using Handler = NodeRef (Reader::*)(const Args& args, uint32_t row);

/// A lambda or a macro that was not called yet.
struct Loop;
struct Frame;
struct RelaxFrame;

class Reader {
 public:
  Reader(std::string_view text, uint32_t file, Names& names, const EraHints& hints, const ParseOptions& options);
  ~Reader();

  // What is read.
  ir::Module readModule(uint32_t begin, uint32_t end, NameId& name);
  ir::Module readFunction(uint32_t begin, uint32_t end);

  /// The metadata block of the file, a text literal; read when something refers to it.
  void useMetadata(std::string_view literal, Span span) {
    metadataLiteral_ = literal;
    metadataSpan_ = span;
  }
  /// Names of symbolic variables that the file declares for all its functions.
  void useTypeVars(std::span<const std::string_view> names) {
    for (std::string_view name : names) typeVars_.push_back(names_.intern(name));
  }
  /// What the file calls the dialects.
  void useImports(const Imports& imports) {
    for (const auto& [alias, prefix] : imports.aliases) {
      const NameId dialect = prefix == "T" ? kT_ : prefix == "R" ? kR_ : kI_;
      const NameId name = names_.intern(alias);
      if (name != dialect) aliases_.emplace_back(name, dialect);
    }
  }
  /// The functions of a module in the order in which they are to be read, from `valueOrder` of a reader before this
  /// one.
  void useOrder(ValueOrder order) { order_ = std::move(order); }
  /// Set when the module has to be read again in another order: a function was used as a value before it was known
  /// what it is.
  const std::optional<ValueOrder>& betterOrder() const { return betterOrder_; }
  std::vector<Diagnostic>& diagnostics() { return diagnostics_; }
  bool failed() const { return failed_; }

 private:
  friend struct Tables;

  // Reporting.
  NodeRef error(Span span, std::string rule, std::string message, std::string fix = {});
  NodeRef error(NodeId node, std::string rule, std::string message, std::string fix = {}) {
    return error(spanOf(node), std::move(rule), std::move(message), std::move(fix));
  }
  void warning(Span span, std::string rule, std::string message);
  void takeSyntaxErrors();
  Span spanOf(NodeId node) const { return node ? syntax_->spanOf(node) : statementSpan_; }
  const SynNode& at(NodeId id) const { return syntax_->node(id); }
  std::string nameText(NameId id) const { return std::string(names_.text(id)); }

  // Expressions (reader_expr.cpp).
  NodeRef eval(NodeId id);
  NodeRef evalName(NodeId id);
  NodeRef evalAttr(NodeId id);

  // Names that mean nothing (reader_refusals.cpp).
  static bool ofPython(std::string_view name);
  NodeRef pythonCall(NodeId id, const std::string& name);
  /// A refused statement binds these names no more; their uses are not reported.
  void lose(NodeId target);
  void forgetLost();
  std::string hiddenBy(std::string_view name, uint32_t end) const;
  NodeRef undefined(NodeId id, NameId name);

  NodeRef evalIndex(NodeId id);
  NodeRef evalBinary(NodeId id);
  NodeRef evalUnary(NodeId id);
  /// Whether this may be part of a list or a dictionary; reported otherwise.
  bool isAttribute(const NodeRef& value, NodeId at);
  NodeRef evalList(const SynNode& node);
  NodeRef evalDict(const SynNode& node);
  NodeRef evalLambda(NodeId id);
  NodeRef evalLogic(NodeId id);
  NodeRef evalCall(NodeId id);
  /// `tvm.tir.min(...)`, `relax.const(...)`: packages of Python, whose makers of values are those of the dialects.
  NodeRef callPackage(NodeId id, std::string_view root, const std::string& path, NodeId callee);
  NodeRef callDevice(NodeId id, int64_t type);
  NodeRef callMethod(NodeId id, NodeId callee);
  NodeRef callName(NodeId id, NodeId callee);
  NodeRef callConversion(NodeId id, std::string_view type);
  NodeRef binary(Tok op, NodeRef a, NodeRef b, NodeId at);
  std::string fixOfBareName(std::string_view name) const;
  bool namedTwice(const Statement& head);
  NodeRef compare(Tok op, NodeRef a, NodeRef b, NodeId at);
  static bool pythonNumber(const NodeRef& v, double& real, int64_t& integer, bool& isInt);
  NodeRef pythonArithmetic(Tok op, const NodeRef& a, const NodeRef& b, NodeId at);
  NodeRef pythonSequence(Tok op, const NodeRef& a, const NodeRef& b, NodeId at);
  bool readArgs(NodeId call, Args& args);
  /// Arguments whose memory comes from earlier calls and is handed on to later ones.
  class ArgsLease {
   public:
    explicit ArgsLease(Reader& reader);
    ~ArgsLease();
    ArgsLease(const ArgsLease&) = delete;
    ArgsLease& operator=(const ArgsLease&) = delete;
    Args& args() { return args_; }

   private:
    Reader& reader_;
    Args args_;
  };
  bool isAlias(NodeId id, std::string_view alias) const;
  bool isDialect(NameId name) const {
    const NameId known = dialectOf(name);
    return known == kT_ || known == kR_ || known == kI_;
  }
  /// The dialect that a name of the file stands for, unless the name is bound to something here; other names as they
  /// are.
  NameId dialectOf(NameId name) const {
    for (const auto& [alias, dialect] : aliases_) {
      if (alias == name && !scope_.lookup(name)) return dialect;
    }
    return name;
  }
  NodeRef dialectAsValue(NodeId id, NameId name);
  /// "axis.remap" of T.axis.remap; empty when the callee is not a path that starts with the alias.
  bool dottedPath(NodeId callee, NameId& base, std::string& path) const;
  /// Binds arguments to parameter names; refuses unknown, double and missing ones (the first `required`).
  bool bind(const Args& args, std::span<const std::string_view> params, size_t required, NodeRef* out);
  template <size_t N>
  bool bind(const Args& args, const std::string_view (&params)[N], size_t required, NodeRef (&out)[N]) {
    return bind(args, std::span<const std::string_view>(params, N), required, out);
  }

  // Conversions; null and reported when the value is something else.
  tir::PrimExpr toPrim(const NodeRef& value, NodeId at);
  /// The value in another type; a pointer is converted to nothing else, and nothing to a pointer.
  tir::PrimExpr castTo(DataType type, tir::PrimExpr value, NodeId at);
  /// Where a call that gives no value may stand: as a statement, and on the right of an assignment.
  tir::PrimExpr toPrimOrVoid(const NodeRef& value, NodeId at);
  tir::PrimExpr tryPrim(const NodeRef& value);
  /// Lanes of a vector: a constant, or a multiple of T.vscale() (negative); nothing for anything else.
  static std::optional<int16_t> vectorLanes(const tir::PrimExpr& e);
  Array<tir::PrimExpr> toPrims(const NodeRef& value, NodeId at, bool& ok);
  std::optional<int64_t> toInt(const NodeRef& value, NodeId at);
  std::optional<Str> toText(const NodeRef& value, NodeId at);
  std::optional<DataType> toType(const NodeRef& value, NodeId at);
  /// The element type of this name; "int46" is none, though it is spelt like one.
  static std::optional<DataType> typeNamed(std::string_view name);
  ir::Attrs toDict(const NodeRef& value, NodeId at);
  NodeRef attrValue(const NodeRef& value);
  /// Adds the entries of a dictionary, as they are called today, to the attributes of a function.
  void takeFunctionAttrs(const NodeRef& dict, std::vector<std::pair<Str, NodeRef>>& attrs);
  ir::Attrs attrDict(const NodeRef& value, NodeId at);
  static bool isNone(const NodeRef& v) { return !v || isa<ir::NullAttr>(v); }

  // T. calls (tir_calls.cpp, tir_buffers.cpp).
  /// The table of `T.` or an element type has this name: it can be called without running Python.
  static bool knowsT(std::string_view name);
  NodeRef callT(NodeId id, const std::string& path, NodeId callee);
  NodeRef tDtype(const Args& args, DataType dtype);
  NodeRef tHandle(const Args& args, uint32_t row);
  NodeRef tIterVar(const Args& args, uint32_t row);
  NodeRef tVar(const Args& args, uint32_t row);
  NodeRef tBinaryNode(const Args& args, uint32_t row);
  NodeRef tBinaryMaker(const Args& args, uint32_t row);
  NodeRef tMinMax(const Args& args, uint32_t row);
  NodeRef tNot(const Args& args, uint32_t row);
  NodeRef tSelect(const Args& args, uint32_t row);
  NodeRef tIfThenElse(const Args& args, uint32_t row);
  NodeRef tCastNode(const Args& args, uint32_t row);
  NodeRef tCast(const Args& args, uint32_t row);
  NodeRef tRamp(const Args& args, uint32_t row);
  NodeRef tBroadcast(const Args& args, uint32_t row);
  NodeRef tShuffle(const Args& args, uint32_t row);
  NodeRef tLimit(const Args& args, uint32_t row);
  NodeRef tCeilDiv(const Args& args, uint32_t row);
  NodeRef tConst(const Args& args, uint32_t row);
  NodeRef tLet(const Args& args, uint32_t row);
  NodeRef tImm(const Args& args, uint32_t row);
  NodeRef tString(const Args& args, uint32_t row);
  NodeRef tLlvmName(const Args& args, uint32_t row);
  NodeRef tRounding(const Args& args, uint32_t row);
  NodeRef tAbs(const Args& args, uint32_t row);
  NodeRef tBits(const Args& args, uint32_t row);
  NodeRef tPow(const Args& args, uint32_t row);
  NodeRef tIsNan(const Args& args, uint32_t row);
  NodeRef tAddressOf(const Args& args, uint32_t row);
  NodeRef tCallIntrin(const Args& args, uint32_t row);
  NodeRef tTypeAnnotation(const Args& args, uint32_t row);
  NodeRef tIdentity(const Args& args, uint32_t row);
  NodeRef tTarget(const Args& args, uint32_t row);
  NodeRef tIndexMap(const Args& args, uint32_t row);
  NodeRef tCommReducer(const Args& args, uint32_t row);
  NodeRef tRange(const Args& args, uint32_t row);
  NodeRef tBuffer(const Args& args, uint32_t row);
  NodeRef tMatchBuffer(const Args& args, uint32_t row);
  NodeRef tAllocBuffer(const Args& args, uint32_t row);
  NodeRef tBlockAllocBuffer(const Args& args, uint32_t row);
  NodeRef tDeclBuffer(const Args& args, uint32_t row);
  NodeRef tAllocate(const Args& args, uint32_t row);
  NodeRef tAllocateConst(const Args& args, uint32_t row);
  NodeRef tEnvThread(const Args& args, uint32_t row);
  NodeRef tLaunchThread(const Args& args, uint32_t row);
  NodeRef tAttr(const Args& args, uint32_t row);
  NodeRef tAttrDict(const Args& args);
  NodeRef tRealize(const Args& args, uint32_t row);
  NodeRef tLetStmt(const Args& args, uint32_t row);
  NodeRef tScalar(const Args& args, uint32_t row);
  NodeRef tBind(const Args& args, uint32_t row);
  NodeRef tAssert(const Args& args, uint32_t row);
  NodeRef tEvaluate(const Args& args, uint32_t row);
  NodeRef tBufferStore(const Args& args, uint32_t row);
  NodeRef tFuncAttr(const Args& args, uint32_t row);
  NodeRef tReads(const Args& args, uint32_t row);
  NodeRef tWrites(const Args& args, uint32_t row);
  NodeRef tWhere(const Args& args, uint32_t row);
  NodeRef tBlockAttr(const Args& args, uint32_t row);
  NodeRef tAxis(const Args& args, uint32_t row);
  NodeRef tRemap(const Args& args, uint32_t row);
  NodeRef tReturn(const Args& args, uint32_t row);
  NodeRef intrinsic(const op::TirIntrinsic& row, const Args& args);
  /// The call of an intrinsic; a reinterpretation has to keep the bits, and is its argument where the type is the same.
  NodeRef intrinsicCall(const op::TirIntrinsic& row, DataType type, std::vector<tir::PrimExpr> args, NodeId at);
  NodeRef bufferMethod(const tir::BufferRef& buffer, std::string_view method, const Args& args);
  NodeRef bufferScope(const tir::BufferRef& buffer, const Args& args);
  NodeRef bufferView(const tir::BufferRef& buffer, const Args& args);
  NodeRef bufferVectorLoad(const tir::BufferRef& buffer, const Args& args);
  NodeRef bufferVectorStore(const tir::BufferRef& buffer, const Args& args);
  NodeRef bufferAccess(const tir::BufferRef& buffer, const Args& args);
  std::vector<NodeRef> vectorIndices(const NodeRef& begin, int16_t lanes);
  std::optional<int64_t> accessMask(const NodeRef& value, NodeId at);
  NodeRef exprMethod(const tir::PrimExpr& value, std::string_view method, const Args& args);

  // Buffers (tir_buffers.cpp).
  NodeRef textDims(const NodeRef& shape, NodeId at);
  tir::BufferRef makeBuffer(std::span<const NodeRef> values, NodeId at, Str scope);
  tir::BufferRef bufferFromArgs(const Args& args, size_t skip, Str scope);
  NodeRef loadOf(const tir::BufferRef& buffer, std::vector<NodeRef> indices, NodeId at, tir::PrimExpr predicate);
  /// An index, or a bound of one or of an axis.
  tir::PrimExpr toIndex(const NodeRef& value, NodeId at);
  /// Whether so many indices are for this buffer; refused otherwise.
  bool fitsRank(const tir::Buffer& buffer, size_t count, NodeId at);
  /// Indices as expressions: slices become ramps.
  bool toIndices(const tir::BufferRef& buffer, std::span<const NodeRef> values, NodeId at,
                 std::vector<tir::PrimExpr>& out);
  std::vector<NodeRef> evalIndices(const SynNode& index, bool& ok);
  /// The region of indices among which are slices without a step; null where they are refused.
  NodeRef slicedRegion(const tir::BufferRef& buffer, std::span<const NodeRef> indices, NodeId id);
  NodeRef indexBuffer(const tir::BufferRef& buffer, std::vector<NodeRef> indices, NodeId id);
  // Parts of buffers that have a name (tir_parts.cpp).
  bool partsAreViews();
  NodeRef viewOfPart(const tir::BufferRegion& part, NodeId at);
  NodeRef indexPart(const tir::BufferRegion& part, std::span<const NodeRef> indices, NodeId id);
  Ref<tir::BufferRegion> regionOf(const NodeRef& value, NodeId at);
  void storeTo(const tir::BufferRef& buffer, std::vector<NodeRef> indices, NodeRef value, NodeId at,
               tir::PrimExpr predicate);

  // TIR functions and statements (tir_statements.cpp, tir_complete.cpp).
  ir::BaseFunc readPrimFunc(const Statement& head, bool isPrivate, bool sTir);
  bool tirParams(const Statement& head, std::vector<tir::VarRef>& params, std::vector<tir::BufferRef>& buffers);
  void tirBody();
  void tirStatement(Statement& s);
  tir::PrimExpr tirCondition(NodeId id);
  /// Opens a statement that is run under a condition.
  void tirOpen(Frame frame, NodeId condition);
  void tirExprStatement(const Statement& s);
  void tirElse(const Statement& s);
  void tirAssert(const Statement& s);
  void tirReturn(const Statement& s);
  void tirJump(const Statement& s);
  void tirFor(const Statement& s);
  void tirWith(const Statement& s);
  bool tirWithItem(NodeId context, NodeId target);
  void tirAssign(NodeId target, NodeId value);
  void tirAnnAssign(const Statement& s);
  void tirAugAssign(const Statement& s);
  void tirBindTarget(NodeId target, NodeRef value, NodeId valueNode);
  bool declaresAgain(NameId name, const tir::Var& declared) const;
  NodeRef tirBindName(NameId name, NodeRef value, NodeId at);
  bool storesByName(NameId name, const NodeRef& value, NodeId at);
  Ref<tir::BufferLoad> makeScalar(DataType dtype, Str scope, NodeId at);
  NodeRef defineScalar(NameId name, DataType dtype, const tir::PrimExpr& value, NodeId at);
  bool tirLoop(NodeId call, Frame& frame);
  bool tirGrid(const Args& args, Frame& frame);
  bool tirRange(Args args, Frame& frame);
  bool addLoop(NodeId call, tir::PrimExpr min, tir::PrimExpr extent, tir::PrimExpr step, Frame& frame);
  void emit(tir::Stmt stmt);
  void emitImplicit(Frame frame);
  Frame& top();
  /// The block that stands right around this statement: what says something of a block may not speak of what is bound
  /// further inside, so TVM wants it there. Null otherwise.
  Frame* blockFrame();
  /// True for a variable that the open statements from this one on bind.
  bool boundFrom(size_t frame, const tir::VarRef& var) const;
  void closeFrame();
  static tir::Stmt sequenceOf(std::vector<tir::Stmt> stmts);
  tir::Stmt finishFrame(Frame& frame);
  void endBlock();
  tir::Stmt completeBody(tir::Stmt body, std::vector<tir::BufferRef> rootAllocs,
                         std::span<const tir::BufferRef> buffers);
  template <class T>
  static Ref<T> withSpan(Ref<T> node, Span span) {
    const_cast<T*>(node.get())->span = span;
    return node;
  }
  static void rename(const NodeRef& value, const Str& name);

  // Symbolic variables of signatures (reader_symbols.cpp).
  /// What the first lines of the body that follows declare.
  std::vector<std::pair<NameId, DataType>> declaredSymbols();
  void namesOf(NodeId id, std::vector<NameId>& out) const;
  void dimensionTexts(NodeId annotation, bool dimensions, std::vector<NodeId>& out) const;
  void defineNamesOf(std::span<const NodeId> texts, std::optional<DataType> fixed);
  /// Defines what the texts of the annotations name and nothing else defines.
  void defineSignatureSymbols(std::span<const NodeId> annotations);

  /// A Relax variable of one integer: it becomes a symbolic variable when a dimension or an expression uses it. `named`
  /// by a type alone (`n: T.int64`, v0.26), or `symbol`: what a text of the signature means by its name.
  void maySymbolize(const relax::VarRef& var, bool named, const NodeRef& symbol);
  tir::PrimExpr symbolize(const relax::Var& var);

  // Types (reader_types.cpp): annotations of parameters.
  NodeRef evalAnnotation(NodeId id);
  tir::Type toTirType(const NodeRef& value);

  // Relax calls and values (relax_calls.cpp).
  struct Relax;
  friend struct RelaxTables;
  NodeRef callR(NodeId id, const std::string& path, NodeId callee);
  NodeRef callI(NodeId id, const std::string& path, NodeId callee);
  NodeRef callValue(NodeId id, const NodeRef& callee);
  /// Converts `args` in place.
  NodeRef callOp(const op::OpRow& row, Args& args);
  /// Keeps what is wrong with a call at its place.
  void refusedCall(NodeId call, const std::vector<Diagnostic>& diagnostics);
  NodeRef relaxAttr(const NodeRef& value, NameId name, NodeId id);
  NodeRef relaxIndex(const NodeRef& value, const SynNode& index, NodeId id);
  NodeRef relaxBinary(Tok op, const NodeRef& a, const NodeRef& b, NodeId at);
  NodeRef relaxMethod(const NodeRef& value, NameId method, NodeId id);
  NodeRef moduleMember(NameId name, NodeId at);
  /// A function of the module by its bare name, as texts before 2023 call it; null for other texts and names.
  NodeRef bareMember(NameId name) const;
  NodeRef externalFunction(NodeId node);
  NodeRef rConst(const Args& args, uint32_t row);
  NodeRef rPrimValue(const Args& args, uint32_t row);
  NodeRef rStr(const Args& args, uint32_t row);
  NodeRef rDtype(const Args& args, uint32_t row);
  NodeRef rShape(const Args& args, uint32_t row);
  NodeRef rTuple(const Args& args, uint32_t row);
  NodeRef rTupleGetItem(const Args& args, uint32_t row);
  NodeRef rMatchCast(const Args& args, uint32_t row);
  NodeRef rMatchShape(const Args& args, uint32_t row);
  NodeRef rExternFunc(const Args& args, uint32_t row);
  NodeRef rDevice(const Args& args, uint32_t row);
  NodeRef rCallPacked(const Args& args, uint32_t row);
  NodeRef rCallTirOld(const Args& args, uint32_t row);
  NodeRef rFuncAttr(const Args& args, uint32_t row);
  NodeRef rOutput(const Args& args, uint32_t row);
  NodeRef rDeviceMesh(const Args& args, uint32_t row);
  NodeRef rEmitWithSinfo(const Args& args, uint32_t row);
  NodeRef rLinear(const Args& args, uint32_t row);
  NodeRef rRelu6(const Args& args, uint32_t row);
  NodeRef rPad(const Args& args, uint32_t row);
  NodeRef rMaskedFill(const Args& args, uint32_t row);
  NodeRef metadataRef(NodeId id);

  // StructInfo (relax_sinfo.cpp).
  NodeRef sTensor(const Args& args, uint32_t row);
  /// The types of a module are few: those read last are used again.
  relax::StructInfo sharedTensor(std::vector<tir::PrimExpr> dims, DataType type, const Ref<ir::VDevice>& vdevice);
  NodeRef sDTensor(const Args& args, uint32_t row);
  NodeRef sShape(const Args& args, uint32_t row);
  NodeRef sPrim(const Args& args, uint32_t row);
  NodeRef sTuple(const Args& args, uint32_t row);
  NodeRef sCallable(const Args& args, uint32_t row);
  NodeRef sObject(const Args& args, uint32_t row);
  relax::StructInfo toSinfo(const NodeRef& value, NodeId at);
  bool toDims(const NodeRef& value, NodeId at, std::vector<tir::PrimExpr>& dims);
  NodeRef evalDimensionText(const ir::StrAttr& text, NodeId at, NodeId& expr);
  tir::PrimExpr dimOf(const NodeRef& value, NodeId at);
  NodeRef vdeviceOf(const NodeRef& value, NodeId at);
  NodeRef meshOf(const NodeRef& value, NodeId at);
  Ref<ir::Placement> placementOf(const NodeRef& value, NodeId at);

  // Relax functions and statements (relax_statements.cpp).
  bool relaxSignature(const Statement& head, std::vector<relax::VarRef>& params, relax::StructInfo& ret);
  relax::FunctionRef readRelaxFunction(const Statement& head, const relax::GlobalVarRef& self, bool isPrivate,
                                       bool pure, bool circular = false);
  bool namesOnly(NodeId id) const;
  void relaxBody();
  void relaxStatement(Statement& s);
  bool relaxTooDeep();
  bool relaxUnreachable(const Statement& s);
  void relaxExprStatement(const Statement& s);
  void relaxAssignStatement(const Statement& s);
  void relaxAnnAssign(const Statement& s);
  void relaxReturn(const Statement& s);
  void relaxWith(const Statement& s);
  void relaxIf(const Statement& s);
  void relaxElse(const Statement& s);
  void relaxDef(const Statement& s);
  void relaxAssign(NodeId target, NodeRef value, NodeId valueNode, const relax::StructInfo& annotation);
  void relaxBindSymbol(NameId name, const Ref<tir::Var>& var);
  void relaxBindCast(NameId name, const relax::MatchCast& cast, const relax::StructInfo& annotation);
  void relaxBind(NameId name, NodeRef value, NodeId valueNode, const relax::StructInfo& annotation);
  void bindExpr(NameId name, const relax::Expr& value, const relax::StructInfo& annotation, Span span);
  void flushPending();
  void openDataflow(const Statement& s);
  void closeDataflow();
  void closeRelaxFrame();
  /// A local function whose body names it keeps the signature that it was declared with.
  void noteSelf(const NodeRef& value);
  bool usesItself(const relax::Expr& self, const relax::Expr& output);
  bool openFunction(const Statement& head, bool isPrivate, bool pure, bool local);
  relax::FunctionRef closeFunction();
  void takeBuilderErrors(Span span);
  std::unique_ptr<Relax> relax_;

  // Modules (module_reader.cpp).
  struct Member;
  bool decorators(const Statement& s, std::string& kind, bool& isPrivate, bool& pure, bool& sTir);
  /// Decorators that are of no dialect mean nothing here.
  void warnDecorators(std::span<const NodeId> unknown);
  void classStatement(const Statement& s, std::vector<Member>& members);
  void pythonMember(const Statement& s);
  void readMember(const Member& member, bool circular = false);
  void orderByValues(std::span<const Member> members);
  /// What the head of a function says; nothing where it can not be read, whose errors come when the function is.
  relax::StructInfo declaredSignature(const Statement& s, bool pure);
  std::optional<DataType> declaredReturn(const Statement& s);
  template <class Read>
  auto withoutErrors(Read&& read);
  ir::Module finishModule();

  std::string_view text_;
  uint32_t file_;
  Names& names_;
  EraHints hints_;
  ParseOptions options_;
  Syntax* syntax_ = nullptr;
  std::unique_ptr<Syntax> ownSyntax_;
  Scope scope_;
  Span statementSpan_;
  std::vector<Diagnostic> diagnostics_;
  bool failed_ = false;
  std::vector<Args> spareArgs_;
  std::array<Ref<relax::TensorStructInfo>, 8> recentTensors_;
  size_t nextRecent_ = 0;
  bool tooMany_ = false;
  std::unordered_set<NameId> lostFunctions_;  ///< of the module: refused where they are defined
  std::unordered_set<NameId> lost_;  ///< of the function that is being read: bound by what was refused, or reported
  std::vector<NameId> members_;      ///< names of the module's functions
  std::optional<ValueOrder> order_, betterOrder_;
  bool lostStatement_ = false;  ///< a statement of it could not be read at all

  // TIR state.
  std::vector<Frame> frames_;
  bool inTir_ = false;
  std::unordered_map<const tir::Var*, Ref<tir::IterVar>> threads_;
  std::vector<tir::VarRef> tirParams_;
  std::vector<tir::BufferRef> tirBuffers_;
  std::vector<std::pair<Str, NodeRef>> tirAttrs_;
  std::optional<bool> partsAreViews_;
  uint32_t primBody_ = 0;      ///< where the body of the TIR function that is being read begins
  bool newSymbols_ = false;    ///< a name that is not defined may define a dimension (2022)
  Ref<tir::Block> rootBlock_;  ///< the block that may be the root of the function
  bool rootReadsGiven_ = false, rootWritesGiven_ = false;
  NameId kT_, kR_, kI_;
  std::vector<std::pair<NameId, NameId>> aliases_;  ///< of dialects, as the file imports them
  bool lone_ = false;
  std::vector<NameId> typeVars_;
  std::unordered_set<const relax::Var*> symbolic_;  ///< variables that may become symbolic
  std::vector<tir::VarRef> signatureSymbols_;       ///< of the function that is being read
  void defineTypeVars();
  std::string_view metadataLiteral_;
  Span metadataSpan_;
  std::set<std::string_view> missing_;  ///< references to metadata that the text does not hold
  Span firstMissing_;
  void warnMissing();
  bool metadataLost_ = false;  ///< it could not be read, which is said
  std::unique_ptr<Metadata> metadata_;
  NodeRef moduleMarker_;
};

/// A loop of a `for` that is being read.
struct Loop {
  tir::VarRef var;
  tir::PrimExpr min, extent, step;
};

/// Open statements of one function: bounded like all real nesting.
constexpr size_t kMaxOpen = 4 * kMaxNesting;

enum class FrameKind : uint8_t { Function, For, While, If, Else, Block, Init, Attr, Splice };

/// A statement that is being read, with what was read of its body.
struct Frame {
  explicit Frame(FrameKind k) : kind(k) {}
  FrameKind kind;
  bool implicit = false;  ///< closes with the frame around it
  bool scoped = true;     ///< opened a scope of names
  std::vector<tir::Stmt> stmts;
  Span span;
  // For
  std::vector<Loop> loops;
  tir::ForKind forKind = tir::ForKind::Serial;
  Str threadTag;
  ir::Attrs annotations;
  // While, If (condition), Attr (value)
  tir::PrimExpr value;
  tir::Stmt thenCase;
  // Attr
  NodeRef node;
  Str key;
  // Block
  Str name;
  bool noRealize = false;
  std::vector<Ref<tir::IterVar>> iterVars;
  std::vector<tir::PrimExpr> iterValues;
  std::vector<Ref<tir::BufferRegion>> reads, writes;
  bool readsGiven = false, writesGiven = false;
  std::vector<tir::BufferRef> allocs;
  std::vector<Ref<tir::MatchBufferRegion>> matches;
  std::vector<std::pair<Str, NodeRef>> attrs;
  tir::PrimExpr where;
  tir::Stmt init;
};

}  // namespace rx::script
