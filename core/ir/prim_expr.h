// TIR expressions and the parts they use: variables, arithmetic, loads, calls; types of variables.
#pragma once

#include <optional>
#include <span>

#include "core/ir/attrs.h"
#include "core/ir/node.h"
#include "core/tensor/dtype.h"

namespace rx::tir {

/// Category of types of TIR variables.
struct TypeNode : Node {
  static bool classof(Kind k) { return k >= Kind::tir_PrimType && k <= Kind::tir_TupleType; }
  using Node::Node;
};
using Type = Ref<TypeNode>;

struct PrimType : NodeOf<PrimType, TypeNode, Kind::tir_PrimType> {
  explicit PrimType(DataType d) : dtype(d) {}
  DataType dtype;
  template <class V>
  static void fields(V&& v) {
    v("dtype", &PrimType::dtype, Role::Attr);
  }
};
/// Pointer to elements in a storage scope ("global", "shared", ...; empty is global).
struct PointerType : NodeOf<PointerType, TypeNode, Kind::tir_PointerType> {
  PointerType(Type e, Str s) : element(std::move(e)), scope(std::move(s)) {}
  Type element;
  Str scope;
  template <class V>
  static void fields(V&& v) {
    v("element_type", &PointerType::element, Role::Child);
    v("storage_scope", &PointerType::scope, Role::Attr);
  }
};
struct TupleType : NodeOf<TupleType, TypeNode, Kind::tir_TupleType> {
  explicit TupleType(Array<Type> f) : items(std::move(f)) {}
  Array<Type> items;
  template <class V>
  static void fields(V&& v) {
    v("fields", &TupleType::items, Role::Child);
  }
};

/// Category of expressions; every one has an element type and a place in the text.
struct ExprNode : Node {
  static bool classof(Kind k) { return k >= Kind::tir_Var && k <= Kind::tir_Reduce; }
  using Node::Node;
  DataType dtype;
  Span span;
};
using PrimExpr = Ref<ExprNode>;

/// A variable; identity is the node, the name is a hint. `annotation` is set where the dtype does not say it
/// (pointers).
struct Var : NodeOf<Var, ExprNode, Kind::tir_Var> {
  static bool classof(Kind k) { return k == Kind::tir_Var || k == Kind::tir_SizeVar; }
  Var(Str n, DataType d, Type a = nullptr) : Var(Kind::tir_Var, std::move(n), d, std::move(a)) {}
  Str name;
  Type annotation;
  template <class V>
  static void fields(V&& v) {
    v("name", &Var::name, Role::Ignore);
    v("dtype", &ExprNode::dtype, Role::Attr);
    v("type_annotation", &Var::annotation, Role::Type);
    v("span", &ExprNode::span, Role::Ignore);
  }

