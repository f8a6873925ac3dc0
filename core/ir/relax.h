// Relax: StructInfo, expressions, bindings, blocks, functions; and the functions of a module (PrimFunc, ExternFunc).
#pragma once

#include "core/ir/attrs.h"
#include "core/ir/origin.h"
#include "core/ir/prim_expr.h"
#include "core/ir/stmt.h"
#include "core/tensor/host_tensor.h"

namespace rx::ir {

/// Category of what a module holds by name beside functions.
struct GlobalInfoNode : Node {
  static bool classof(Kind k) { return k >= Kind::ir_VDevice && k <= Kind::ir_DummyGlobalInfo; }
  using Node::Node;
};
using GlobalInfo = Ref<GlobalInfoNode>;
/// A virtual device: target ("llvm", or a dictionary of its attributes), index, memory scope.
struct VDevice : NodeOf<VDevice, GlobalInfoNode, Kind::ir_VDevice> {
  VDevice(NodeRef t, int64_t i, Str s) : target(std::move(t)), vdeviceId(i), memoryScope(std::move(s)) {}
  NodeRef target;  ///< StrAttr or DictAttrs
  int64_t vdeviceId;
  Str memoryScope;
  template <class V>
  static void fields(V&& v) {
    v("target", &VDevice::target, Role::Child);
    v("vdevice_id", &VDevice::vdeviceId, Role::Attr);
    v("memory_scope", &VDevice::memoryScope, Role::Attr);
  }
};
struct DeviceMesh : NodeOf<DeviceMesh, GlobalInfoNode, Kind::ir_DeviceMesh> {
  DeviceMesh(Array<int64_t> s, Array<int64_t> i, Ref<tir::Range> r)
      : shape(std::move(s)), deviceIds(std::move(i)), deviceRange(std::move(r)) {}
  Array<int64_t> shape, deviceIds;
  Ref<tir::Range> deviceRange;  ///< null when the ids are listed
  template <class V>
  static void fields(V&& v) {
    v("shape", &DeviceMesh::shape, Role::Attr);
    v("device_ids", &DeviceMesh::deviceIds, Role::Attr);
    v("device_range", &DeviceMesh::deviceRange, Role::Ignore);
  }
};
struct DummyGlobalInfo : NodeOf<DummyGlobalInfo, GlobalInfoNode, Kind::ir_DummyGlobalInfo> {
  template <class V>
  static void fields(V&&) {}
};
/// One dimension of a placement: sharded along `axis`, or replicated (axis -1).
struct PlacementSpec : NodeOf<PlacementSpec, Node, Kind::ir_PlacementSpec> {
  explicit PlacementSpec(int64_t a) : axis(a) {}
  int64_t axis;
  template <class V>
  static void fields(V&& v) {
    v("axis", &PlacementSpec::axis, Role::Attr);
  }
};
struct Placement : NodeOf<Placement, Node, Kind::ir_Placement> {
  explicit Placement(Array<Ref<PlacementSpec>> d) : dimSpecs(std::move(d)) {}
  Array<Ref<PlacementSpec>> dimSpecs;
  template <class V>
  static void fields(V&& v) {
    v("dim_specs", &Placement::dimSpecs, Role::Child);
  }
};

}  // namespace rx::ir

