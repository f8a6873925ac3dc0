#include "core/analysis/mixed_precision.h"

#include <algorithm>
#include <unordered_map>

#include "core/analysis/nested_layout.h"
#include "core/ir/reflect.h"
#include "core/support/stack.h"

namespace rx::analysis {

namespace {

constexpr PrecisionRow kRows[] = {
#define RX_ELEMENTWISE(op, layout, precision) {"relax." op, Precision::precision},
#include "core/analysis/elementwise.def"
#define RX_PRECISION(op, precision) {"relax." op, Precision::precision},
#include "core/analysis/mixed_precision.def"
};

constexpr DataType kHalf = DataType::Float(16);
constexpr DataType kSingle = DataType::Float(32);

NestedType merged(const NestedType& a, const NestedType& b) {
  if (a.isTuple && b.isTuple && a.items.size() == b.items.size()) {
    std::vector<NestedType> items;
    for (size_t i = 0; i < a.items.size(); ++i) {
      items.push_back(withStack([&] { return merged(a.items[i], b.items[i]); }));
    }
    return NestedType::tuple(std::move(items));
  }
  if (a.type.isVoid() || b.type.isVoid()) return a.type.isVoid() ? b : a;
  return a.type.bits > b.type.bits ? a : b;
}

/// Walks a function from its end: uses come before definitions.
class NeedCollector {
 public:
  std::unordered_map<const relax::Var*, NestedType> run(const relax::Function& function) {
    visitSeq(*function.body);
    return std::move(needed_);
  }

 private:
  void visitSeq(const relax::SeqExpr& seq) {
    needVars(seq.body);
    for (size_t i = seq.blocks.size(); i-- > 0;) {
      const relax::BindingBlock& block = *seq.blocks[i];
      // What is outside a dataflow block is not rewritten, and takes from blocks only what keeps its type anyway.
      for (size_t j = block.isDataflow() ? block.bindings.size() : 0; j-- > 0;) visitBinding(*block.bindings[j]);
    }
  }

  void visitBinding(const relax::BindingNode& binding) {
    const auto* plain = as<relax::VarBinding>(&binding);
    if (!plain) return needVars(as<relax::MatchCast>(&binding)->value);
    if (const auto* tuple = as<relax::Tuple>(plain->value)) {
      const NestedType types = typesFor(*plain->var);
      for (size_t i = 0; i < tuple->items.size() && i < types.items.size(); ++i) need(tuple->items[i], types.items[i]);
      return;
    }
    if (const auto* item = as<relax::TupleGetItem>(plain->value)) {
      NestedType types = typesOf(item->tuple->sinfo, DataType::Void());
      const auto index = static_cast<size_t>(item->index);
      if (index < types.items.size()) types.items[index] = typesFor(*plain->var);
      return need(item->tuple, types);
    }
    const auto* call = as<relax::Call>(plain->value);
    const auto precision = call ? precisionOf(*call) : std::nullopt;
    if (!precision) return needVars(plain->value);
    for (const relax::Expr& arg : call->args) {
      if (!isNestedTensor(arg->sinfo)) continue;
      need(arg, typesOf(arg->sinfo, *precision == Precision::Always ? kHalf : kSingle));
    }
  }

  /// Everything that an expression uses, as it is.
  void needVars(const relax::Expr& value) {
    walk(*value, Into::Parts, [&](const Node& node) {
      const auto* var = as<relax::Var>(&node);
      if (var && isNestedTensor(var->sinfo)) update(var, typesOf(var->sinfo, kSingle));
      return !isa<tir::ExprNode>(&node);
    });
  }
  void need(const relax::Expr& expr, const NestedType& types) {
    const auto* tuple = as<relax::Tuple>(expr);
    for (size_t i = 0; tuple && i < tuple->items.size() && i < types.items.size(); ++i) {
      withStack([&] { need(tuple->items[i], types.items[i]); });
    }
    if (const auto* var = as<relax::Var>(expr)) update(var, types);
  }
  void update(const relax::Var* var, const NestedType& types) {
    auto [known, fresh] = needed_.try_emplace(var, types);
    if (!fresh) known->second = merged(known->second, types);
  }
  const NestedType& typesFor(const relax::Var& var) {
    return needed_.try_emplace(&var, typesOf(var.sinfo, DataType::Void())).first->second;
  }

  std::unordered_map<const relax::Var*, NestedType> needed_;
};

}  // namespace

std::span<const PrecisionRow> allPrecisionRows() { return kRows; }

namespace {
const Precision* listedFor(std::string_view op) {
  static const std::unordered_map<std::string_view, Precision> rows = [] {
    std::unordered_map<std::string_view, Precision> byName;
    for (const PrecisionRow& row : kRows) byName.emplace(row.op, row.precision);
    return byName;
  }();
  auto row = rows.find(op);
  return row == rows.end() ? nullptr : &row->second;
}
}  // namespace

std::optional<Precision> precisionOf(const relax::Call& call) {
  const auto* op = as<relax::Op>(call.op);
  if (!op) return std::nullopt;
  const Precision* listed = listedFor(op->name.view());
  return listed ? *listed : Precision::Never;
}

bool isListed(const relax::Call& call) {
  const auto* op = as<relax::Op>(call.op);
  return op && listedFor(op->name.view());
}

NestedType NestedType::tuple(std::vector<NestedType> fields) {
  NestedType types;
  types.items = std::move(fields);
  types.isTuple = true;
  return types;
}

NestedType typesOf(const relax::StructInfo& info, std::optional<DataType> all) {
  NestedType types;
  if (const auto* tuple = as<relax::TupleStructInfo>(info)) {
    std::vector<NestedType> items;
    for (const relax::StructInfo& item : tuple->items) items.push_back(withStack([&] { return typesOf(item, all); }));
    return NestedType::tuple(std::move(items));
  }
  if (const auto* tensor = as<relax::TensorStructInfo>(info)) types.type = all.value_or(tensor->dtype);
  return types;
}

std::unordered_map<const relax::Var*, NestedType> neededTypes(const relax::Function& function) {
  return NeedCollector().run(function);
}

}  // namespace rx::analysis
