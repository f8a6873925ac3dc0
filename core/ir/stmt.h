// TIR statements. Bind, Allocate, AllocBuffer, DeclBuffer and AssertStmt have no body: what they define is visible in
// the rest of the SeqStmt that holds them (v0.25 form; texts of older eras are read into it).
#pragma once

#include "core/ir/prim_expr.h"

namespace rx::tir {

struct StmtNode : Node {
  static bool classof(Kind k) { return k >= Kind::tir_Evaluate && k <= Kind::tir_BlockRealize; }
  using Node::Node;
  Span span;
};
using Stmt = Ref<StmtNode>;

struct Evaluate : NodeOf<Evaluate, StmtNode, Kind::tir_Evaluate> {
  explicit Evaluate(PrimExpr e) : value(std::move(e)) {}
  PrimExpr value;
  template <class V>
  static void fields(V&& v) {
    v("value", &Evaluate::value, Role::Child);
    v("span", &StmtNode::span, Role::Ignore);
  }
};
/// `var = value` for the statements that follow.
struct Bind : NodeOf<Bind, StmtNode, Kind::tir_Bind> {
  Bind(VarRef x, PrimExpr e) : var(std::move(x)), value(std::move(e)) {}
  VarRef var;
  PrimExpr value;
  template <class V>
  static void fields(V&& v) {
    v("value", &Bind::value, Role::Child);
    v("var", &Bind::var, Role::Define);
    v("span", &StmtNode::span, Role::Ignore);
  }
};
struct BufferStore : NodeOf<BufferStore, StmtNode, Kind::tir_BufferStore> {
  BufferStore(BufferRef b, PrimExpr x, Array<PrimExpr> i, PrimExpr p = nullptr)
      : buffer(std::move(b)), value(std::move(x)), indices(std::move(i)), predicate(std::move(p)) {}
  BufferRef buffer;
  PrimExpr value;
  Array<PrimExpr> indices;
  PrimExpr predicate;  ///< may be null
  template <class V>
  static void fields(V&& v) {
    v("buffer", &BufferStore::buffer, Role::Child);
    v("value", &BufferStore::value, Role::Child);
    v("indices", &BufferStore::indices, Role::Child);
    v("predicate", &BufferStore::predicate, Role::Child);
    v("span", &StmtNode::span, Role::Ignore);
  }
};
/// Raw allocation of older eras: defines a pointer variable.
struct Allocate : NodeOf<Allocate, StmtNode, Kind::tir_Allocate> {
  Allocate(VarRef x, DataType d, Array<PrimExpr> e, PrimExpr c, ir::Attrs a)
      : var(std::move(x)), dtype(d), extents(std::move(e)), condition(std::move(c)), annotations(std::move(a)) {}
  VarRef var;
  DataType dtype;
  Array<PrimExpr> extents;
  PrimExpr condition;
  ir::Attrs annotations;
  template <class V>
  static void fields(V&& v) {
    v("extents", &Allocate::extents, Role::Child);
    v("condition", &Allocate::condition, Role::Child);
    v("buffer_var", &Allocate::var, Role::Define);
    v("dtype", &Allocate::dtype, Role::Attr);
    v("annotations", &Allocate::annotations, Role::Child);
    v("span", &StmtNode::span, Role::Ignore);
  }
};
struct AllocBuffer : NodeOf<AllocBuffer, StmtNode, Kind::tir_AllocBuffer> {
  AllocBuffer(BufferRef b, ir::Attrs a = nullptr) : buffer(std::move(b)), annotations(std::move(a)) {}
  BufferRef buffer;
  ir::Attrs annotations;
  template <class V>
  static void fields(V&& v) {
    v("buffer", &AllocBuffer::buffer, Role::Define);
    v("annotations", &AllocBuffer::annotations, Role::Child);
    v("span", &StmtNode::span, Role::Ignore);
  }
};
/// A buffer over existing data.
struct DeclBuffer : NodeOf<DeclBuffer, StmtNode, Kind::tir_DeclBuffer> {
  explicit DeclBuffer(BufferRef b) : buffer(std::move(b)) {}
  BufferRef buffer;
  template <class V>
  static void fields(V&& v) {
    v("buffer", &DeclBuffer::buffer, Role::Define);
    v("span", &StmtNode::span, Role::Ignore);
  }
};
/// errorKind ("RuntimeError") and message parts (StringImm) as v0.25 writes them.
struct AssertStmt : NodeOf<AssertStmt, StmtNode, Kind::tir_AssertStmt> {
  AssertStmt(PrimExpr c, PrimExpr k, Array<PrimExpr> m)
      : condition(std::move(c)), errorKind(std::move(k)), message(std::move(m)) {}
  PrimExpr condition, errorKind;
  Array<PrimExpr> message;
  template <class V>
  static void fields(V&& v) {
    v("condition", &AssertStmt::condition, Role::Child);
    v("error_kind", &AssertStmt::errorKind, Role::Child);
    v("message_parts", &AssertStmt::message, Role::Child);
    v("span", &StmtNode::span, Role::Ignore);
  }
};
/// `key` = `value` about `node` (a Var, IterVar, Buffer, value...) for `body`. When the node is the IterVar of a thread
/// launch, the statement defines its variable.
struct AttrStmt : NodeOf<AttrStmt, StmtNode, Kind::tir_AttrStmt> {
  AttrStmt(NodeRef n, Str k, PrimExpr x, Stmt b)
      : node(std::move(n)), key(std::move(k)), value(std::move(x)), body(std::move(b)) {}
  NodeRef node;
  Str key;
  PrimExpr value;
  Stmt body;
  template <class V>
  static void fields(V&& v) {
    v("node", &AttrStmt::node, Role::Child);
    v("attr_key", &AttrStmt::key, Role::Attr);
    v("value", &AttrStmt::value, Role::Child);
    v("body", &AttrStmt::body, Role::Child);
    v("span", &StmtNode::span, Role::Ignore);
  }
};
/// At least two statements in order, none of them a SeqStmt (seq() flattens); an empty body is Evaluate(0).
struct SeqStmt : NodeOf<SeqStmt, StmtNode, Kind::tir_SeqStmt> {
  explicit SeqStmt(Array<Stmt> s) : seq(std::move(s)) {}
  Array<Stmt> seq;
  template <class V>
  static void fields(V&& v) {
    v("seq", &SeqStmt::seq, Role::Child);
    v("span", &StmtNode::span, Role::Ignore);
  }
};
struct IfThenElse : NodeOf<IfThenElse, StmtNode, Kind::tir_IfThenElse> {
  IfThenElse(PrimExpr c, Stmt t, Stmt e = nullptr)
      : condition(std::move(c)), thenCase(std::move(t)), elseCase(std::move(e)) {}
  PrimExpr condition;
  Stmt thenCase, elseCase;  ///< elseCase may be null
  template <class V>
  static void fields(V&& v) {
    v("condition", &IfThenElse::condition, Role::Child);
    v("then_case", &IfThenElse::thenCase, Role::Child);
    v("else_case", &IfThenElse::elseCase, Role::Child);
    v("span", &StmtNode::span, Role::Ignore);
  }
};
enum class ForKind : int32_t { Serial = 0, Parallel = 1, Vectorized = 2, Unrolled = 3, ThreadBinding = 4 };
struct For : NodeOf<For, StmtNode, Kind::tir_For> {
  For(VarRef x, PrimExpr m, PrimExpr e, ForKind k, Stmt b, Ref<IterVar> t = nullptr, ir::Attrs a = nullptr,
      PrimExpr s = nullptr)
      : loopVar(std::move(x)),
        min(std::move(m)),
        extent(std::move(e)),
        forKind(k),
        body(std::move(b)),
        threadBinding(std::move(t)),
        annotations(std::move(a)),
        step(std::move(s)) {}
  VarRef loopVar;
  PrimExpr min, extent;
  ForKind forKind;
  Stmt body;
  Ref<IterVar> threadBinding;  ///< null unless forKind is ThreadBinding
  ir::Attrs annotations;
  PrimExpr step;  ///< null = 1
  template <class V>
  static void fields(V&& v) {
    v("loop_var", &For::loopVar, Role::Define);
    v("min", &For::min, Role::Child);
    v("extent", &For::extent, Role::Child);
    v("kind", &For::forKind, Role::Attr);
    v("body", &For::body, Role::Child);
    v("thread_binding", &For::threadBinding, Role::Child);
    v("annotations", &For::annotations, Role::Child);
    v("step", &For::step, Role::Child);
    v("span", &StmtNode::span, Role::Ignore);
  }
};
struct While : NodeOf<While, StmtNode, Kind::tir_While> {
  While(PrimExpr c, Stmt b) : condition(std::move(c)), body(std::move(b)) {}
  PrimExpr condition;
  Stmt body;
  template <class V>
  static void fields(V&& v) {
    v("condition", &While::condition, Role::Child);
    v("body", &While::body, Role::Child);
    v("span", &StmtNode::span, Role::Ignore);
  }
};
struct BufferRegion : NodeOf<BufferRegion, Node, Kind::tir_BufferRegion> {
  BufferRegion(BufferRef b, Array<Ref<Range>> r) : buffer(std::move(b)), region(std::move(r)) {}
  BufferRef buffer;
  Array<Ref<Range>> region;
  template <class V>
  static void fields(V&& v) {
    v("buffer", &BufferRegion::buffer, Role::Child);
    v("region", &BufferRegion::region, Role::Child);
  }
};
/// `buffer` is another view of the region `source`.
struct MatchBufferRegion : NodeOf<MatchBufferRegion, Node, Kind::tir_MatchBufferRegion> {
  MatchBufferRegion(BufferRef b, Ref<BufferRegion> s) : buffer(std::move(b)), source(std::move(s)) {}
  BufferRef buffer;
  Ref<BufferRegion> source;
  template <class V>
  static void fields(V&& v) {
    v("source", &MatchBufferRegion::source, Role::Child);
    v("buffer", &MatchBufferRegion::buffer, Role::Define);
  }
};
/// T.sblock: iteration variables, what is read and written, buffers allocated, an init for reductions, a body.
struct Block : NodeOf<Block, StmtNode, Kind::tir_Block> {
  Block() = default;
  Array<Ref<IterVar>> iterVars;
  Array<Ref<BufferRegion>> reads, writes;
  Str name;
  Array<BufferRef> allocBuffers;
  Array<Ref<MatchBufferRegion>> matchBuffers;
  ir::Attrs annotations;
  Stmt init;  ///< null unless the block reduces
  Stmt body;
  template <class V>
  static void fields(V&& v) {
    v("iter_vars", &Block::iterVars, Role::Define);
    v("alloc_buffers", &Block::allocBuffers, Role::Define);
    v("match_buffers", &Block::matchBuffers, Role::Child);
    v("reads", &Block::reads, Role::Child);
    v("writes", &Block::writes, Role::Child);
    v("name_hint", &Block::name, Role::Ignore);
    v("annotations", &Block::annotations, Role::Child);
    v("init", &Block::init, Role::Child);
    v("body", &Block::body, Role::Child);
    v("span", &StmtNode::span, Role::Ignore);
  }
};
struct BlockRealize : NodeOf<BlockRealize, StmtNode, Kind::tir_BlockRealize> {
  BlockRealize(Array<PrimExpr> x, PrimExpr p, Ref<Block> b)
      : iterValues(std::move(x)), predicate(std::move(p)), block(std::move(b)) {}
  Array<PrimExpr> iterValues;
  PrimExpr predicate;
  Ref<Block> block;
  template <class V>
  static void fields(V&& v) {
    v("iter_values", &BlockRealize::iterValues, Role::Child);
    v("predicate", &BlockRealize::predicate, Role::Child);
    v("block", &BlockRealize::block, Role::Child);
    v("span", &StmtNode::span, Role::Ignore);
  }
};

/// Flattens nested sequences and returns the only statement, a SeqStmt, or Evaluate(0) for none.
Stmt seq(std::span<const Stmt> statements);

}  // namespace rx::tir