namespace rx::relax {

/// Category: what is known of a value before it runs, in the terms of the expression's language: StructInfo of Relax,
/// types of Relay.
struct StructInfoNode : Node {
  static bool classof(Kind k) {
    return (k >= Kind::relax_ObjectStructInfo && k <= Kind::relax_DTensorStructInfo) ||
           (k >= Kind::relay_TensorType && k <= Kind::relay_TypeData);
  }
  using Node::Node;
};
using StructInfo = Ref<StructInfoNode>;

/// Category: Relax expressions. `sinfo` is null only until core/build has deduced it.
struct ExprNode : Node {
  static bool classof(Kind k) {
    return (k >= Kind::relax_Var && k <= Kind::relax_ExternFunc) ||
           (k >= Kind::relay_Var && k <= Kind::relay_Function);
  }
  using Node::Node;
  StructInfo sinfo;
  Span span;
};
using Expr = Ref<ExprNode>;

/// An unknown number of dimensions.
constexpr int64_t kUnknownDim = -1;

struct ObjectStructInfo : NodeOf<ObjectStructInfo, StructInfoNode, Kind::relax_ObjectStructInfo> {
  template <class V>
  static void fields(V&&) {}
};
struct PrimStructInfo : NodeOf<PrimStructInfo, StructInfoNode, Kind::relax_PrimStructInfo> {
  explicit PrimStructInfo(DataType d) : dtype(d) {}
  explicit PrimStructInfo(tir::PrimExpr v) : value(std::move(v)), dtype(value->dtype) {}
  tir::PrimExpr value;  ///< null when the value is not known
  DataType dtype;
  template <class V>
  static void fields(V&& v) {
    v("value", &PrimStructInfo::value, Role::Child);
    v("dtype", &PrimStructInfo::dtype, Role::Attr);
  }
};
/// `known` tells a known shape with no dimensions from an unknown one of rank `ndim` (kUnknownDim = any rank).
struct ShapeStructInfo : NodeOf<ShapeStructInfo, StructInfoNode, Kind::relax_ShapeStructInfo> {
  explicit ShapeStructInfo(int64_t n) : ndim(n) {}
  explicit ShapeStructInfo(Array<tir::PrimExpr> v)
      : values(std::move(v)), known(true), ndim(static_cast<int64_t>(values.size())) {}
  Array<tir::PrimExpr> values;
  bool known = false;
  int64_t ndim;
  template <class V>
  static void fields(V&& v) {
    v("values", &ShapeStructInfo::values, Role::Child);
    v("known", &ShapeStructInfo::known, Role::Attr);
    v("ndim", &ShapeStructInfo::ndim, Role::Attr);
  }
};
/// `shape` is a ShapeExpr, a Var of shape StructInfo, or null (unknown, then only ndim counts). dtype void = unknown.
struct TensorStructInfo : NodeOf<TensorStructInfo, StructInfoNode, Kind::relax_TensorStructInfo> {
  TensorStructInfo(DataType d, int64_t n, Ref<ir::VDevice> device = nullptr)
      : vdevice(std::move(device)), ndim(n), dtype(d) {}
  /// The rank follows from the shape.
  TensorStructInfo(Expr s, DataType d, Ref<ir::VDevice> device = nullptr);
  Expr shape;
  Ref<ir::VDevice> vdevice;  ///< may be null
  int64_t ndim;
  DataType dtype;
  template <class V>
  static void fields(V&& v) {
    v("shape", &TensorStructInfo::shape, Role::Child);
    v("dtype", &TensorStructInfo::dtype, Role::Attr);
    v("vdevice", &TensorStructInfo::vdevice, Role::Child);
    v("ndim", &TensorStructInfo::ndim, Role::Attr);
  }
};
struct TupleStructInfo : NodeOf<TupleStructInfo, StructInfoNode, Kind::relax_TupleStructInfo> {
  explicit TupleStructInfo(Array<StructInfo> f) : items(std::move(f)) {}
  Array<StructInfo> items;
  template <class V>
  static void fields(V&& v) {
    v("fields", &TupleStructInfo::items, Role::Child);
  }
};
/// With `paramsKnown`: a signature whose parameters define symbolic variables that `ret` may use. Otherwise opaque:
/// result by `deriveFunc` (name of a derivation rule, may be empty) or `ret`.
struct FuncStructInfo : NodeOf<FuncStructInfo, StructInfoNode, Kind::relax_FuncStructInfo> {
  FuncStructInfo(Array<StructInfo> p, StructInfo r, bool pure)
      : params(std::move(p)), ret(std::move(r)), paramsKnown(true), purity(pure) {}
  static Ref<FuncStructInfo> opaque(StructInfo ret, bool purity, Str deriveFunc = {});
  Array<StructInfo> params;
  StructInfo ret;
  Str deriveFunc;
  bool paramsKnown = false;
  bool purity = false;
  template <class V>
  static void fields(V&& v) {
    v("params", &FuncStructInfo::params, Role::Define);
    v("ret", &FuncStructInfo::ret, Role::Child);
    v("derive_func", &FuncStructInfo::deriveFunc, Role::Attr);
    v("params_known", &FuncStructInfo::paramsKnown, Role::Attr);
    v("purity", &FuncStructInfo::purity, Role::Attr);
  }

