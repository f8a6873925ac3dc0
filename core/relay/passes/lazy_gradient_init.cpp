// LazyGradientInit: tensors become cells that may stand for zeros or ones
// without holding them, and sums and products of such cells compute nothing.
// Parameters and results stay tensors.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/relay/passes/let_list.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"
#include "core/relay/text.h"

namespace rx::relay {

namespace {

constexpr const char* kCells = R"relay(#[version = "0.0.5"]
type GradCell[T] {
  Raw(T),
  One(fn () -> T),
  Zero(fn () -> T),
}
def @FromGradCell[T](%g: GradCell[T]) -> T {
  match (%g) {
    Raw(%x) => %x,
    One(%x) => %x(),
    Zero(%x) => %x(),
  }
}
def @MultiplyGradCell[T](%multiply: fn (T, T) -> T, %l: GradCell[T], %r: GradCell[T]) -> GradCell[T] {
  match ((%l, %r)) {
    (Zero(_), _) => %l,
    (_, Zero(_)) => %r,
    (One(_), _) => %r,
    (_, One(_)) => %l,
    _ => Raw(%multiply(@FromGradCell(%l), @FromGradCell(%r))),
  }
}
def @AddGradCell[T](%add: fn (T, T) -> T, %l: GradCell[T], %r: GradCell[T]) -> GradCell[T] {
  match ((%l, %r)) {
    (Zero(_), _) => %r,
    (_, Zero(_)) => %l,
    _ => Raw(%add(@FromGradCell(%l), @FromGradCell(%r))),
  }
}
)relay";

/// How cells stand for what an operator gives: by a function of the module, or
/// by a constructor that keeps the call.
struct CellRow {
  std::string_view op, function, constructor;
};
constexpr std::array<CellRow, 6> kRows = {{
    {"add", "AddGradCell", ""},
    {"multiply", "MultiplyGradCell", ""},
    {"ones", "", "One"},
    {"ones_like", "", "One"},
    {"zeros", "", "Zero"},
    {"zeros_like", "", "One"},  // as TVM has it
}};

const CellRow* rowOf(std::string_view op) {
  const auto hit = std::find_if(kRows.begin(), kRows.end(), [&](const CellRow& row) { return row.op == op; });
  return hit == kRows.end() ? nullptr : &*hit;
}

/// The module with cells and their functions, where it has none.
Result<ir::Module> withCells(const ir::Module& module) {
  if (ir::attrOf(module->types, "GradCell")) return module;
  const auto file = static_cast<uint32_t>(module->sources->size());
  const auto source = make<SourceFile>("gradient.relay", kCells);
  RX_TRY(cells, readText(source, {}, file));
  std::vector<std::pair<Str, NodeRef>> types;
  for (const ir::Attrs& from : {module->types, cells.module->types})
    for (size_t i = 0; from && i < from->size(); ++i) types.emplace_back(from->keys[i], from->values[i]);
  auto entries = module->entries();
  for (auto& entry : cells.module->entries()) entries.push_back(std::move(entry));
  auto* made = new ir::IRModule(*module->with(std::move(entries)));
  made->types = make<ir::DictAttrs>(std::move(types));
  auto sources = std::make_shared<SourceList>(*module->sources);
  sources->push_back(source);
  made->sources = std::move(sources);
  return ir::Module(made);
}

bool isOfTensors(const Type& type) { return isa<TensorType>(type) || isa<TupleType>(type); }

bool holdsTensors(const Type& type) {
  bool found = false;
  if (type) walk(*type, Into::All, [&](const Node& node) { return !(found = found || isa<TensorType>(&node)); });
  return found;
}

/// Whether a value of the type can be made one of cells and back: tensors can, by themselves and in tuples.
bool canBeCells(const Type& type) {
  const auto* tuple = as<TupleType>(type);
  return tuple ? std::all_of(tuple->items.begin(), tuple->items.end(), canBeCells)
               : isa<TensorType>(type) || !holdsTensors(type);
}

/// What of a module keeps tensors where cells can not be put; null where nothing does.
std::optional<Diagnostic> tensorsWithin(const ir::Module& module) {
  auto refused = [](Span at, const Type& type) {
    return errorAt(
        at, "relay.lazy-gradient",
        fmt::format("tensors within {} can not become cells: they have to be values by themselves or in tuples",
                    typeText(type)));
  };
  for (size_t i = 0; module->types && i < module->types->size(); ++i) {
    const auto* data = as<TypeData>(module->types->values[i]);
    for (size_t c = 0; data && c < data->constructors.size(); ++c)
      for (const Type& input : data->constructors[c]->inputs)
        if (holdsTensors(input)) return refused(data->constructors[c]->span, input);
  }
  for (const auto& [name, function] : module->entries()) {
    const auto own = refAs<Function>(function);
    if (!own || !isOpen(*own)) continue;
    for (const VarRef& param : own->params)
      if (!canBeCells(param->typeAnnotation)) return refused(param->span, param->typeAnnotation);
    if (!canBeCells(own->retType)) return refused(own->span, own->retType);
  }
  return std::nullopt;
}

class CellMaker {
 public:
  explicit CellMaker(const ir::Module& module) {
    const auto* data = as<TypeData>(ir::attrOf(module->types, "GradCell"));
    cell_ = data->header;
    for (const Ref<Constructor>& constructor : data->constructors)
      constructors_[constructor->name.view()] = constructor;
    for (const auto& [name, function] : module->entries()) {
      functions_[name->name.view()] = name;
      if (const auto declared = refAs<Function>(function)) declared_[name->name.view()] = declared;
    }
  }

