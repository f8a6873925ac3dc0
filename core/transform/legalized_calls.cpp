#include "core/transform/legalized_calls.h"

#include <algorithm>

#include "core/ir/structural_equal.h"
#include "core/ir/structural_hash.h"

namespace rx::transform {

namespace {

bool onVariables(const relax::Call& call) {
  return std::all_of(call.args.begin(), call.args.end(),
                     [](const relax::Expr& arg) { return isa<relax::Var>(arg) && arg->sinfo; });
}

/// Everything that a kernel depends on, without the variables themselves.
uint64_t keyOf(const relax::Call& call) {
  uint64_t key = hashMix(structuralHash(call.op), call.args.size());
  key = hashMix(key, structuralHash(call.attrs));
  for (const relax::Expr& arg : call.args) key = hashMix(key, structuralHash(arg->sinfo));
  for (const relax::StructInfo& info : call.sinfoArgs) key = hashMix(key, structuralHash(info));
  return key;
}

bool sameInfo(const Array<relax::StructInfo>& a, const Array<relax::StructInfo>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return structuralEqual(x, y); });
}

/// Whether one kernel serves both: the same operator on StructInfo with the very same symbols, and the same arguments
/// equal among themselves.
bool alike(const relax::Call& a, const relax::Call& b) {
  if (a.op != b.op || a.args.size() != b.args.size() || !structuralEqual(a.attrs, b.attrs)) return false;
  if (!structuralEqual(a.sinfo, b.sinfo) || !sameInfo(a.sinfoArgs, b.sinfoArgs)) return false;
  auto first = [](const relax::Call& call, size_t i) {
    return std::find(call.args.begin(), call.args.end(), call.args[i]) - call.args.begin();
  };
  for (size_t i = 0; i < a.args.size(); ++i) {
    if (first(a, i) != first(b, i) || !structuralEqual(a.args[i]->sinfo, b.args[i]->sinfo)) return false;
  }
  return true;
}

}  // namespace

relax::Expr LegalizedCalls::find(const relax::Call& call) const {
  if (!onVariables(call)) return nullptr;
  for (auto [it, end] = calls_.equal_range(keyOf(call)); it != end; ++it) {
    const Known& known = it->second;
    if (!alike(*known.call, call)) continue;
    std::vector<relax::Expr> args = known.legal->args.vector(), taken;
    for (const size_t i : known.taken) taken.push_back(call.args[i]);
    args[1] = make<relax::Tuple>(std::move(taken));
    auto* made = new relax::Call(*known.legal);
    made->args = Array<relax::Expr>(std::move(args));
    made->span = call.span;
    made->origin = nullptr;
    return relax::Expr(made);
  }
  return nullptr;
}

void LegalizedCalls::add(const Ref<relax::Call>& call, const relax::Expr& legal) {
  auto made = refAs<relax::Call>(legal);
  const auto* op = made ? as<relax::Op>(made->op) : nullptr;
  if (!op || op->name.view() != "relax.call_tir" || made->args.size() < 2 || !onVariables(*call)) return;
  const auto* kernelArgs = as<relax::Tuple>(made->args[1]);
  if (!kernelArgs) return;
  std::vector<size_t> taken;
  for (const relax::Expr& arg : kernelArgs->items) {
    const auto at = std::find(call->args.begin(), call->args.end(), arg);
    if (at == call->args.end()) return;
    taken.push_back(static_cast<size_t>(at - call->args.begin()));
  }
  calls_.emplace(keyOf(*call), Known{call, std::move(made), std::move(taken)});
}

}  // namespace rx::transform