 protected:
  Var(Kind k, Str n, DataType d, Type a) : NodeOf(k), name(std::move(n)), annotation(std::move(a)) { dtype = d; }
};
/// A variable known to be non-negative.
struct SizeVar : Var {
  static constexpr Kind kKind = Kind::tir_SizeVar;
  static bool classof(Kind k) { return k == Kind::tir_SizeVar; }
  SizeVar(Str n, DataType d) : Var(Kind::tir_SizeVar, std::move(n), d, nullptr) {}
};
using VarRef = Ref<Var>;

struct IntImm : NodeOf<IntImm, ExprNode, Kind::tir_IntImm> {
  IntImm(DataType d, int64_t v) : value(v) { dtype = d; }
  int64_t value;
  template <class V>
  static void fields(V&& v) {
    v("dtype", &ExprNode::dtype, Role::Attr);
    v("value", &IntImm::value, Role::Attr);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
struct FloatImm : NodeOf<FloatImm, ExprNode, Kind::tir_FloatImm> {
  FloatImm(DataType d, double v) : value(v) { dtype = d; }
  double value;
  template <class V>
  static void fields(V&& v) {
    v("dtype", &ExprNode::dtype, Role::Attr);
    v("value", &FloatImm::value, Role::Attr);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
struct StringImm : NodeOf<StringImm, ExprNode, Kind::tir_StringImm> {
  explicit StringImm(Str v) : value(std::move(v)) { dtype = DataType::Handle(); }
  Str value;
  template <class V>
  static void fields(V&& v) {
    v("dtype", &ExprNode::dtype, Role::Attr);
    v("value", &StringImm::value, Role::Attr);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
struct Cast : NodeOf<Cast, ExprNode, Kind::tir_Cast> {
  Cast(DataType d, PrimExpr v) : value(std::move(v)) { dtype = d; }
  PrimExpr value;
  template <class V>
  static void fields(V&& v) {
    v("dtype", &ExprNode::dtype, Role::Attr);
    v("value", &Cast::value, Role::Child);
    v("span", &ExprNode::span, Role::Ignore);
  }
};

/// Category of a op b: arithmetic (type of a), comparisons and logic (bool).
struct BinaryNode : ExprNode {
  static bool classof(Kind k) { return k >= Kind::tir_Add && k <= Kind::tir_Or; }
  using ExprNode::ExprNode;
  PrimExpr a;
  PrimExpr b;
};
template <Kind K>
struct Binary : NodeOf<Binary<K>, BinaryNode, K> {
  /// Both sides must have the same type already; core/op/tir_make.h has the forms that convert.
  Binary(PrimExpr lhs, PrimExpr rhs) {
    this->a = std::move(lhs);
    this->b = std::move(rhs);
    this->dtype = K >= Kind::tir_EQ ? DataType::Bool(this->a->dtype.lanes) : this->a->dtype;
  }
  template <class V>
  static void fields(V&& v) {
    v("dtype", &ExprNode::dtype, Role::Attr);
    v("a", &BinaryNode::a, Role::Child);
    v("b", &BinaryNode::b, Role::Child);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
using Add = Binary<Kind::tir_Add>;
using Sub = Binary<Kind::tir_Sub>;
using Mul = Binary<Kind::tir_Mul>;
using Div = Binary<Kind::tir_Div>;  ///< truncating on integers
using Mod = Binary<Kind::tir_Mod>;  ///< truncating
using FloorDiv = Binary<Kind::tir_FloorDiv>;
using FloorMod = Binary<Kind::tir_FloorMod>;
using Min = Binary<Kind::tir_Min>;
using Max = Binary<Kind::tir_Max>;
using EQ = Binary<Kind::tir_EQ>;
using NE = Binary<Kind::tir_NE>;
using LT = Binary<Kind::tir_LT>;
using LE = Binary<Kind::tir_LE>;
using GT = Binary<Kind::tir_GT>;
using GE = Binary<Kind::tir_GE>;
using And = Binary<Kind::tir_And>;
using Or = Binary<Kind::tir_Or>;

struct Not : NodeOf<Not, ExprNode, Kind::tir_Not> {
  explicit Not(PrimExpr e) : a(std::move(e)) { dtype = DataType::Bool(a->dtype.lanes); }
  PrimExpr a;
  template <class V>
  static void fields(V&& v) {
    v("dtype", &ExprNode::dtype, Role::Attr);
    v("a", &Not::a, Role::Child);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
/// Both values are evaluated.
struct Select : NodeOf<Select, ExprNode, Kind::tir_Select> {
  Select(PrimExpr c, PrimExpr t, PrimExpr f)
      : condition(std::move(c)), trueValue(std::move(t)), falseValue(std::move(f)) {
    dtype = trueValue->dtype;
  }
  PrimExpr condition, trueValue, falseValue;
  template <class V>
  static void fields(V&& v) {
    v("dtype", &ExprNode::dtype, Role::Attr);
    v("condition", &Select::condition, Role::Child);
    v("true_value", &Select::trueValue, Role::Child);
    v("false_value", &Select::falseValue, Role::Child);
    v("span", &ExprNode::span, Role::Ignore);
  }
};

struct Range : NodeOf<Range, Node, Kind::tir_Range> {
  Range(PrimExpr m, PrimExpr e) : min(std::move(m)), extent(std::move(e)) {}
  PrimExpr min, extent;
  template <class V>
  static void fields(V&& v) {
    v("min", &Range::min, Role::Child);
    v("extent", &Range::extent, Role::Child);
  }
};

/// A buffer: typed, shaped view of a data pointer. Strides empty = compact row-major. `shape` and `strides` may use
/// symbolic variables, which the buffer then defines where it is a parameter.
struct Buffer : NodeOf<Buffer, Node, Kind::tir_Buffer> {
  Buffer() = default;
  Ref<Var> data;
  DataType dtype;
  Array<PrimExpr> shape;
  Array<PrimExpr> strides;
  PrimExpr elemOffset;  ///< null = zero
  Str name;
  int64_t dataAlignment = 64;  ///< bytes
  int64_t offsetFactor = 1;
  bool autoBroadcast = false;
  Array<PrimExpr> axisSeparators;
  NodeRef layout;  ///< of the tile level of v0.25: a text, kScalarLayout is the only one here; null for all others
  Span span;
  /// Storage scope, from the type of `data`; "global" when it says none.
  std::string_view scope() const;
  template <class V>
  static void fields(V&& v) {
    v("data", &Buffer::data, Role::Define);
    v("dtype", &Buffer::dtype, Role::Attr);
    v("shape", &Buffer::shape, Role::Define);
    v("strides", &Buffer::strides, Role::Define);
    v("elem_offset", &Buffer::elemOffset, Role::Define);
    v("name", &Buffer::name, Role::Ignore);
    v("data_alignment", &Buffer::dataAlignment, Role::Attr);
    v("offset_factor", &Buffer::offsetFactor, Role::Attr);
    v("buffer_type", &Buffer::autoBroadcast, Role::Attr);
    v("axis_separators", &Buffer::axisSeparators, Role::Child);
    v("layout", &Buffer::layout, Role::Child);
    v("span", &Buffer::span, Role::Ignore);
  }
};
using BufferRef = Ref<Buffer>;
/// Type of the strides and of the offset of a buffer of this shape, where they are variables.
DataType indexType(std::span<const PrimExpr> shape);
/// A new pointer variable to elements of this type; truth values lie in memory as bytes.
VarRef bufferPointer(DataType dtype, Str name, Str scope = Str("global"));

/// The layout by which v0.25 knows a scalar: a buffer of one element that a text writes as a variable.
constexpr std::string_view kScalarLayout = "TileLayout(S[1])";
bool isScalar(const Buffer& buffer);
/// Numbers and vectors of them.
inline bool canBeScalar(DataType dtype) { return !dtype.isHandle() && !dtype.isVoid(); }

struct BufferLoad : NodeOf<BufferLoad, ExprNode, Kind::tir_BufferLoad> {
  /// dtype follows from the buffer, the lanes of the last index included; see core/op/tir_make.h.
  BufferLoad(BufferRef b, Array<PrimExpr> i, DataType d, PrimExpr p = nullptr)
      : buffer(std::move(b)), indices(std::move(i)), predicate(std::move(p)) {
    dtype = d;
  }
  BufferRef buffer;
  Array<PrimExpr> indices;
  PrimExpr predicate;  ///< may be null
  template <class V>
  static void fields(V&& v) {
    v("dtype", &ExprNode::dtype, Role::Attr);
    v("buffer", &BufferLoad::buffer, Role::Child);
    v("indices", &BufferLoad::indices, Role::Child);
    v("predicate", &BufferLoad::predicate, Role::Child);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
struct Ramp : NodeOf<Ramp, ExprNode, Kind::tir_Ramp> {
  Ramp(PrimExpr b, PrimExpr s, PrimExpr l, DataType d) : base(std::move(b)), stride(std::move(s)), lanes(std::move(l)) {
    dtype = d;
  }
  PrimExpr base, stride, lanes;
  template <class V>
  static void fields(V&& v) {
    v("dtype", &ExprNode::dtype, Role::Attr);
    v("base", &Ramp::base, Role::Child);
    v("stride", &Ramp::stride, Role::Child);
    v("lanes", &Ramp::lanes, Role::Child);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
struct Broadcast : NodeOf<Broadcast, ExprNode, Kind::tir_Broadcast> {
  Broadcast(PrimExpr x, PrimExpr l, DataType d) : value(std::move(x)), lanes(std::move(l)) { dtype = d; }
  PrimExpr value, lanes;
  template <class V>
  static void fields(V&& v) {
    v("dtype", &ExprNode::dtype, Role::Attr);
    v("value", &Broadcast::value, Role::Child);
    v("lanes", &Broadcast::lanes, Role::Child);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
struct Let : NodeOf<Let, ExprNode, Kind::tir_Let> {
  Let(VarRef x, PrimExpr e, PrimExpr in) : var(std::move(x)), value(std::move(e)), body(std::move(in)) {
    dtype = body->dtype;
  }
  VarRef var;
  PrimExpr value, body;
  template <class V>
  static void fields(V&& v) {
    v("dtype", &ExprNode::dtype, Role::Attr);
    v("value", &Let::value, Role::Child);
    v("var", &Let::var, Role::Define);
    v("body", &Let::body, Role::Child);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
/// Call of an intrinsic (op is a relax::Op) or of a function of the module (a relax::GlobalVar).
struct Call : NodeOf<Call, ExprNode, Kind::tir_Call> {
  Call(DataType d, NodeRef o, Array<PrimExpr> a, ir::Attrs n = nullptr)
      : op(std::move(o)), args(std::move(a)), annotations(std::move(n)) {
    dtype = d;
  }
  NodeRef op;
  Array<PrimExpr> args;
  ir::Attrs annotations;  ///< null = none
  template <class V>
  static void fields(V&& v) {
    v("dtype", &ExprNode::dtype, Role::Attr);
    v("op", &Call::op, Role::Child);
    v("args", &Call::args, Role::Child);
    v("annotations", &Call::annotations, Role::Child);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
struct Shuffle : NodeOf<Shuffle, ExprNode, Kind::tir_Shuffle> {
  Shuffle(Array<PrimExpr> x, Array<PrimExpr> i, DataType d) : vectors(std::move(x)), indices(std::move(i)) {
    dtype = d;
  }
  Array<PrimExpr> vectors, indices;
  template <class V>
  static void fields(V&& v) {
    v("dtype", &ExprNode::dtype, Role::Attr);
    v("vectors", &Shuffle::vectors, Role::Child);
    v("indices", &Shuffle::indices, Role::Child);
    v("span", &ExprNode::span, Role::Ignore);
  }
};

/// Kind of an iteration variable, numbered as TVM numbers them in JSON.
enum class IterType : int32_t {
  DataPar = 0,
  ThreadIndex = 1,
  CommReduce = 2,
  Ordered = 3,  ///< scan
  Opaque = 4,
  Unrolled = 5,
  Vectorized = 6,
  Parallelized = 7,
  Tensorized = 8,
};
/// Names of the kinds, as TVMScript writes them in `T.iter_var`.
inline constexpr std::string_view kIterTypeNames[] = {"DataPar",  "ThreadIndex", "CommReduce",   "Ordered",   "Opaque",
                                                      "Unrolled", "Vectorized",  "Parallelized", "Tensorized"};
struct IterVar : NodeOf<IterVar, Node, Kind::tir_IterVar> {
  IterVar(Ref<Range> d, VarRef x, IterType t, Str tag = {})
      : dom(std::move(d)), var(std::move(x)), iterType(t), threadTag(std::move(tag)) {}
  Ref<Range> dom;  ///< null where it is not known (environment threads)
  VarRef var;
  IterType iterType;
  Str threadTag;
  template <class V>
  static void fields(V&& v) {
    v("dom", &IterVar::dom, Role::Child);
    v("var", &IterVar::var, Role::Define);
    v("iter_type", &IterVar::iterType, Role::Attr);
    v("thread_tag", &IterVar::threadTag, Role::Attr);
  }
};
/// A commutative reduction: result[i] computed from lhs and rhs, starting from identity[i].
struct CommReducer : NodeOf<CommReducer, Node, Kind::tir_CommReducer> {
  CommReducer(Array<VarRef> l, Array<VarRef> r, Array<PrimExpr> e, Array<PrimExpr> i)
      : lhs(std::move(l)), rhs(std::move(r)), result(std::move(e)), identity(std::move(i)) {}
  Array<VarRef> lhs, rhs;
  Array<PrimExpr> result, identity;
  template <class V>
  static void fields(V&& v) {
    v("lhs", &CommReducer::lhs, Role::Define);
    v("rhs", &CommReducer::rhs, Role::Define);
    v("result", &CommReducer::result, Role::Child);
    v("identity_element", &CommReducer::identity, Role::Child);
  }
};
struct Reduce : NodeOf<Reduce, ExprNode, Kind::tir_Reduce> {
  Reduce(Ref<CommReducer> c, Array<PrimExpr> s, Array<Ref<IterVar>> x, PrimExpr p, int64_t index, Array<PrimExpr> i)
      : combiner(std::move(c)),
        source(std::move(s)),
        init(std::move(i)),
        axis(std::move(x)),
        condition(std::move(p)),
        valueIndex(index) {
    dtype = source[static_cast<size_t>(index)]->dtype;
  }
  Ref<CommReducer> combiner;
  Array<PrimExpr> source, init;
  Array<Ref<IterVar>> axis;
  PrimExpr condition;
  int64_t valueIndex;
  template <class V>
  static void fields(V&& v) {
    v("dtype", &ExprNode::dtype, Role::Attr);
    v("axis", &Reduce::axis, Role::Define);
    v("combiner", &Reduce::combiner, Role::Child);
    v("source", &Reduce::source, Role::Child);
    v("init", &Reduce::init, Role::Child);
    v("condition", &Reduce::condition, Role::Child);
    v("value_index", &Reduce::valueIndex, Role::Attr);
    v("span", &ExprNode::span, Role::Ignore);
  }
};

/// A map of indices (layout transforms): finalIndices as expressions over initialIndices.
struct IndexMap : NodeOf<IndexMap, Node, Kind::tir_IndexMap> {
  IndexMap(Array<VarRef> i, Array<PrimExpr> f, Ref<IndexMap> inv = nullptr)
      : initialIndices(std::move(i)), finalIndices(std::move(f)), inverse(std::move(inv)) {}
  Array<VarRef> initialIndices;
  Array<PrimExpr> finalIndices;
  Ref<IndexMap> inverse;  ///< may be null
  template <class V>
  static void fields(V&& v) {
    v("initial_indices", &IndexMap::initialIndices, Role::Define);
    v("final_indices", &IndexMap::finalIndices, Role::Child);
    v("inverse_index_map", &IndexMap::inverse, Role::Ignore);
  }
};

PrimExpr intImm(int64_t value, DataType dtype = DataType::Int(64));
PrimExpr floatImm(double value, DataType dtype = DataType::Float(32));
PrimExpr boolImm(bool value);
/// The value when the expression is an IntImm.
std::optional<int64_t> asInt(const PrimExpr& expr);

}  // namespace rx::tir