  FunctionRef run(const FunctionRef& function) const {
    // Constructors are those of the types that the module defines.
    const auto pre = [](const NodeRef& node) { return isa<Constructor>(node) ? node : nullptr; };
    const auto inside = refAs<Function>(
        rewriteGraph(function, pre, [&](const NodeRef& before, const NodeRef& now) { return rewritten(before, now); }));
    if (inside == function) return function;
    LetList list;
    std::vector<Expr> args;
    std::vector<VarRef> params;
    for (const VarRef& param : function->params) {
      params.push_back(make<Var>(param->name, param->typeAnnotation, param->virtualDevice));
      args.push_back(wrapped(params.back(), typeOf(param), list));
    }
    auto* own = new Function(*inside);
    own->attrs = nullptr;
    own->sinfo = nullptr;
    own->typeParams = {};  // those around it are the same
    const Expr result = list.push(make<Call>(FunctionRef(own), Array<Expr>(std::move(args))));
    auto* made = new Function(*function);
    made->params = Array<VarRef>(std::move(params));
    made->body = list.wrap(unwrapped(result, function->retType, list));
    made->sinfo = nullptr;
    return FunctionRef(made);
  }

 private:
  Expr cellOf(std::string_view constructor, const Expr& value) const {
    return make<Call>(constructors_.at(constructor), Array<Expr>{value});
  }
  Expr calledCell(std::string_view function, std::vector<Expr> args) const {
    return make<Call>(functions_.at(function), Array<Expr>(std::move(args)));
  }

  /// A value of the program as the rewritten one has it, and back.
  Expr wrapped(const Expr& value, const Type& type, LetList& list) const {
    if (isa<TensorType>(type)) return cellOf("Raw", value);
    const auto* tuple = as<TupleType>(type);
    if (!tuple) return value;
    std::vector<Expr> items;
    for (size_t i = 0; i < tuple->items.size(); ++i)
      items.push_back(wrapped(list.push(make<TupleGetItem>(value, static_cast<int64_t>(i))), tuple->items[i], list));
    return make<Tuple>(std::move(items));
  }
  Expr unwrapped(const Expr& value, const Type& type, LetList& list) const {
    if (isa<TensorType>(type)) return calledCell("FromGradCell", {value});
    const auto* tuple = as<TupleType>(type);
    if (!tuple) return value;
    std::vector<Expr> items;
    for (size_t i = 0; i < tuple->items.size(); ++i)
      items.push_back(unwrapped(list.push(make<TupleGetItem>(value, static_cast<int64_t>(i))), tuple->items[i], list));
    return make<Tuple>(std::move(items));
  }