 private:
  FuncStructInfo() = default;
};
struct DTensorStructInfo : NodeOf<DTensorStructInfo, StructInfoNode, Kind::relax_DTensorStructInfo> {
  DTensorStructInfo(Ref<TensorStructInfo> t, Ref<ir::DeviceMesh> m, Ref<ir::Placement> p)
      : tensor(std::move(t)), deviceMesh(std::move(m)), placement(std::move(p)) {}
  Ref<TensorStructInfo> tensor;
  Ref<ir::DeviceMesh> deviceMesh;
  Ref<ir::Placement> placement;
  template <class V>
  static void fields(V&& v) {
    v("device_mesh", &DTensorStructInfo::deviceMesh, Role::Child);
    v("placement", &DTensorStructInfo::placement, Role::Child);
    v("tensor_sinfo", &DTensorStructInfo::tensor, Role::Child);
  }
};

/// A variable; identity is the node, the name is a hint. A DataflowVar is visible in its DataflowBlock only.
struct Var : NodeOf<Var, ExprNode, Kind::relax_Var> {
  static bool classof(Kind k) { return k == Kind::relax_Var || k == Kind::relax_DataflowVar; }
  Var(Str n, StructInfo s) : Var(Kind::relax_Var, std::move(n), std::move(s)) {}
  Str name;
  template <class V>
  static void fields(V&& v) {
    v("name", &Var::name, Role::Ignore);
    v("struct_info_", &ExprNode::sinfo, Role::Type);
    v("span", &ExprNode::span, Role::Ignore);
  }

