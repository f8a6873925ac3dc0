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
  if (value && isa<relax::Var>(value)) describeName(value, before, row);
  if (row->source >= 0) {
    const auto root = named_.find(value.get());
    named_.emplace(node.var.get(), root == named_.end() ? value.get() : root->second);
  } else {
    held_.emplace(node.var.get(), held);
  }
}

StageFlow::Held* StageFlow::find(const relax::Expr& value) {
  const auto root = named_.find(value.get());
  const auto at = held_.find(root == named_.end() ? value.get() : root->second);
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

void StageFlow::describeName(const relax::Expr& value, const std::vector<StageBinding>& before, StageBinding* row) {
  const Held* held = find(value);
  if (!held) return;
  // A call that works in place comes from the same source bindings as the name that its result gets.
  const bool inPlace = held->lastCall >= 0 && sameSites(before[static_cast<size_t>(held->lastCall)].sites, row->sites);
  row->source = inPlace ? held->lastCall : held->buffer ? held->firstCall : held->ordinal;
  if (held->buffer) row->buffer = held->ordinal;
  row->echo = row->source >= 0 && sameSites(before[static_cast<size_t>(row->source)].sites, row->sites);
}

}  // namespace rx::debug
