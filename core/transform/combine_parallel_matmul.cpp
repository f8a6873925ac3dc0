// CombineParallelMatmul: products of one tensor with several weights become one product with the weights joined, which
// is split again; a bias and an activation that all of them have are applied to the whole.
#include <algorithm>

#include "core/arith/analyzer.h"
#include "core/build/mutator.h"
#include "core/ir/reflect.h"
#include "core/op/rules.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/parallel_matmuls.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Expr;
using relax::VarRef;
using tir::PrimExpr;
using Replacements = std::unordered_map<const relax::Var*, Expr>;

int64_t rankOf(const VarRef& var) { return as<relax::TensorStructInfo>(var->sinfo)->ndim; }
PrimExpr width(const MatmulBranch& branch) { return op::dimsOf(branch.rhs->sinfo)->vector().back(); }

Expr joined(const std::vector<Expr>& tensors, int64_t axis) {
  return op::makeCall("relax.concat", {make<relax::Tuple>(Array<Expr>(tensors))}, {{"axis", ir::intAttr(axis)}});
}

/// The branches that make one product: with batch sizes alike, in their order, the only one of unknown width last.
/// Fewer than two where there is nothing to combine.
std::vector<MatmulBranch> combinable(std::vector<MatmulBranch> branches) {
  arith::Analyzer analyzer;
  const Array<PrimExpr>& first = *op::dimsOf(branches[0].rhs->sinfo);
  for (const MatmulBranch& branch : branches) {
    for (size_t i = 0; i + 2 < first.size(); ++i) {
      if (!analyzer.canProveEqual(first[i], (*op::dimsOf(branch.rhs->sinfo))[i])) return {};
    }
  }
  std::vector<MatmulBranch> out, unknown;
  for (MatmulBranch& branch : branches) {
    (isa<tir::IntImm>(width(branch)) ? out : unknown).push_back(std::move(branch));
  }
  if (!unknown.empty()) out.push_back(std::move(unknown.front()));
  return out;
}

void combine(const VarRef& lhs, const std::vector<MatmulBranch>& branches, const BranchForm& form, DataType dtype,
             Replacements& out) {
  std::vector<Expr> weights, biases;
  std::vector<int64_t> ends;
  for (const MatmulBranch& branch : branches) {
    weights.push_back(branch.rhs);
    if (branch.bias) biases.push_back(branch.bias);
    const auto* size = as<tir::IntImm>(width(branch));
    if (size) ends.push_back((ends.empty() ? 0 : ends.back()) + size->value);
  }
  ends.resize(branches.size() - 1);
  const int64_t rank = rankOf(branches[0].rhs);
  Expr whole = op::makeCall("relax.matmul", {lhs, joined(weights, rank - 1)}, {{"out_dtype", ir::typeAttr(dtype)}});
  if (!biases.empty()) whole = op::makeCall("relax.add", {whole, joined(biases, rankOf(branches[0].bias) - 1)});
  if (!form.activation.empty()) whole = op::makeCall(form.activation, {whole});
  const Expr parts = op::makeCall(
      "relax.split", {whole},
      {{"indices_or_sections", ir::intArrayAttr(ends)}, {"axis", ir::intAttr(std::max(rankOf(lhs), rank) - 1)}});
  for (size_t i = 0; i < branches.size(); ++i) {
    out[branches[i].result.get()] = make<relax::TupleGetItem>(parts, static_cast<int64_t>(i));
  }
}

Replacements replacementsFor(const ParallelMatmuls& found, const BranchForm& form) {
  std::vector<std::pair<size_t, std::vector<MatmulBranch>>> byRank;
  for (const MatmulBranch& branch : found.branches) {
    const Array<PrimExpr>* shape = op::dimsOf(branch.rhs->sinfo);
    if (!shape || shape->empty()) return {};
    auto group = std::find_if(byRank.begin(), byRank.end(), [&](const auto& g) { return g.first == shape->size(); });
    if (group == byRank.end()) group = byRank.insert(group, {shape->size(), {}});
    group->second.push_back(branch);
  }
  Replacements out;
  for (const auto& [rank, branches] : byRank) {
    if (branches.size() < 2) continue;
    const DataType dtype = as<relax::TensorStructInfo>(branches[0].matmul->sinfo)->dtype;
    const std::vector<MatmulBranch> chosen = combinable(branches);
    if (chosen.size() > 1) combine(found.lhs, chosen, form, dtype, out);
  }
  return out;
}