 protected:
  Var(Kind k, Str n, StructInfo s) : NodeOf(k), name(std::move(n)) { sinfo = std::move(s); }
};
struct DataflowVar : Var {
  static constexpr Kind kKind = Kind::relax_DataflowVar;
  static bool classof(Kind k) { return k == Kind::relax_DataflowVar; }
  DataflowVar(Str n, StructInfo s) : Var(Kind::relax_DataflowVar, std::move(n), std::move(s)) {}
};
using VarRef = Ref<Var>;

/// Name of a function of the module; within one module, one object a name.
struct GlobalVar : NodeOf<GlobalVar, ExprNode, Kind::relax_GlobalVar> {
  explicit GlobalVar(Str n, StructInfo s = nullptr) : name(std::move(n)) { sinfo = std::move(s); }
  Str name;
  template <class V>
  static void fields(V&& v) {
    v("name_hint", &GlobalVar::name, Role::Attr);
    v("struct_info_", &ExprNode::sinfo, Role::Type);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
using GlobalVarRef = Ref<GlobalVar>;

/// An operator (Relax) or intrinsic (TIR), by name; one object a name, made by the operator tables of core/op.
/// `row` is its index in its table, so that a look-up is an array access.
struct Op : NodeOf<Op, ExprNode, Kind::relax_Op> {
  Op(Str n, uint32_t r) : name(std::move(n)), row(r) {}
  Str name;
  uint32_t row;
  template <class V>
  static void fields(V&& v) {
    v("name", &Op::name, Role::Attr);
  }
};
using OpRef = Ref<Op>;

struct Constant : NodeOf<Constant, ExprNode, Kind::relax_Constant> {
  Constant(Ref<HostTensor> d, StructInfo s) : data(std::move(d)) { sinfo = std::move(s); }
  Ref<HostTensor> data;  ///< null for a constant whose data a text left out; then only sinfo is known
  Str unresolved;        ///< the reference that could not be resolved (`metadata[...][3]`); empty otherwise
  template <class V>
  static void fields(V&& v) {
    v("data", &Constant::data, Role::Attr);
    v("unresolved", &Constant::unresolved, Role::Attr);
    v("struct_info_", &ExprNode::sinfo, Role::Type);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
struct Tuple : NodeOf<Tuple, ExprNode, Kind::relax_Tuple> {
  explicit Tuple(Array<Expr> f, StructInfo s = nullptr) : items(std::move(f)) { sinfo = std::move(s); }
  Array<Expr> items;
  template <class V>
  static void fields(V&& v) {
    v("fields", &Tuple::items, Role::Child);
    v("struct_info_", &ExprNode::sinfo, Role::Type);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
struct TupleGetItem : NodeOf<TupleGetItem, ExprNode, Kind::relax_TupleGetItem> {
  TupleGetItem(Expr t, int64_t i, StructInfo s = nullptr) : tuple(std::move(t)), index(i) { sinfo = std::move(s); }
  Expr tuple;
  int64_t index;
  template <class V>
  static void fields(V&& v) {
    v("tuple_value", &TupleGetItem::tuple, Role::Child);
    v("index", &TupleGetItem::index, Role::Attr);
    v("struct_info_", &ExprNode::sinfo, Role::Type);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
struct ShapeExpr : NodeOf<ShapeExpr, ExprNode, Kind::relax_ShapeExpr> {
  /// Its StructInfo is the shape with these values.
  explicit ShapeExpr(Array<tir::PrimExpr> v);
  Array<tir::PrimExpr> values;
  template <class V>
  static void fields(V&& v) {
    v("values", &ShapeExpr::values, Role::Child);
    v("struct_info_", &ExprNode::sinfo, Role::Type);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
struct PrimValue : NodeOf<PrimValue, ExprNode, Kind::relax_PrimValue> {
  explicit PrimValue(tir::PrimExpr v);
  tir::PrimExpr value;
  template <class V>
  static void fields(V&& v) {
    v("value", &PrimValue::value, Role::Child);
    v("struct_info_", &ExprNode::sinfo, Role::Type);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
struct StringImm : NodeOf<StringImm, ExprNode, Kind::relax_StringImm> {
  explicit StringImm(Str v);
  Str value;
  template <class V>
  static void fields(V&& v) {
    v("value", &StringImm::value, Role::Attr);
    v("struct_info_", &ExprNode::sinfo, Role::Type);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
struct DataTypeImm : NodeOf<DataTypeImm, ExprNode, Kind::relax_DataTypeImm> {
  explicit DataTypeImm(DataType v);
  DataType value;
  template <class V>
  static void fields(V&& v) {
    v("value", &DataTypeImm::value, Role::Attr);
    v("struct_info_", &ExprNode::sinfo, Role::Type);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
/// Call of an Op, GlobalVar, ExternFunc, or variable. `sinfoArgs` are the out_sinfo / sinfo_args of the text.
struct Call : NodeOf<Call, ExprNode, Kind::relax_Call> {
  Call(Expr o, Array<Expr> a, ir::Attrs t = nullptr, Array<StructInfo> s = {}, StructInfo si = nullptr)
      : op(std::move(o)), args(std::move(a)), attrs(std::move(t)), sinfoArgs(std::move(s)) {
    sinfo = std::move(si);
  }
  Expr op;
  Array<Expr> args;
  ir::Attrs attrs;
  Array<StructInfo> sinfoArgs;
  OriginRef origin;
  template <class V>
  static void fields(V&& v) {
    v("op", &Call::op, Role::Child);
    v("args", &Call::args, Role::Child);
    v("attrs", &Call::attrs, Role::Child);
    v("sinfo_args", &Call::sinfoArgs, Role::Child);
    v("struct_info_", &ExprNode::sinfo, Role::Type);
    v("origin", &Call::origin, Role::Ignore);
    v("span", &ExprNode::span, Role::Ignore);
  }
};

/// Category: one binding of a block.
struct BindingNode : Node {
  static bool classof(Kind k) { return k == Kind::relax_VarBinding || k == Kind::relax_MatchCast; }
  using Node::Node;
  VarRef var;
  Span span;
  OriginRef origin;
};
using Binding = Ref<BindingNode>;
struct VarBinding : NodeOf<VarBinding, BindingNode, Kind::relax_VarBinding> {
  VarBinding(VarRef x, Expr e) : value(std::move(e)) { var = std::move(x); }
  Expr value;
  template <class V>
  static void fields(V&& v) {
    v("value", &VarBinding::value, Role::Child);
    v("var", &BindingNode::var, Role::Define);
    v("origin", &BindingNode::origin, Role::Ignore);
    v("span", &BindingNode::span, Role::Ignore);
  }
};
/// Checks `value` against `structInfo` at run time and defines its new symbolic variables.
struct MatchCast : NodeOf<MatchCast, BindingNode, Kind::relax_MatchCast> {
  MatchCast(VarRef x, Expr e, StructInfo s) : value(std::move(e)), structInfo(std::move(s)) { var = std::move(x); }
  Expr value;
  StructInfo structInfo;
  template <class V>
  static void fields(V&& v) {
    v("value", &MatchCast::value, Role::Child);
    v("struct_info", &MatchCast::structInfo, Role::Define);
    v("var", &BindingNode::var, Role::Define);
    v("origin", &BindingNode::origin, Role::Ignore);
    v("span", &BindingNode::span, Role::Ignore);
  }
};
struct BindingBlock : NodeOf<BindingBlock, Node, Kind::relax_BindingBlock> {
  static bool classof(Kind k) { return k == Kind::relax_BindingBlock || k == Kind::relax_DataflowBlock; }
  explicit BindingBlock(Array<Binding> b) : bindings(std::move(b)) {}
  Array<Binding> bindings;
  Span span;
  bool isDataflow() const { return kind() == Kind::relax_DataflowBlock; }
  template <class V>
  static void fields(V&& v) {
    v("bindings", &BindingBlock::bindings, Role::Child);
    v("span", &BindingBlock::span, Role::Ignore);
  }

 protected:
  BindingBlock(Kind k, Array<Binding> b) : NodeOf(k), bindings(std::move(b)) {}
};
/// Pure straight-line part; its plain Vars are the outputs.
struct DataflowBlock : BindingBlock {
  static constexpr Kind kKind = Kind::relax_DataflowBlock;
  static bool classof(Kind k) { return k == Kind::relax_DataflowBlock; }
  explicit DataflowBlock(Array<Binding> b) : BindingBlock(Kind::relax_DataflowBlock, std::move(b)) {}
};
using BlockRef = Ref<BindingBlock>;

/// Blocks in order, then the value: the body of functions and branches, and nothing else.
struct SeqExpr : NodeOf<SeqExpr, ExprNode, Kind::relax_SeqExpr> {
  SeqExpr(Array<BlockRef> b, Expr e, StructInfo s = nullptr) : blocks(std::move(b)), body(std::move(e)) {
    sinfo = s ? std::move(s) : body->sinfo;
  }
  Array<BlockRef> blocks;
  Expr body;
  template <class V>
  static void fields(V&& v) {
    v("blocks", &SeqExpr::blocks, Role::Child);
    v("body", &SeqExpr::body, Role::Child);
    v("struct_info_", &ExprNode::sinfo, Role::Type);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
using SeqRef = Ref<SeqExpr>;
struct If : NodeOf<If, ExprNode, Kind::relax_If> {
  If(Expr c, SeqRef t, SeqRef f, StructInfo s = nullptr)
      : cond(std::move(c)), trueBranch(std::move(t)), falseBranch(std::move(f)) {
    sinfo = std::move(s);
  }
  Expr cond;
  SeqRef trueBranch, falseBranch;
  template <class V>
  static void fields(V&& v) {
    v("cond", &If::cond, Role::Child);
    v("true_branch", &If::trueBranch, Role::Child);
    v("false_branch", &If::falseBranch, Role::Child);
    v("struct_info_", &ExprNode::sinfo, Role::Type);
    v("span", &ExprNode::span, Role::Ignore);
  }
};

}  // namespace rx::relax

namespace rx::ir {

/// Category: what a module holds under a GlobalVar, in whatever language: relax::Function, tir::PrimFunc,
/// relax::ExternFunc, relay::Function.
struct BaseFuncNode : relax::ExprNode {
  static bool classof(Kind k) { return isFunctionKind(k); }
  using relax::ExprNode::ExprNode;
  Attrs attrs;  ///< null = empty
};
using BaseFunc = Ref<BaseFuncNode>;

}  // namespace rx::ir

namespace rx::relax {

/// A function; its StructInfo is derived from the signature when it is made.
struct Function : NodeOf<Function, ir::BaseFuncNode, Kind::relax_Function> {
  Function(Array<VarRef> p, SeqRef b, StructInfo r, bool pure, ir::Attrs a = nullptr);
  Array<VarRef> params;
  SeqRef body;
  StructInfo retSinfo;
  bool isPure;
  template <class V>
  static void fields(V&& v) {
    v("params", &Function::params, Role::Define);
    v("body", &Function::body, Role::Child);
    v("ret_struct_info", &Function::retSinfo, Role::Child);
    v("is_pure", &Function::isPure, Role::Attr);
    v("attrs", &ir::BaseFuncNode::attrs, Role::Child);
    v("struct_info_", &ExprNode::sinfo, Role::Type);
    v("span", &ExprNode::span, Role::Ignore);
  }
};
using FunctionRef = Ref<Function>;
/// A function of the outside, called by its global symbol.
struct ExternFunc : NodeOf<ExternFunc, ir::BaseFuncNode, Kind::relax_ExternFunc> {
  explicit ExternFunc(Str n, StructInfo s = nullptr, ir::Attrs a = nullptr);
  Str globalSymbol;
  template <class V>
  static void fields(V&& v) {
    v("global_symbol", &ExternFunc::globalSymbol, Role::Attr);
    v("attrs", &ir::BaseFuncNode::attrs, Role::Child);
    v("struct_info_", &ExprNode::sinfo, Role::Type);
    v("span", &ExprNode::span, Role::Ignore);
  }
};

/// StructInfo of any object; one shared instance would do, but identity never matters here.
StructInfo objectSinfo();
StructInfo tupleSinfo(Array<StructInfo> fields);
/// The empty tuple: StructInfo of calls that return nothing.
StructInfo voidSinfo();
StructInfo tensorSinfo(std::span<const tir::PrimExpr> shape, DataType dtype);

}  // namespace rx::relax

namespace rx::tir {

/// A tensor-level or scheduled loop program. `buffers[i]` is the buffer of params[i], null for a scalar or raw pointer.
struct PrimFunc : NodeOf<PrimFunc, ir::BaseFuncNode, Kind::tir_PrimFunc> {
  PrimFunc(Array<VarRef> p, Array<BufferRef> m, Stmt b, Type r, ir::Attrs a = nullptr);
  Array<VarRef> params;
  Array<BufferRef> buffers;  ///< same length as params
  Type retType;              ///< null = void
  Stmt body;
  template <class V>
  static void fields(V&& v) {
    v("params", &PrimFunc::params, Role::Define);
    v("buffer_map", &PrimFunc::buffers, Role::Define);
    v("ret_type", &PrimFunc::retType, Role::Child);
    v("body", &PrimFunc::body, Role::Child);
    v("attrs", &ir::BaseFuncNode::attrs, Role::Child);
    v("struct_info_", &relax::ExprNode::sinfo, Role::Type);
    v("span", &relax::ExprNode::span, Role::Ignore);
  }
};
using PrimFuncRef = Ref<PrimFunc>;

}  // namespace rx::tir

namespace rx::ir {

/// A copy of the function with other attributes; kind, signature and body stay.
BaseFunc withFunctionAttrs(const BaseFunc& function, Attrs attrs);
/// A copy with one attribute set.
BaseFunc withFunctionAttr(const BaseFunc& function, Str key, NodeRef value);

}  // namespace rx::ir
