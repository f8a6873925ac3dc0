#include "core/lower/reducers.h"

#include <algorithm>
#include <array>

#include "core/arith/analyzer.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::lower {

using namespace tir;

namespace {

using Values = std::vector<PrimExpr>;

/// One known reduction; x and y are as many variables as it has results.
struct Row {
  size_t count;
  Values (*combine)(const Values& x, const Values& y);
  Values (*identity)(const Values& like);
};

PrimExpr zeroOf(const PrimExpr& like) { return arith::constant(like->dtype, 0); }
PrimExpr least(const PrimExpr& like) { return arith::minValue(like->dtype); }
PrimExpr most(const PrimExpr& like) { return arith::maxValue(like->dtype); }
PrimExpr none(const PrimExpr& like) { return arith::constant(like->dtype, -1); }

/// The pair of which the second is the better one, of equal ones the first.
template <PrimExpr (*better)(PrimExpr, PrimExpr)>
Values bestPair(const Values& x, const Values& y) {
  const PrimExpr first = better(x[1], y[1]);
  return {make<Select>(first, x[0], y[0]), make<Select>(first, x[1], y[1])};
}
/// The same, of equal ones that with the smaller index.
template <PrimExpr (*better)(PrimExpr, PrimExpr)>
Values bestPairByIndex(const Values& x, const Values& y) {
  const PrimExpr first = better(x[1], y[1]);
  const PrimExpr tie = make<And>(arith::eq(x[1], y[1]), arith::lt(x[0], y[0]));
  return {make<Select>(make<Or>(first, tie), x[0], y[0]), make<Select>(first, x[1], y[1])};
}

constexpr Row kRows[] = {
    {1, [](const Values& x, const Values& y) { return Values{arith::add(x[0], y[0])}; },
     [](const Values& v) { return Values{zeroOf(v[0])}; }},
    {1, [](const Values& x, const Values& y) { return Values{arith::mul(x[0], y[0])}; },
     [](const Values& v) { return Values{arith::constant(v[0]->dtype, 1)}; }},
    {1, [](const Values& x, const Values& y) { return Values{arith::min(x[0], y[0])}; },
     [](const Values& v) { return Values{most(v[0])}; }},
    {1, [](const Values& x, const Values& y) { return Values{arith::max(x[0], y[0])}; },
     [](const Values& v) { return Values{least(v[0])}; }},
    {2,
     [](const Values& x, const Values& y) {
       return Values{arith::add(x[0], y[0]), arith::add(x[1], y[1])};
     },
     [](const Values& v) {
       return Values{zeroOf(v[0]), zeroOf(v[1])};
     }},
    {2, bestPair<arith::ge>,
     [](const Values& v) {
       return Values{none(v[0]), least(v[1])};
     }},
    {2, bestPairByIndex<arith::gt>,
     [](const Values& v) {
       return Values{none(v[0]), least(v[1])};
     }},
    {2, bestPair<arith::le>,
     [](const Values& v) {
       return Values{none(v[0]), most(v[1])};
     }},
    {2, bestPairByIndex<arith::lt>,
     [](const Values& v) {
       return Values{none(v[0]), most(v[1])};
     }},
};

/// Matches an expression with a pattern whose variables stand for anything, the same for the same.
bool matches(const PrimExpr& pattern, const PrimExpr& expr, arith::VarMap& holes) {
  std::vector<std::pair<const Node*, const Node*>> open{{pattern.get(), expr.get()}};
  std::vector<const Node*> left, right;
  while (!open.empty()) {
    const auto [p, e] = open.back();
    open.pop_back();
    if (const auto* hole = as<Var>(p)) {
      const PrimExpr value(as<ExprNode>(e));
      auto [entry, fresh] = holes.try_emplace(hole, value);
      if (!value || (!fresh && !arith::sameExpr(entry->second, value))) return false;
      continue;
    }
    if (!p || !e || p->kind() != e->kind()) return false;
    left.clear();
    right.clear();
    appendChildren(*p, Into::Parts, left);
    appendChildren(*e, Into::Parts, right);
    if (left.size() != right.size()) return false;
    for (size_t i = left.size(); i-- > 0;) open.push_back({left[i], right[i]});
  }
  return true;
}

std::vector<Stmt> statementsOf(const Stmt& body) {
  const auto* list = as<SeqStmt>(body);
  return list ? list->seq.vector() : std::vector<Stmt>{body};
}

/// The updates as stores of what bindings before them compute, in the order of the bindings.
std::optional<std::vector<Ref<BufferStore>>> updatesOf(const Stmt& body, size_t count) {
  if (auto store = refAs<BufferStore>(body)) {
    if (count != 1) return std::nullopt;
    return std::vector{store};
  }
  const std::vector<Stmt> all = statementsOf(body);
  if (all.size() != 2 * count) return std::nullopt;
  std::vector<Ref<BufferStore>> updates(count);
  for (size_t i = count; i < all.size(); ++i) {
    const auto* store = as<BufferStore>(all[i]);
    size_t from = 0;
    while (store && from < count && (!as<Bind>(all[from]) || as<Bind>(all[from])->var != store->value)) ++from;
    if (!store || from == count || updates[from]) return std::nullopt;
    updates[from] = make<BufferStore>(store->buffer, as<Bind>(all[from])->value, store->indices);
  }
  return updates;
}

/// The values of the init in the order of the updates.
std::optional<Values> identitiesOf(const Stmt& init, const std::vector<Ref<BufferStore>>& updates) {
  const std::vector<Stmt> all = statementsOf(init);
  if (all.size() != updates.size()) return std::nullopt;
  Values values(updates.size());
  for (const Stmt& statement : all) {
    const auto* store = as<BufferStore>(statement);
    if (!store) return std::nullopt;
    const auto update =
        std::find_if(updates.begin(), updates.end(), [&](const auto& u) { return u->buffer == store->buffer; });
    if (update == updates.end() || !arith::sameExprs(store->indices, (*update)->indices)) return std::nullopt;
    PrimExpr& value = values[static_cast<size_t>(update - updates.begin())];
    if (value) return std::nullopt;
    value = store->value;
  }
  return values;
}

bool samePlaces(const std::vector<Ref<BufferStore>>& updates) {
  arith::Analyzer analyzer;
  return std::all_of(updates.begin(), updates.end(), [&](const Ref<BufferStore>& update) {
    if (update->indices.size() != updates[0]->indices.size()) return false;
    for (size_t d = 0; d < update->indices.size(); ++d) {
      if (!analyzer.canProveEqual(update->indices[d], updates[0]->indices[d]) ||
          !analyzer.canProveEqual(update->buffer->shape[d], updates[0]->buffer->shape[d])) {
        return false;
      }
    }
    return true;
  });
}

std::optional<BlockReduction> matched(const Row& row, const Values& identities,
                                      const std::vector<Ref<BufferStore>>& updates) {
  if (row.count != updates.size() || !arith::sameExprs(row.identity(identities), identities)) return std::nullopt;
  std::vector<VarRef> x, y;
  for (size_t i = 0; i < row.count; ++i) {
    x.push_back(make<Var>(Str("x" + std::to_string(i)), identities[i]->dtype));
    y.push_back(make<Var>(Str("y" + std::to_string(i)), identities[i]->dtype));
  }
  const Values results = row.combine(Values(x.begin(), x.end()), Values(y.begin(), y.end()));
  arith::VarMap holes;
  BlockReduction found;
  for (size_t i = 0; i < row.count; ++i) {
    if (!matches(results[i], updates[i]->value, holes)) return std::nullopt;
  }
  for (size_t i = 0; i < row.count; ++i) {
    const auto* load = as<BufferLoad>(holes[x[i].get()]);
    if (!load || load->buffer != updates[i]->buffer || !arith::sameExprs(load->indices, updates[i]->indices)) {
      return std::nullopt;
    }
    found.operands.push_back(holes[y[i].get()]);
  }
  found.updates = updates;
  found.reducer = make<CommReducer>(Array<VarRef>(std::move(x)), Array<VarRef>(std::move(y)), Array<PrimExpr>(results),
                                    Array<PrimExpr>(identities));
  return found;
}

}  // namespace

std::optional<BlockReduction> reductionOf(const Block& block) {
  if (!block.init) return std::nullopt;
  const auto updates = updatesOf(block.body, statementsOf(block.init).size());
  const auto identities = updates ? identitiesOf(block.init, *updates) : std::nullopt;
  if (!identities || !samePlaces(*updates)) return std::nullopt;
  for (const Row& row : kRows) {
    if (auto found = matched(row, *identities, *updates)) return found;
  }
  return std::nullopt;
}

std::vector<PrimExpr> combined(const CommReducer& reducer, const std::vector<PrimExpr>& left,
                               const std::vector<PrimExpr>& right) {
  arith::VarMap map;
  for (size_t i = 0; i < left.size(); ++i) {
    map[reducer.lhs[i].get()] = left[i];
    map[reducer.rhs[i].get()] = right[i];
  }
  std::vector<PrimExpr> results;
  for (const PrimExpr& result : reducer.result) results.push_back(arith::substitute(result, map));
  return results;
}

}  // namespace rx::lower
