// Relay: types, patterns and expressions of the language before Relax. An expression is a graph: a node that is used
// twice is computed once, and equality tells a shared node from two equal ones.
#pragma once

#include "core/ir/relax.h"

namespace rx::relay {

/// An expression; its `sinfo` holds the checked type, null before types were inferred.
using Expr = relax::Expr;

/// Category: types. They stand where expressions of Relax have their StructInfo.
struct TypeNode : relax::StructInfoNode {
  static bool classof(Kind k) { return k >= Kind::relay_TensorType && k <= Kind::relay_TypeData; }
  using relax::StructInfoNode::StructInfoNode;
};
using Type = Ref<TypeNode>;

/// A dimension is an integer, a symbol, or of any size: null, written "?".
struct TensorType : NodeOf<TensorType, TypeNode, Kind::relay_TensorType> {
  TensorType(Array<tir::PrimExpr> s, DataType d) : shape(std::move(s)), dtype(d) {}
  Array<tir::PrimExpr> shape;
  DataType dtype;
  template <class V>
  static void fields(V&& v) {
    v("shape", &TensorType::shape, Role::Child);
    v("dtype", &TensorType::dtype, Role::Attr);
  }
};
struct TupleType : NodeOf<TupleType, TypeNode, Kind::relay_TupleType> {
  explicit TupleType(Array<Type> f) : items(std::move(f)) {}
  Array<Type> items;
  template <class V>
  static void fields(V&& v) {
    v("fields", &TupleType::items, Role::Child);
  }
};
struct TypeVar : NodeOf<TypeVar, TypeNode, Kind::relay_TypeVar> {
  explicit TypeVar(Str n) : name(std::move(n)) {}
  Str name;
  template <class V>
  static void fields(V&& v) {
    v("name_hint", &TypeVar::name, Role::Ignore);
  }
};
struct FuncType : NodeOf<FuncType, TypeNode, Kind::relay_FuncType> {
  FuncType(Array<Ref<TypeVar>> t, Array<Type> a, Type r)
      : typeParams(std::move(t)), argTypes(std::move(a)), retType(std::move(r)) {}
  Array<Ref<TypeVar>> typeParams;
  Array<Type> argTypes;
  Type retType;
  template <class V>
  static void fields(V&& v) {
    v("type_params", &FuncType::typeParams, Role::Define);
    v("arg_types", &FuncType::argTypes, Role::Child);
    v("ret_type", &FuncType::retType, Role::Child);
  }
};
struct RefType : NodeOf<RefType, TypeNode, Kind::relay_RefType> {
  explicit RefType(Type t) : value(std::move(t)) {}
  Type value;
  template <class V>
  static void fields(V&& v) {
    v("value", &RefType::value, Role::Child);
  }
};
/// Name of an algebraic data type of the module.
struct GlobalTypeVar : NodeOf<GlobalTypeVar, TypeNode, Kind::relay_GlobalTypeVar> {
  explicit GlobalTypeVar(Str n) : name(std::move(n)) {}
  Str name;
  template <class V>
  static void fields(V&& v) {
    v("name_hint", &GlobalTypeVar::name, Role::Attr);
  }
};
/// An algebraic data type with its arguments: List[int32].
struct TypeCall : NodeOf<TypeCall, TypeNode, Kind::relay_TypeCall> {
  TypeCall(Type f, Array<Type> a) : func(std::move(f)), args(std::move(a)) {}
  Type func;
  Array<Type> args;
  template <class V>
  static void fields(V&& v) {
    v("func", &TypeCall::func, Role::Child);
    v("args", &TypeCall::args, Role::Child);
  }
};
/// A type that inference is to find; identity is the node.
struct IncompleteType : NodeOf<IncompleteType, TypeNode, Kind::relay_IncompleteType> {
  template <class V>
  static void fields(V&&) {}
};

/// A way to make values of an algebraic data type. As an expression it is a function from its inputs.
struct Constructor : NodeOf<Constructor, relax::ExprNode, Kind::relay_Constructor> {
  Constructor(Str n, Array<Type> i, Ref<GlobalTypeVar> b)
      : name(std::move(n)), inputs(std::move(i)), belongTo(std::move(b)) {}
  Str name;
  Array<Type> inputs;
  Ref<GlobalTypeVar> belongTo;
  template <class V>
  static void fields(V&& v) {
    v("name_hint", &Constructor::name, Role::Attr);
    v("inputs", &Constructor::inputs, Role::Child);
    v("belong_to", &Constructor::belongTo, Role::Child);
  }
};
/// Definition of an algebraic data type; one without constructors in the text `extern type` is opaque.
struct TypeData : NodeOf<TypeData, TypeNode, Kind::relay_TypeData> {
  TypeData(Ref<GlobalTypeVar> h, Array<Ref<TypeVar>> t, Array<Ref<Constructor>> c, bool e)
      : header(std::move(h)), typeVars(std::move(t)), constructors(std::move(c)), isExtern(e) {}
  Ref<GlobalTypeVar> header;
  Array<Ref<TypeVar>> typeVars;
  Array<Ref<Constructor>> constructors;
  bool isExtern;
  template <class V>
  static void fields(V&& v) {
    v("header", &TypeData::header, Role::Child);
    v("type_vars", &TypeData::typeVars, Role::Define);
    v("constructors", &TypeData::constructors, Role::Child);
    v("extern", &TypeData::isExtern, Role::Ignore);
  }
};

/// A local variable; identity is the node, the name is a hint.
struct Var : NodeOf<Var, relax::ExprNode, Kind::relay_Var> {
  Var(Str n, Type t, NodeRef d = nullptr)
      : name(std::move(n)), typeAnnotation(std::move(t)), virtualDevice(std::move(d)) {}
  Str name;
  Type typeAnnotation;    ///< null: not declared
  NodeRef virtualDevice;  ///< null: unconstrained
  template <class V>
  static void fields(V&& v) {
    v("name", &Var::name, Role::Ignore);
    v("type_annotation", &Var::typeAnnotation, Role::Type);
    v("virtual_device_", &Var::virtualDevice, Role::Type);
    v("checked_type_", &relax::ExprNode::sinfo, Role::Ignore);
    v("span", &relax::ExprNode::span, Role::Ignore);
  }
};
using VarRef = Ref<Var>;

/// An operator, by name; one object a name, made by the operator table of core/relay. `row` is its index there.
struct Op : NodeOf<Op, relax::ExprNode, Kind::relay_Op> {
  Op(Str n, uint32_t r) : name(std::move(n)), row(r) {}
  Str name;
  uint32_t row;
  template <class V>
  static void fields(V&& v) {
    v("name", &Op::name, Role::Attr);
    v("row", &Op::row, Role::Ignore);
  }
};
struct Constant : NodeOf<Constant, relax::ExprNode, Kind::relay_Constant> {
  explicit Constant(Ref<HostTensor> d) : data(std::move(d)) {}
  Ref<HostTensor> data;  ///< null where a text left it out
  Str unresolved;        ///< the reference that could not be resolved; empty otherwise
  template <class V>
  static void fields(V&& v) {
    v("data", &Constant::data, Role::Attr);
    v("unresolved", &Constant::unresolved, Role::Attr);
    v("checked_type_", &relax::ExprNode::sinfo, Role::Ignore);
    v("span", &relax::ExprNode::span, Role::Ignore);
  }
};
struct Tuple : NodeOf<Tuple, relax::ExprNode, Kind::relay_Tuple> {
  explicit Tuple(Array<Expr> f) : items(std::move(f)) {}
  Array<Expr> items;
  template <class V>
  static void fields(V&& v) {
    v("fields", &Tuple::items, Role::Child);
    v("checked_type_", &relax::ExprNode::sinfo, Role::Ignore);
    v("span", &relax::ExprNode::span, Role::Ignore);
  }
};
struct TupleGetItem : NodeOf<TupleGetItem, relax::ExprNode, Kind::relay_TupleGetItem> {
  TupleGetItem(Expr t, int64_t i) : tuple(std::move(t)), index(i) {}
  Expr tuple;
  int64_t index;
  template <class V>
  static void fields(V&& v) {
    v("tuple_value", &TupleGetItem::tuple, Role::Child);
    v("index", &TupleGetItem::index, Role::Attr);
    v("checked_type_", &relax::ExprNode::sinfo, Role::Ignore);
    v("span", &relax::ExprNode::span, Role::Ignore);
  }
};
/// Call of an operator, constructor, function or closure. `attrs` holds what differs from the operator's defaults.
struct Call : NodeOf<Call, relax::ExprNode, Kind::relay_Call> {
  Call(Expr o, Array<Expr> a, ir::Attrs t = nullptr) : op(std::move(o)), args(std::move(a)), attrs(std::move(t)) {}
  Expr op;
  Array<Expr> args;
  ir::Attrs attrs;
  Array<Type> typeArgs;  ///< as inference found them
  template <class V>
  static void fields(V&& v) {
    v("op", &Call::op, Role::Child);
    v("args", &Call::args, Role::Child);
    v("attrs", &Call::attrs, Role::Child);
    v("type_args", &Call::typeArgs, Role::Ignore);
    v("checked_type_", &relax::ExprNode::sinfo, Role::Ignore);
    v("span", &relax::ExprNode::span, Role::Ignore);
  }
};
/// `let var = value; body`. The variable is in the scope of its value only where the value is a function.
struct Let : NodeOf<Let, relax::ExprNode, Kind::relay_Let> {
  Let(VarRef x, Expr e, Expr b) : var(std::move(x)), value(std::move(e)), body(std::move(b)) {}
  VarRef var;
  Expr value, body;
  template <class V>
  static void fields(V&& v) {
    v("var", &Let::var, Role::Define);
    v("value", &Let::value, Role::Child);
    v("body", &Let::body, Role::Child);
    v("checked_type_", &relax::ExprNode::sinfo, Role::Ignore);
    v("span", &relax::ExprNode::span, Role::Ignore);
  }
};
struct If : NodeOf<If, relax::ExprNode, Kind::relay_If> {
  If(Expr c, Expr t, Expr f) : cond(std::move(c)), trueBranch(std::move(t)), falseBranch(std::move(f)) {}
  Expr cond, trueBranch, falseBranch;
  template <class V>
  static void fields(V&& v) {
    v("cond", &If::cond, Role::Child);
    v("true_branch", &If::trueBranch, Role::Child);
    v("false_branch", &If::falseBranch, Role::Child);
    v("checked_type_", &relax::ExprNode::sinfo, Role::Ignore);
    v("span", &relax::ExprNode::span, Role::Ignore);
  }
};
struct RefCreate : NodeOf<RefCreate, relax::ExprNode, Kind::relay_RefCreate> {
  explicit RefCreate(Expr e) : value(std::move(e)) {}
  Expr value;
  template <class V>
  static void fields(V&& v) {
    v("value", &RefCreate::value, Role::Child);
    v("checked_type_", &relax::ExprNode::sinfo, Role::Ignore);
    v("span", &relax::ExprNode::span, Role::Ignore);
  }
};
struct RefRead : NodeOf<RefRead, relax::ExprNode, Kind::relay_RefRead> {
  explicit RefRead(Expr r) : ref(std::move(r)) {}
  Expr ref;
  template <class V>
  static void fields(V&& v) {
    v("ref", &RefRead::ref, Role::Child);
    v("checked_type_", &relax::ExprNode::sinfo, Role::Ignore);
    v("span", &relax::ExprNode::span, Role::Ignore);
  }
};
struct RefWrite : NodeOf<RefWrite, relax::ExprNode, Kind::relay_RefWrite> {
  RefWrite(Expr r, Expr e) : ref(std::move(r)), value(std::move(e)) {}
  Expr ref, value;
  template <class V>
  static void fields(V&& v) {
    v("ref", &RefWrite::ref, Role::Child);
    v("value", &RefWrite::value, Role::Child);
    v("checked_type_", &relax::ExprNode::sinfo, Role::Ignore);
    v("span", &relax::ExprNode::span, Role::Ignore);
  }
};

/// Category: patterns of a match.
struct PatternNode : Node {
  static bool classof(Kind k) { return k >= Kind::relay_PatternWildcard && k <= Kind::relay_PatternTuple; }
  using Node::Node;
  Span span;
};
using Pattern = Ref<PatternNode>;
struct PatternWildcard : NodeOf<PatternWildcard, PatternNode, Kind::relay_PatternWildcard> {
  template <class V>
  static void fields(V&& v) {
    v("span", &PatternNode::span, Role::Ignore);
  }
};
struct PatternVar : NodeOf<PatternVar, PatternNode, Kind::relay_PatternVar> {
  explicit PatternVar(VarRef x) : var(std::move(x)) {}
  VarRef var;
  template <class V>
  static void fields(V&& v) {
    v("var", &PatternVar::var, Role::Define);
    v("span", &PatternNode::span, Role::Ignore);
  }
};
struct PatternConstructor : NodeOf<PatternConstructor, PatternNode, Kind::relay_PatternConstructor> {
  PatternConstructor(Ref<Constructor> c, Array<Pattern> p) : constructor(std::move(c)), patterns(std::move(p)) {}
  Ref<Constructor> constructor;
  Array<Pattern> patterns;
  template <class V>
  static void fields(V&& v) {
    v("constructor", &PatternConstructor::constructor, Role::Child);
    v("patterns", &PatternConstructor::patterns, Role::Child);
    v("span", &PatternNode::span, Role::Ignore);
  }
};
struct PatternTuple : NodeOf<PatternTuple, PatternNode, Kind::relay_PatternTuple> {
  explicit PatternTuple(Array<Pattern> p) : patterns(std::move(p)) {}
  Array<Pattern> patterns;
  template <class V>
  static void fields(V&& v) {
    v("patterns", &PatternTuple::patterns, Role::Child);
    v("span", &PatternNode::span, Role::Ignore);
  }
};
struct Clause : NodeOf<Clause, Node, Kind::relay_Clause> {
  Clause(Pattern p, Expr e) : pattern(std::move(p)), value(std::move(e)) {}
  Pattern pattern;
  Expr value;
  template <class V>
  static void fields(V&& v) {
    v("lhs", &Clause::pattern, Role::Child);
    v("rhs", &Clause::value, Role::Child);
  }
};
/// The first clause whose pattern fits. `complete`: `match`, whose clauses fit every value; else `match?`.
struct Match : NodeOf<Match, relax::ExprNode, Kind::relay_Match> {
  Match(Expr d, Array<Ref<Clause>> c, bool all) : data(std::move(d)), clauses(std::move(c)), complete(all) {}
  Expr data;
  Array<Ref<Clause>> clauses;
  bool complete;
  template <class V>
  static void fields(V&& v) {
    v("data", &Match::data, Role::Child);
    v("clauses", &Match::clauses, Role::Child);
    v("complete", &Match::complete, Role::Attr);
    v("checked_type_", &relax::ExprNode::sinfo, Role::Ignore);
    v("span", &relax::ExprNode::span, Role::Ignore);
  }
};

struct Function : NodeOf<Function, ir::BaseFuncNode, Kind::relay_Function> {
  Function(Array<VarRef> p, Expr b, Type r, Array<Ref<TypeVar>> t = {}, ir::Attrs a = nullptr)
      : params(std::move(p)), body(std::move(b)), retType(std::move(r)), typeParams(std::move(t)) {
    attrs = std::move(a);
  }
  Array<VarRef> params;
  Expr body;
  Type retType;  ///< null: not declared
  Array<Ref<TypeVar>> typeParams;
  NodeRef virtualDevice;  ///< of the result; null: unconstrained
  template <class V>
  static void fields(V&& v) {
    v("type_params", &Function::typeParams, Role::Define);
    v("params", &Function::params, Role::Define);
    v("ret_type", &Function::retType, Role::Child);
    v("attrs", &ir::BaseFuncNode::attrs, Role::Child);
    v("body", &Function::body, Role::Child);
    v("virtual_device_", &Function::virtualDevice, Role::Ignore);
    v("checked_type_", &relax::ExprNode::sinfo, Role::Ignore);
    v("span", &relax::ExprNode::span, Role::Ignore);
  }
};
using FunctionRef = Ref<Function>;

Type tensorType(std::span<const tir::PrimExpr> shape, DataType dtype);
Type scalarType(DataType dtype);
/// The checked type of an expression, null where it is not known.
Type typeOf(const Expr& expr);

}  // namespace rx::relay