  NodeRef rewritten(const NodeRef& before, const NodeRef& now) const {
    if (isa<TensorType>(before)) return make<TypeCall>(cell_, Array<Type>{refAs<TypeNode>(before)});
    if (const auto constant = refAs<Constant>(before)) return cellOf("Raw", constant);
    if (const auto* branch = as<If>(now)) {
      auto* asked = new If(*branch);
      asked->cond = calledCell("FromGradCell", {branch->cond});
      return Ref<If>(asked);
    }
    const auto* call = as<Call>(before);
    if (!call) return now;
    if (const auto* op = as<Op>(call->op)) return rewrittenCall(*call, *as<Call>(now), op->name.view());
    const auto* global = as<relax::GlobalVar>(call->op);
    const auto callee = global ? declared_.find(global->name.view()) : declared_.end();
    return callee == declared_.end() ? now : functionCall(*callee->second, *call, *as<Call>(now));
  }

  /// A call of an operator, which takes and gives tensors.
  Expr onTensors(const Call& before, const Call& now) const {
    std::vector<Type> params;
    for (const Expr& arg : before.args) params.push_back(typeOf(arg));
    return callOf(before, now, params, typeOf(refAs<relax::ExprNode>(NodeRef(&before))));
  }

  /// A call of a function of the module, which takes and gives tensors where it says so: what stands for any type are
  /// cells here.
  Expr functionCall(const Function& callee, const Call& before, const Call& now) const {
    std::vector<Type> params;
    bool takesCells = !isOfTensors(callee.retType);
    for (const VarRef& param : callee.params) {
      params.push_back(param->typeAnnotation);
      takesCells = takesCells && !isOfTensors(param->typeAnnotation);
    }
    return takesCells ? Expr(&now) : callOf(before, now, params, callee.retType);
  }

  Expr callOf(const Call& before, const Call& now, const std::vector<Type>& params, const Type& result) const {
    LetList list;
    std::vector<Expr> args;
    for (size_t i = 0; i < now.args.size(); ++i) {
      const Expr arg = isa<TupleType>(params[i]) ? list.push(now.args[i]) : now.args[i];
      args.push_back(unwrapped(arg, params[i], list));
    }
    const Expr value = make<Call>(before.op, Array<Expr>(std::move(args)), before.attrs);
    return list.wrap(wrapped(isa<TupleType>(result) ? list.push(value) : value, result, list));
  }

  NodeRef rewrittenCall(const Call& before, const Call& now, std::string_view op) const {
    const CellRow* row = rowOf(op);
    const bool isSum = row && !row->function.empty() && before.args.size() == 2 &&
                       structuralEqual(before.args[0]->sinfo, before.args[1]->sinfo);
    if (isSum) {
      const Type type = typeOf(before.args[0]);
      const VarRef lhs = make<Var>(Str("lhs"), type), rhs = make<Var>(Str("rhs"), type);
      const Expr plain = make<Function>(Array<VarRef>{lhs, rhs}, make<Call>(before.op, Array<Expr>{lhs, rhs}), type);
      return calledCell(row->function, {plain, now.args[0], now.args[1]});
    }
    if (!row || row->constructor.empty()) return onTensors(before, now);
    std::vector<Expr> args;
    for (const Expr& arg : now.args) args.push_back(calledCell("FromGradCell", {arg}));
    const Expr value = make<Call>(before.op, Array<Expr>(std::move(args)), before.attrs);
    return cellOf(row->constructor, make<Function>(Array<VarRef>{}, value, refAs<TypeNode>(before.sinfo)));
  }

  Ref<GlobalTypeVar> cell_;
  std::unordered_map<std::string_view, Ref<Constructor>> constructors_;
  std::unordered_map<std::string_view, relax::GlobalVarRef> functions_;
  std::unordered_map<std::string_view, FunctionRef> declared_;
};

}  // namespace

Result<ir::Module> lazyGradientInit(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  RX_TRY(typed, inferTypes(module, context.cancel));
  if (std::optional<Diagnostic> within = tensorsWithin(typed)) return fail(std::move(*within));
  RX_TRY(celled, withCells(typed));
  const CellMaker cells(celled);
  auto entries = celled->entries();
  for (auto& [name, function] : entries) {
    const auto relay = refAs<Function>(function);
    if (relay && typed->find(name.get()) && isOpen(*relay)) function = cells.run(relay);
  }
  return inferTypes(celled->with(std::move(entries)), context.cancel);
}

}  // namespace rx::relay
