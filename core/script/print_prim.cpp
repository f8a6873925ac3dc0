// TIR expressions.
#include <algorithm>

#include "core/op/tir_intrinsic_type.h"
#include "core/script/printer.h"

namespace rx::script {

namespace {

/// How a binary operator reads: sugar, its strength, and the function form where the reader would fold the sugar away.
struct BinaryText {
  std::string_view sugar;
  Prec prec;
  std::string_view function;
};
constexpr BinaryText kBinary[] = {
    {" + ", Prec::Add, "Add"},      {" - ", Prec::Add, "Sub"},     {" * ", Prec::Mul, "Mul"},
    {" / ", Prec::Mul, "Div"},      {"", Prec::Atom, "truncmod"},  {" // ", Prec::Mul, "FloorDiv"},
    {" % ", Prec::Mul, "FloorMod"}, {"", Prec::Atom, "min"},       {"", Prec::Atom, "max"},
    {" == ", Prec::Compare, "EQ"},  {" != ", Prec::Compare, "NE"}, {" < ", Prec::Compare, "LT"},
    {" <= ", Prec::Compare, "LE"},  {" > ", Prec::Compare, "GT"},  {" >= ", Prec::Compare, "GE"},
    {" and ", Prec::And, "And"},    {" or ", Prec::Or, "Or"}};
static_assert(std::size(kBinary) == static_cast<size_t>(Kind::tir_Or) - static_cast<size_t>(Kind::tir_Add) + 1);

bool isNumber(const tir::PrimExpr& e) { return isa<tir::IntImm>(e) || isa<tir::FloatImm>(e); }
bool isValue(const tir::PrimExpr& e, int value) {
  if (const auto* imm = as<tir::IntImm>(e)) return imm->value == value;
  const auto* imm = as<tir::FloatImm>(e);
  return imm && imm->value == value;
}

/// True where building the operator from its operands would give something simpler than itself.
bool wouldFold(Kind kind, const tir::PrimExpr& a, const tir::PrimExpr& b) {
  if (isNumber(a) && isNumber(b)) return true;
  switch (kind) {
    case Kind::tir_Add:
      return isValue(a, 0) || isValue(b, 0);
    case Kind::tir_Sub:
      return isValue(b, 0);
    case Kind::tir_Mul:
      return isValue(a, 0) || isValue(a, 1) || isValue(b, 0) || isValue(b, 1);
    case Kind::tir_Div:
    case Kind::tir_FloorDiv:
    case Kind::tir_Mod:
    case Kind::tir_FloorMod:
      return isValue(a, 0) || isValue(b, 1) || isValue(b, 0);
    case Kind::tir_And:
    case Kind::tir_Or:
      return isNumber(a) || isNumber(b);
    default:
      return false;
  }
}

/// Printed as a part of a buffer, such as A[0:4].
bool isPart(const tir::PrimExpr& e) {
  const auto* load = as<tir::BufferLoad>(e);
  return load && !load->predicate && std::any_of(load->indices.begin(), load->indices.end(), [](const auto& index) {
           return isa<tir::Ramp>(index);
         });
}

/// True for a type that the intrinsic's own text would not give back.
bool hasOtherType(const tir::Call& call, const op::TirIntrinsic* row) {
  if (!row || call.args.size() < static_cast<size_t>(row->minArgs)) return false;
  const auto type = op::unnamedType(*row, call.args.span());
  return type && *type != call.dtype;
}

/// An operator of another table is called by what follows its namespace ("tir.name").
std::string_view afterPrefix(std::string_view name) {
  const size_t dot = name.find('.');
  return dot != std::string_view::npos && (name.starts_with("tir") || name.starts_with("relax")) ? name.substr(dot + 1)
                                                                                                 : name;
}

}  // namespace

void Printer::intImm(const tir::IntImm& imm) {
  if (imm.dtype.isBool()) {
    t("bool(");
    text(imm.value ? "True)" : "False)");
  } else if (imm.dtype == bareInt_ || loose_) {
    number(imm.value);
  } else {
    t(imm.dtype == DataType::Int(64) ? std::string_view("int64") : keep(imm.dtype.str()));
    text("(");
    number(imm.value);
    text(")");
  }
}

void Printer::runPrim(const void* p, uint64_t least) {
  const Node* node = static_cast<const Node*>(p);
  if (!node) return text("None");
  if (isa<tir::Var>(node)) return primVar(*as<tir::Var>(node));
  if (const auto* e = as<tir::IntImm>(node)) return intImm(*e);
  if (const auto* e = as<tir::BinaryNode>(node)) return binary(*e, static_cast<Prec>(least));
  if (const auto* e = as<tir::BufferLoad>(node)) {
    if (!e->predicate) return element(*e->buffer, e->indices);
    bufferRef(*e->buffer);
    text(".vload([");
    commas(e->indices, [&](const tir::PrimExpr& index) { prim(index); });
    text("], predicate=");
    prim(e->predicate);
    return text(")");
  }
  if (const auto* e = as<tir::FloatImm>(node)) {
    t(keep(e->dtype.str()));
    text("(");
    real(e->value);
    return text(")");
  }
  if (const auto* e = as<tir::StringImm>(node)) return quoted(e->value.view());
  if (const auto* e = as<tir::Call>(node)) return primCall(*e);
  // Nothing else in them says the type of a number: it is read as int32, in Relax too.
  const auto alone = [&](auto&& parts) {
    const DataType outer = std::exchange(bareInt_, DataType::Int(32));
    parts();
    bareInt_ = outer;
    text(")");
  };
  if (const auto* e = as<tir::Cast>(node)) {
    return alone([&] {
      t("Cast(");
      dtypeText(e->dtype);
      text(", ");
      prim(e->value);
    });
  }
  auto three = [&](std::string_view name, const tir::PrimExpr& a, const tir::PrimExpr& b, const tir::PrimExpr& c) {
    t(name);
    text("(");
    prim(a);
    text(", ");
    prim(b);
    text(", ");
    prim(c);
  };
  if (const auto* e = as<tir::Not>(node)) {
    const bool parens = static_cast<Prec>(least) > Prec::Not;
    if (isNumber(e->a)) {
      t("Not(");
      prim(e->a);
      return text(")");
    }
    text(parens ? "(not " : "not ");
    prim(e->a, Prec::Not);
    return parens ? text(")") : void();
  }
  if (const auto* e = as<tir::Select>(node))
    return alone([&] { three("Select", e->condition, e->trueValue, e->falseValue); });
  if (const auto* e = as<tir::Ramp>(node)) return alone([&] { three("Ramp", e->base, e->stride, e->lanes); });
  if (const auto* e = as<tir::Broadcast>(node)) {
    return alone([&] {
      t("Broadcast(");
      prim(e->value);
      text(", ");
      prim(e->lanes);
    });
  }
  if (const auto* e = as<tir::Let>(node)) return let(*e);
  if (const auto* e = as<tir::Shuffle>(node)) {
    return alone([&] {
      t("Shuffle([");
      commas(e->vectors, [&](const tir::PrimExpr& v) { prim(v); });
      text("], [");
      commas(e->indices, [&](const tir::PrimExpr& v) { prim(v); });
      text("]");
    });
  }
  reduce(*as<tir::Reduce>(node));
}

void Printer::binary(const tir::BinaryNode& e, Prec least) {
  const Kind kind = e.kind();
  const BinaryText& row = kBinary[static_cast<size_t>(kind) - static_cast<size_t>(Kind::tir_Add)];
  const bool extremum = kind == Kind::tir_Min || kind == Kind::tir_Max;
  const bool folds = !loose_ && wouldFold(kind, e.a, e.b);
  const bool truncates = kind == Kind::tir_Div && (e.a->dtype.isInt() || e.a->dtype.isUInt());
  if (row.sugar.empty() || folds || truncates) {
    // T.min and T.truncmod fold like the sugar does; T.Min and T.Mod make the node as it stands.
    const bool same = extremum ? !loose_ && (folds || e.a == e.b) : folds && kind == Kind::tir_Mod;
    t(same ? (kind == Kind::tir_Min ? "Min" : kind == Kind::tir_Max ? "Max" : "Mod") : row.function);
    text("(");
    prim(e.a);
    text(", ");
    prim(e.b);
    return text(")");
  }
  const bool parens = row.prec < least;
  // Since v0.25 two parts without steps are no operands.
  const bool outer = std::exchange(stepped_, !era(Dialect::V018) && isPart(e.a) && isPart(e.b));
  // Comparisons do not chain as in Python, so both sides bind tighter.
  const Prec tighter = static_cast<Prec>(static_cast<int>(row.prec) + 1);
  if (parens) text("(");
  prim(e.a, row.prec == Prec::Compare ? tighter : row.prec);
  text(row.sugar);
  prim(e.b, tighter);
  if (parens) text(")");
  stepped_ = outer;
}

void Printer::primVar(const tir::Var& var) {
  if (loose_) {
    const std::string_view known = names_.find(&var);
    return text(known.empty() ? var.name.view() : known);
  }
  std::string_view name = names_.find(&var);
  if (name.empty()) name = declareFree(var);
  text(name);
}

void Printer::let(const tir::Let& e) {
  if (loose_) {
    text("let ");
  } else if (names_.find(e.var.get()).empty()) {
    declareFree(*e.var);
  }
  t("Let(");
  prim(e.body);
  text(", where={");
  prim(e.var);
  text(": ");
  prim(e.value);
  text("})");
}

void Printer::primCall(const tir::Call& call) {
  if (const auto* global = as<relax::GlobalVar>(call.op)) {
    if (module_ && !loose_) {
      text(options_.moduleName);
      text(".");
    }
    text(global->name.view());
    text("(");
    commas(call.args, [&](const tir::PrimExpr& arg) { prim(arg); });
    return text(")");
  }
  const auto* op = as<relax::Op>(call.op);
  const std::string_view opName = op ? op->name.view() : std::string_view("unknown");
  bool first = true;
  auto comma = [&] {
    if (!first) text(", ");
    first = false;
  };
  const op::TirIntrinsic* row = op::findTirIntrinsic(opName);
  // The intrinsic's own text takes so many arguments only.
  const auto count = static_cast<int64_t>(call.args.size());
  const bool otherCount = !loose_ && row && (count < row->minArgs || (row->maxArgs >= 0 && count > row->maxArgs));
  const op::TirTypePlace place = row && !otherCount ? row->typePlace : op::TirTypePlace::None;
  if (otherCount || (!loose_ && place == op::TirTypePlace::None && hasOtherType(call, row))) {
    t("call_intrin(");
    comma();
    dtypeText(call.dtype);
    comma();
    quoted(opName);
  } else {
    // What stands in a space of names (T.metal.) from v0.25 on had its own name before.
    const bool moved = row && era(Dialect::V018) && row->text.find('.') != std::string_view::npos;
    t(moved ? row->name : row ? row->text : afterPrefix(opName));
    text("(");
  }
  if (place == op::TirTypePlace::First) {
    comma();
    dtypeText(call.dtype);
  }
  for (const tir::PrimExpr& arg : call.args) {
    comma();
    prim(arg);
  }
  if (place == op::TirTypePlace::Last) {
    comma();
    dtypeText(call.dtype);
  }
  if (call.annotations && call.annotations->size() > 0) {
    comma();
    text("annotations=");
    dict(call.annotations);
  }
  text(")");
}

void Printer::reducer(const tir::CommReducer& reducer) {
  t("comm_reducer(");
  enterScope();
  std::vector<const Node*> vars;
  for (const auto& var : reducer.lhs) vars.push_back(var.get());
  for (const auto& var : reducer.rhs) vars.push_back(var.get());
  lambdaParams(vars);
  const bool tuple = reducer.result.size() != 1;
  if (tuple) text("(");
  commas(reducer.result, [&](const tir::PrimExpr& e) { prim(e); });
  if (tuple) text(")");
  leaveScope();
  text(", [");
  commas(reducer.identity, [&](const tir::PrimExpr& e) { prim(e); });
  text("])");
}

void Printer::reduce(const tir::Reduce& e) {
  t("Reduce(");
  reducer(*e.combiner);
  text(", source=[");
  commas(e.source, [&](const tir::PrimExpr& v) { prim(v); });
  text("], init=[");
  commas(e.init, [&](const tir::PrimExpr& v) { prim(v); });
  text("], axis=[");
  commas(e.axis, [&](const Ref<tir::IterVar>& v) { attr(v); });
  text("], condition=");
  prim(e.condition);
  text(", value_index=");
  number(e.valueIndex);
  text(")");
}

void Printer::element(const tir::Buffer& buffer, const Array<tir::PrimExpr>& at) {
  const auto scalar = scalars_.find(&buffer);
  if (scalar != scalars_.end() && at.size() == 1 && tir::asInt(at[0]) == 0) return text(scalar->second);
  bufferRef(buffer);
  indices(at);
}

void Printer::bufferRef(const tir::Buffer& buffer) {
  if (auto scalar = scalars_.find(&buffer); scalar != scalars_.end()) {
    text(scalar->second);
    return text(".buffer");
  }
  std::string_view name = names_.find(&buffer);
  if (name.empty()) name = loose_ ? buffer.name.view() : declareFreeBuffer(buffer);
  text(name);
}

void Printer::sliceOrIndex(const tir::PrimExpr& index) {
  const auto* ramp = as<tir::Ramp>(index);
  const auto* stride = ramp ? as<tir::IntImm>(ramp->stride) : nullptr;
  if (!stride) return prim(index);
  prim(ramp->base);
  text(":");
  tir::PrimExpr length = ramp->lanes;
  const auto lanes = tir::asInt(ramp->lanes), base = tir::asInt(ramp->base);
  if (lanes) {
    length = tir::intImm(*lanes * stride->value, ramp->base->dtype);
  } else if (stride->value != 1) {
    length = make<tir::Mul>(ramp->lanes, tir::PrimExpr(stride));
  }
  tir::PrimExpr stop;
  if (lanes && base) {
    stop = tir::intImm(*base + *lanes * stride->value, ramp->base->dtype);
  } else if (base && *base == 0) {
    stop = length;
  } else {
    stop = make<tir::Add>(ramp->base, length);
  }
  owned_.push_back(stop);
  prim(stop);
  if (stride->value != 1 || stepped_) {
    text(":");
    number(stride->value);
  }
}

void Printer::indices(const Array<tir::PrimExpr>& list) {
  if (list.empty()) return text("[()]");
  text("[");
  commas(list, [&](const tir::PrimExpr& index) { sliceOrIndex(index); });
  text("]");
}

void Printer::region(const tir::BufferRegion& region) {
  bufferRef(*region.buffer);
  if (region.region.empty()) return text("[()]");
  text("[");
  commas(region.region, [&](const Ref<tir::Range>& range) {
    prim(range->min);
    const auto min = tir::asInt(range->min), extent = tir::asInt(range->extent);
    if (extent && *extent == 1) return;
    text(":");
    tir::PrimExpr stop;
    if (min && extent) {
      stop = tir::intImm(*min + *extent, range->min->dtype);
    } else if (min && *min == 0) {
      stop = range->extent;
    } else {
      stop = make<tir::Add>(range->min, range->extent);
    }
    owned_.push_back(stop);
    prim(stop);
  });
  text("]");
}

void Printer::type(const tir::Type& type, const tir::Var* var) {
  if (const auto* pointer = as<tir::PointerType>(type)) {
    const auto* element = as<tir::PrimType>(pointer->element);
    t("handle");
    if (!element) return;
    if (element->dtype.isVoid() && pointer->scope.empty()) return;
    text("(");
    dtypeText(element->dtype);
    if (!pointer->scope.empty()) {
      text(", ");
      quoted(pointer->scope.view());
    }
    return text(")");
  }
  if (const auto* tuple = as<tir::TupleType>(type)) {
    if (tuple->items.empty()) return text("None");
    t("Tuple(");
    commas(tuple->items, [&](const tir::Type& item) { this->type(item, nullptr); });
    return text(")");
  }
  const auto* prim = as<tir::PrimType>(type);
  const DataType dtype = prim ? prim->dtype : var ? var->dtype : DataType::Void();
  t(dtype.isVoid() ? std::string_view("void") : keep(dtype.str()));
}

void Printer::varCreation(const tir::Var& var) {
  type(var.annotation, &var);
  const bool called = isa<tir::PointerType>(var.annotation) && out_.back() == ')';
  if (called) return;
  text(isa<tir::SizeVar>(&var) ? "(is_size_var=True)" : "()");
}

std::string_view Printer::declareFree(const tir::Var& var) {
  std::string_view name = names_.defineForFunction(&var, var.name.view());
  if (functionDepth_ > 0 && era(Dialect::V027)) {
    typeVar(name);
    return name;
  }
  // The declaration is written by a printer of its own, since this one may be in the middle of a line.
  Printer side(options_);
  side.varCreation(var);
  side.drain();
  usesT_ = true;
  insertions_.push_back(
      {top_, "\n" + std::string(static_cast<size_t>(topIndent_) * 4, ' ') + std::string(name) + " = " + side.out_});
  return name;
}

}  // namespace rx::script
