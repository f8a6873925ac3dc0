#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/structural_equal.h"
#include "core/ir/structural_hash.h"
#include "core/relay/op_table.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// One node, or two constants of one number.
bool sameValue(const Expr& a, const Expr& b) {
  if (a == b) return true;
  const auto *x = as<Constant>(a), *y = as<Constant>(b);
  return x && y && x->data && y->data && x->data->rank() == 0 && x->data->identical(*y->data);
}

bool sameValues(const Array<Expr>& a, const Array<Expr>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), sameValue);
}

/// Alike for what is the same value.
uint64_t hashOfValue(const Expr& value) {
  const auto* constant = as<Constant>(value);
  if (!constant || !constant->data || constant->data->rank() != 0) return std::hash<const Node*>()(value.get());
  return hashBytes(0, constant->data->data(), static_cast<size_t>(constant->data->bytes()));
}

/// The same, where tuples of the same values are the same too.
bool sameArgument(const Expr& a, const Expr& b) {
  const auto *x = as<Tuple>(a), *y = as<Tuple>(b);
  return sameValue(a, b) || (x && y && sameValues(x->items, y->items));
}

/// Alike for what is the same argument.
uint64_t hashOfArgument(const Expr& arg) {
  uint64_t hash = 0;
  if (const auto* tuple = as<Tuple>(arg)) {
    for (const Expr& item : tuple->items) hash = hashMix(hash, hashOfValue(item));
    return hash;
  }
  return hashOfValue(arg);
}

/// What was computed, and may be computed again.
class Computed {
 public:
  explicit Computed(std::unordered_set<std::string> skipped) : skipped_(std::move(skipped)) {}

  NodeRef first(const NodeRef& node) {
    if (const auto item = refAs<TupleGetItem>(node)) {
      uint64_t hash = hashOfValue(item->tuple);
      hash = hashMix(hash, static_cast<uint64_t>(item->index));
      return firstOf(hash, item, [&](const Expr& known) {
        const auto* other = as<TupleGetItem>(known);
        return other && other->tuple == item->tuple && other->index == item->index;
      });
    }
    const auto call = refAs<Call>(node);
    const OpRow* row = calledOperator(call);
    if (!row || call->args.empty() || row->stateful || skipped_.contains(std::string(row->name))) return node;
    uint64_t hash = hashOfValue(call->op);
    for (const Expr& arg : call->args) hash = hashMix(hash, hashOfArgument(arg));
    hash = hashMix(hash, structuralHash(call->attrs));
    return firstOf(hash, call, [&](const Expr& known) {
      const auto* other = as<Call>(known);
      return other && other->op == call->op && other->args.size() == call->args.size() &&
             std::equal(call->args.begin(), call->args.end(), other->args.begin(), sameArgument) &&
             structuralEqual(call->attrs, other->attrs);
    });
  }

 private:
  template <class Same>
  Expr firstOf(uint64_t hash, const Expr& expr, Same&& same) {
    std::vector<Expr>& alike = known_[hash];
    const auto hit = std::find_if(alike.begin(), alike.end(), same);
    if (hit != alike.end()) return *hit;
    alike.push_back(expr);
    return expr;
  }

  std::unordered_set<std::string> skipped_;
  std::unordered_map<uint64_t, std::vector<Expr>> known_;
};

std::unordered_set<std::string> skippedNames(const ir::Attrs& given) {
  std::unordered_set<std::string> out;
  const NodeRef value = ir::attrOf(given, "fskip");
  if (const auto* name = as<ir::StrAttr>(value)) out.insert(name->value.string());
  const auto* list = as<ir::ArrayAttr>(value);
  for (size_t i = 0; list && i < list->items.size(); ++i) {
    if (const auto* name = as<ir::StrAttr>(list->items[i])) out.insert(name->value.string());
  }
  return out;
}

}  // namespace

Result<ir::Module> eliminateCommonSubexpr(const ir::Module& module, const ir::Attrs& given,
                                          pass::PassContext& context) {
  return onTypedFunctions(module, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
    Computed computed(skippedNames(given));
    return refAs<Function>(rewriteGraph(
        function, nullptr, [&](const NodeRef&, const NodeRef& rebuilt) { return computed.first(rebuilt); }));
  });
}

}  // namespace rx::relay