/// Each binding after those that it needs, else as they stand.
std::vector<relax::Binding> sorted(const std::vector<relax::Binding>& bindings) {
  std::unordered_map<const relax::Var*, size_t> position;
  for (size_t i = 0; i < bindings.size(); ++i) position[bindings[i]->var.get()] = i;
  std::vector<size_t> missing(bindings.size());
  std::vector<std::vector<size_t>> waiting(bindings.size());
  for (size_t i = 0; i < bindings.size(); ++i) {
    std::unordered_set<size_t> needs;
    walk(*bindings[i], Into::Parts, [&](const Node& node) {
      const auto* var = as<relax::Var>(&node);
      const auto known = var ? position.find(var) : position.end();
      if (known != position.end() && known->second != i) needs.insert(known->second);
      return !isa<tir::ExprNode>(&node);
    });
    missing[i] = needs.size();
    for (size_t need : needs) waiting[need].push_back(i);
  }
  std::vector<relax::Binding> out;
  std::vector<bool> reached(bindings.size()), done(bindings.size());
  for (size_t i = 0; i < bindings.size(); ++i) {
    reached[i] = true;
    std::vector<size_t> open{i};
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      if (missing[at] != 0 || done[at] || !reached[at]) continue;
      done[at] = true;
      out.push_back(bindings[at]);
      for (size_t user : waiting[at]) --missing[user];
      open.insert(open.end(), waiting[at].rbegin(), waiting[at].rend());
    }
  }
  return out;
}

class MatmulCombiner : public build::Mutator {
 public:
  MatmulCombiner(build::ModuleContext& module, const BranchForm& form)
      : Mutator("CombineParallelMatmul", &module), form_(form), cancel_(module.cancel()) {}

 protected:
  void visitBlock(const relax::BlockRef& block) override {
    if (!block->isDataflow()) return Mutator::visitBlock(block);
    Replacements all;
    ParallelSearch search(block->bindings.vector(), form_, cancel_);
    while (const auto found = search.next()) {
      Replacements some = replacementsFor(*found, form_);
      if (some.empty()) break;
      for (const auto& [var, value] : some) search.leaveOut(var);
      all.merge(std::move(some));
    }
    if (all.empty()) return Mutator::visitBlock(block);
    std::vector<relax::Binding> bindings;
    for (const relax::Binding& binding : block->bindings) {
      const auto value = all.find(binding->var.get());
      if (value == all.end()) {
        bindings.push_back(binding);
        continue;
      }
      auto* made = new relax::VarBinding(binding->var, value->second);
      made->span = binding->span;
      made->origin = binding->origin;
      bindings.emplace_back(made);
    }
    builder.beginDataflow();
    for (const relax::Binding& binding : sorted(bindings)) visitBinding(binding);
    builder.endDataflow();
  }

 private:
  const BranchForm& form_;
  const CancelToken& cancel_;
};

}  // namespace

Result<ir::Module> combineParallelMatmul(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return rewriteFunctions(
      module, context,
      [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) -> Result<relax::FunctionRef> {
        relax::FunctionRef now = function;
        for (const BranchForm& form : branchForms(*function, context.cancel)) {
          if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
          while (true) {
            RX_TRY(combined, MatmulCombiner(moduleContext, form).rewrite(now));
            if (combined == now) break;
            RX_TRY(clean, withoutRemnants(combined, moduleContext, module.get()));
            now = clean;
          }
        }
        return now;
      });
}

}  // namespace rx::transform
