#include "core/debug/stage_flow.h"

#include <algorithm>

#include "core/analysis/callee.h"

namespace rx::debug {

namespace {

bool sameSites(const Array<OriginSite>& a, const Array<OriginSite>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

/// Values that are put together from what is there.
bool arranges(const relax::Expr& value) {
  return isa<relax::Var>(value) || isa<relax::Tuple>(value) || isa<relax::TupleGetItem>(value) ||
         isa<relax::ShapeExpr>(value) || isa<relax::PrimValue>(value);
}

}  // namespace

void StageFlow::describe(const relax::BindingNode& node, std::vector<StageBinding>& before, StageBinding* row) {
  const auto* plain = as<relax::VarBinding>(&node);
  const auto* cast = as<relax::MatchCast>(&node);
  const relax::Expr value = plain ? plain->value : cast ? cast->value : relax::Expr();
  Held held{row->ordinal};
  row->works = !plain || !arranges(plain->value);
  if (const auto* call = as<relax::Call>(value)) describeCall(*call, before, row, &held);
  if (const auto* tuple = as<relax::Tuple>(value)) tuples_.emplace(node.var.get(), tuple);
  const auto* item = as<relax::TupleGetItem>(value);
  // What was put into a tuple by its name comes out as another name of it.
  const relax::Expr name = item ? fieldOf(*item) : value;
  if (name && isa<relax::Var>(name)) {
    describeName(name, before, row);
  } else if (item) {
    describeItem(*item, before, row);
  }
  if (row->source >= 0 && row->items.empty()) {
    named_.emplace(node.var.get(), rootOf(name));
  } else {
    held_.emplace(node.var.get(), held);
  }
}

const Node* StageFlow::rootOf(const relax::Expr& value) const {
  const auto root = named_.find(value.get());
  return root == named_.end() ? value.get() : root->second;
}

relax::Expr StageFlow::fieldOf(const relax::TupleGetItem& item) const {
  const auto tuple = tuples_.find(rootOf(item.tuple));
  const bool within =
      tuple != tuples_.end() && item.index >= 0 && static_cast<size_t>(item.index) < tuple->second->items.size();
  return within ? tuple->second->items[static_cast<size_t>(item.index)] : nullptr;
}

StageFlow::Held* StageFlow::find(const relax::Expr& value) {
  const auto at = held_.find(rootOf(value));
  return at == held_.end() ? nullptr : &at->second;
}

void StageFlow::describeCall(const relax::Call& call, std::vector<StageBinding>& before, StageBinding* row,
                             Held* held) {
  const analysis::Called called = analysis::calledBy(call);
  held->buffer = called.role == analysis::CalleeRole::Buffer;
  row->works = called.role != analysis::CalleeRole::Buffer && called.role != analysis::CalleeRole::Machine;
  row->manages = !row->works;
  if (!row->works) return;
  for (const relax::Expr& arg : called.args) {
    Held* given = find(arg);
    if (!given) continue;
    // Nobody reads memory before it was written: the first call that takes a buffer writes it.
    if (given->firstCall < 0) {
      given->firstCall = row->ordinal;
      if (given->buffer) {
        StageBinding& room = before[static_cast<size_t>(given->ordinal)];
        room.source = row->ordinal;
        room.buffer = given->ordinal;
        ++row->outputs;
      }
    }
    given->lastCall = row->ordinal;
  }
}

void StageFlow::describeItem(const relax::TupleGetItem& item, const std::vector<StageBinding>& before,
                             StageBinding* row) {
  const Held* held = find(item.tuple);
  if (!held || held->buffer) return;
  const StageBinding& whole = before[static_cast<size_t>(held->ordinal)];
  const bool nested = whole.source >= 0 && !whole.items.empty();
  row->source = nested ? whole.source : held->ordinal;
  if (nested) row->items = whole.items;
  row->items.push_back(static_cast<int>(item.index));
}

void StageFlow::describeName(const relax::Expr& value, const std::vector<StageBinding>& before, StageBinding* row) {
  const Held* held = find(value);
  if (!held) return;
  // A call that works in place comes from the same source bindings as the name that its result gets.
  const bool inPlace = held->lastCall >= 0 && sameSites(before[static_cast<size_t>(held->lastCall)].sites, row->sites);
  row->source = inPlace ? held->lastCall : held->buffer ? held->firstCall : held->ordinal;
  const StageBinding& named = before[static_cast<size_t>(row->source)];
  if (!named.items.empty()) {
    row->items = named.items;
    row->source = named.source;
    return;
  }
  if (held->buffer) row->buffer = held->ordinal;
  row->echo = row->source >= 0 && sameSites(before[static_cast<size_t>(row->source)].sites, row->sites);
}

}  // namespace rx::debug
