#include "core/analysis/pattern_matcher.h"

#include "core/ir/structural_equal.h"
#include "core/op/op_table.h"
#include "core/op/rules.h"
#include "core/support/stack.h"

namespace rx::analysis {

namespace {

using relax::Expr;

bool sameDims(const std::vector<int64_t>& dims, const Array<tir::PrimExpr>& values) {
  if (dims.size() != values.size()) return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (tir::asInt(values[i]) != dims[i]) return false;
  }
  return true;
}

bool hasShape(const std::vector<int64_t>& dims, const Expr& expr) {
  const Array<tir::PrimExpr>* known = op::dimsOf(expr->sinfo);
  return known && sameDims(dims, *known);
}

bool hasType(DataType dtype, const Expr& expr) {
  const auto* tensor = as<relax::TensorStructInfo>(expr->sinfo);
  return tensor && tensor->dtype == dtype;
}

/// The attribute of a call, its default where it was left out, or of a function.
NodeRef attributeOf(const Expr& expr, std::string_view name) {
  if (const auto* function = as<relax::Function>(expr)) return ir::attrOf(function->attrs, name);
  const auto* call = as<relax::Call>(expr);
  if (!call) return nullptr;
  if (NodeRef given = ir::attrOf(call->attrs, name)) return given;
  const op::OpRow* row = op::rowOf(*call);
  const int index = row ? row->paramIndex(name) : -1;
  return index < 0 ? nullptr : row->params[static_cast<size_t>(index)].fallback;
}

bool hasAttrs(const ir::Attrs& wanted, const Expr& expr) {
  if (!isa<relax::Call>(expr) && !isa<relax::Function>(expr)) return false;
  for (size_t i = 0; i < wanted->size(); ++i) {
    const NodeRef value = attributeOf(expr, wanted->keys[i].view());
    if (!value || !structuralEqual(wanted->values[i], value)) return false;
  }
  return true;
}

bool isCommutative(const relax::Call& call) {
  const auto* op = as<relax::Op>(call.op);
  return op && (op->name == "relax.add" || op->name == "relax.multiply");
}

}  // namespace

bool PatternMatcher::match(PatternId pattern, const Expr& expr) {
  forgetFrom(0);
  return visit(pattern, expr);
}

Expr PatternMatcher::unwrapped(Expr expr) const {
  while (true) {
    const auto* var = as<relax::Var>(expr);
    const auto bound = var ? values_.find(var) : values_.end();
    const auto* seq = as<relax::SeqExpr>(expr);
    if (bound != values_.end()) {
      expr = bound->second;
    } else if (seq && seq->blocks.empty()) {
      expr = seq->body;
    } else {
      return expr;
    }
  }
}

void PatternMatcher::forgetFrom(size_t mark) {
  for (size_t i = mark; i < order_.size(); ++i) matched_[order_[i]] = nullptr;
  order_.resize(mark);
}

bool PatternMatcher::visit(PatternId id, const Expr& bound) {
  const Expr expr = unwrapped(bound);
  if (matched_[id]) return matched_[id] == expr;
  const size_t mark = order_.size();
  if (!withStack([&] { return visitNode(pattern_.nodes[id], expr); })) {
    forgetFrom(mark);
    return false;
  }
  matched_[id] = expr;
  order_.push_back(id);
  return true;
}

bool PatternMatcher::visitNode(const PatternNode& node, const Expr& expr) {
  auto named = [&](const auto* found) { return found && (node.name.view().empty() || found->name == node.name); };
  switch (node.kind) {
    case PatternKind::Op:
      return isa<relax::Op>(expr) && as<relax::Op>(expr)->name == node.name;
    case PatternKind::Var:
      return named(as<relax::Var>(expr));
    case PatternKind::DataflowVar:
      return isa<relax::DataflowVar>(expr) && named(as<relax::Var>(expr));
    case PatternKind::GlobalVar: {
      const auto* var = as<relax::GlobalVar>(expr);
      return var && var->name.view().find(node.name.view()) != std::string_view::npos;
    }
    case PatternKind::ExternFunc: {
      const auto* function = as<relax::ExternFunc>(expr);
      return function && (node.name.view().empty() || function->globalSymbol == node.name);
    }
    case PatternKind::Constant:
      return isa<relax::Constant>(expr);
    case PatternKind::Wildcard:
      return true;
    case PatternKind::ShapeValue:
      return isa<relax::ShapeExpr>(expr) && sameDims(node.dims, as<relax::ShapeExpr>(expr)->values);
    case PatternKind::Call:
      return matchCall(node, expr);
    case PatternKind::Tuple:
    case PatternKind::UnorderedTuple:
      return matchFields(node, expr);
    case PatternKind::Field: {
      const auto* field = as<relax::TupleGetItem>(expr);
      return field && (node.index == -1 || node.index == field->index) && visit(node.parts[0], field->tuple);
    }
    case PatternKind::Or:
      return visit(node.parts[0], expr) || visit(node.parts[1], expr);
    case PatternKind::And:
      return visit(node.parts[0], expr) && visit(node.parts[1], expr);
    case PatternKind::Not:
      return !visit(node.parts[0], expr);
    case PatternKind::Attrs:
      return visit(node.parts[0], expr) && hasAttrs(node.attrs, expr);
    case PatternKind::Type:
      return hasType(node.dtype, expr) && visit(node.parts[0], expr);
    case PatternKind::Shape:
      return hasShape(node.dims, expr) && visit(node.parts[0], expr);
  }
  return false;
}

bool PatternMatcher::matchCall(const PatternNode& node, const Expr& expr) {
  const auto* call = as<relax::Call>(expr);
  if (!call || !visit(node.parts[0], call->op)) return false;
  const size_t wanted = node.parts.size() - 1;
  if (call->args.size() < wanted || (!node.moreArgs && call->args.size() != wanted)) return false;
  return matchArguments(node, call->args, false) || (isCommutative(*call) && matchArguments(node, call->args, true));
}

bool PatternMatcher::matchArguments(const PatternNode& node, const Array<Expr>& args, bool reversed) {
  const size_t mark = order_.size();
  for (size_t i = 1; i < node.parts.size(); ++i) {
    if (visit(node.parts[i], args[reversed ? args.size() - i : i - 1])) continue;
    forgetFrom(mark);
    return false;
  }
  return true;
}

bool PatternMatcher::matchFields(const PatternNode& node, const Expr& expr) {
  const auto* tuple = as<relax::Tuple>(expr);
  if (!tuple || tuple->items.size() != node.parts.size()) return false;
  if (node.kind == PatternKind::UnorderedTuple) {
    std::vector<bool> taken(node.parts.size());
    return matchUnordered(node, tuple->items, 0, taken);
  }
  for (size_t i = 0; i < node.parts.size(); ++i) {
    if (!visit(node.parts[i], tuple->items[i])) return false;
  }
  return true;
}

bool PatternMatcher::matchUnordered(const PatternNode& node, const Array<Expr>& fields, size_t part,
                                    std::vector<bool>& taken) {
  if (part == node.parts.size()) return true;
  for (size_t i = 0; i < fields.size(); ++i) {
    const size_t mark = order_.size();
    if (taken[i] || !visit(node.parts[part], fields[i])) continue;
    taken[i] = true;
    if (withStack([&] { return matchUnordered(node, fields, part + 1, taken); })) return true;
    taken[i] = false;
    forgetFrom(mark);
  }
  return false;
}

}  // namespace rx::analysis
