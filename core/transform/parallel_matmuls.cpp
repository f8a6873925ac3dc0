#include "core/transform/parallel_matmuls.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/reflect.h"
#include "core/transform/calls.h"

namespace rx::transform {

namespace {

using relax::VarRef;

constexpr std::string_view kActivations[] = {"relax.nn.relu", "relax.nn.gelu", "relax.nn.gelu_tanh", "relax.nn.silu"};

int64_t rankOf(const relax::Expr& expr) {
  const auto* tensor = as<relax::TensorStructInfo>(expr->sinfo);
  return tensor ? tensor->ndim : relax::kUnknownDim;
}

/// What is bound to variables, and the variables that each value mentions.
class Bindings {
 public:
  void add(const relax::BindingNode& binding) {
    const auto* bound = as<relax::VarBinding>(&binding);
    if (!bound) return;
    values_[bound->var.get()] = bound->value;
    std::vector<VarRef>& mentioned = mentions_[bound->var.get()];
    walk(*bound->value, Into::Parts, [&](const Node& node) {
      const auto* var = as<relax::Var>(&node);
      if (!var) return !isa<tir::ExprNode>(&node);
      mentioned.emplace_back(var);
      std::vector<VarRef>& users = users_[var];
      if (users.empty()) used_.emplace_back(var);
      if (users.empty() || !(users.back() == bound->var)) users.push_back(bound->var);
      return true;
    });
  }

  Ref<relax::Call> call(const relax::Expr& expr, std::string_view op) const {
    const auto* var = as<relax::Var>(expr);
    const auto bound = var ? values_.find(var) : values_.end();
    return callOf(bound == values_.end() ? expr : bound->second, op);
  }
  /// The variable that stands at this place among those that the value mentions, or null.
  VarRef mentioned(const VarRef& var, size_t place) const {
    const auto all = mentions_.find(var.get());
    return all != mentions_.end() && place < all->second.size() ? all->second[place] : nullptr;
  }
  const std::vector<VarRef>& users(const VarRef& var) const {
    static const std::vector<VarRef> kNone;
    const auto all = users_.find(var.get());
    return all == users_.end() ? kNone : all->second;
  }
  /// From now on the variable is bound to nothing.
  void leaveOut(const relax::Var* var) { values_.erase(var); }
  /// Variables in the order of first use.
  const std::vector<VarRef>& used() const { return used_; }

 private:
  std::unordered_map<const relax::Var*, relax::Expr> values_;
  std::unordered_map<const relax::Var*, std::vector<VarRef>> mentions_, users_;
  std::vector<VarRef> used_;
};

/// Forms by left side, in the order in which these are met.
struct Forms {
  std::vector<const relax::Var*> order;
  std::unordered_map<const relax::Var*, BranchForm> byLhs;

  void add(const relax::Call& matmul, std::optional<int64_t> biasRank, std::string_view activation) {
    const auto* lhs = as<relax::Var>(matmul.args[0]);
    if (!lhs) return;
    auto [known, isNew] = byLhs.try_emplace(lhs, BranchForm{1, biasRank, activation});
    if (isNew) return order.push_back(lhs);
    BranchForm& form = known->second;
    ++form.count;
    if (!biasRank || form.biasRank != biasRank) form.biasRank = std::nullopt;
    if (form.activation != activation) form.activation = {};
  }
  void merge(Forms other) {
    for (const relax::Var* lhs : other.order) {
      if (byLhs.emplace(lhs, other.byLhs[lhs]).second) order.push_back(lhs);
    }
  }
};

/// The product that a sum adds to, and the other summand.
std::pair<Ref<relax::Call>, relax::Expr> biased(const Bindings& bindings, const relax::Expr& expr) {
  const auto sum = bindings.call(expr, "relax.add");
  for (size_t i = 0; sum && i < 2; ++i) {
    if (auto matmul = bindings.call(sum->args[i], "relax.matmul")) return {matmul, sum->args[1 - i]};
  }
  return {};
}

class FormCounter {
 public:
  FormCounter(const relax::Function& function, const CancelToken& cancel) : cancel_(cancel) {
    walk(function, Into::Parts, [&](const Node& node) {
      if (cancel_.cancelled()) return false;
      if (const auto* binding = as<relax::BindingNode>(&node)) bindings_.add(*binding);
      if (const auto* call = as<relax::Call>(&node)) calls_.emplace_back(call);
      return !isa<tir::ExprNode>(&node);
    });
  }

  std::vector<BranchForm> forms() const {
    Forms plain, withBias, withActivation, withActivationOnly;
    for (const auto& call : calls_) {
      if (cancel_.cancelled()) return {};
      if (const auto matmul = callOf(call, "relax.matmul")) plain.add(*matmul, std::nullopt, {});
      if (const auto [matmul, bias] = biased(bindings_, call); matmul) withBias.add(*matmul, rankOf(bias), {});
    }
    for (std::string_view activation : kActivations) {
      Forms sums, products;
      for (const auto& call : calls_) {
        if (cancel_.cancelled()) return {};
        const auto active = callOf(call, activation);
        if (!active) continue;
        const auto product = bindings_.call(active->args[0], "relax.matmul");
        if (const auto [matmul, bias] = biased(bindings_, active->args[0]); matmul) {
          sums.add(*matmul, rankOf(bias), activation);
        }
        if (product) products.add(*product, std::nullopt, activation);
      }
      withActivation.merge(std::move(sums));
      withActivationOnly.merge(std::move(products));
    }
    withActivation.merge(std::move(withActivationOnly));
    for (const Forms* more : {&withBias, &withActivation}) {
      for (const auto& [lhs, form] : more->byLhs) {
        const auto all = plain.byLhs.find(lhs);
        if (all != plain.byLhs.end() && all->second.count == form.count) all->second = form;
      }
    }
    std::map<int64_t, std::vector<BranchForm>, std::greater<>> byCount;
    for (const Forms* some : {&plain, &withActivation, &withBias}) {
      for (const relax::Var* lhs : some->order) {
        const BranchForm& form = some->byLhs.at(lhs);
        std::vector<BranchForm>& known = byCount[form.count];
        if (form.count > 1 && std::find(known.begin(), known.end(), form) == known.end()) known.push_back(form);
      }
    }
    std::vector<BranchForm> out;
    for (const auto& [count, forms] : byCount) out.insert(out.end(), forms.begin(), forms.end());
    return out;
  }

 private:
  const CancelToken& cancel_;
  Bindings bindings_;
  std::vector<Ref<relax::Call>> calls_;
};

/// One branch after the other behind one left side, each variable once.
class BranchFinder {
 public:
  BranchFinder(const Bindings& bindings, const BranchForm& form) : bindings_(bindings), form_(form) {}

  bool find(const VarRef& lhs) {
    taken_ = {lhs.get()};
    found = {lhs, {}};
    for (const VarRef& user : bindings_.users(lhs)) {
      if (static_cast<int64_t>(found.branches.size()) == form_.count) break;
      MatmulBranch branch;
      if (follow(lhs, user, branch)) found.branches.push_back(std::move(branch));
    }
    if (static_cast<int64_t>(found.branches.size()) != form_.count) return false;
    for (const MatmulBranch& branch : found.branches) {
      if (!branch.rhs || !taken_.insert(branch.rhs.get()).second) return false;
      if (form_.biasRank && (!branch.bias || !taken_.insert(branch.bias.get()).second)) return false;
    }
    return true;
  }

  ParallelMatmuls found;

 private:
  /// From the product on, through the bias and the activation of the form.
  bool follow(const VarRef& lhs, const VarRef& user, MatmulBranch& branch) {
    if (!isStep(user, "relax.matmul", lhs)) return false;
    branch.matmul = branch.result = user;
    branch.rhs = bindings_.mentioned(user, 1);
    std::vector<const relax::Var*> steps{user.get()};
    auto next = [&](std::string_view op) {
      for (const VarRef& var : bindings_.users(branch.result)) {
        if (!isStep(var, op, branch.result)) continue;
        branch.result = var;
        steps.push_back(var.get());
        return true;
      }
      return false;
    };
    if (form_.biasRank && !next("relax.add")) return false;
    if (form_.biasRank) branch.bias = bindings_.mentioned(branch.result, 1);
    if (!form_.activation.empty() && !next(form_.activation)) return false;
    taken_.insert(steps.begin(), steps.end());
    return true;
  }

  /// Whether the variable is bound to this operator on `first`.
  bool isStep(const VarRef& var, std::string_view op, const VarRef& first) const {
    return !taken_.contains(var.get()) && bindings_.call(var, op) && bindings_.mentioned(var, 0) == first;
  }

  const Bindings& bindings_;
  const BranchForm& form_;
  std::unordered_set<const relax::Var*> taken_;
};

}  // namespace

std::vector<BranchForm> branchForms(const relax::Function& function, const CancelToken& cancel) {
  return FormCounter(function, cancel).forms();
}

struct ParallelSearch::State {
  Bindings known;
  size_t at = 0;  ///< among the left sides; those before it have no branches of the form any more
};

ParallelSearch::ParallelSearch(const std::vector<relax::Binding>& bindings, const BranchForm& form,
                               const CancelToken& cancel)
    : form_(form), cancel_(cancel), state_(std::make_unique<State>()) {
  for (const relax::Binding& binding : bindings) {
    if (cancel_.cancelled()) return;
    state_->known.add(*binding);
  }
}

ParallelSearch::~ParallelSearch() = default;

std::optional<ParallelMatmuls> ParallelSearch::next() {
  const std::vector<VarRef>& sides = state_->known.used();
  for (; state_->at < sides.size(); ++state_->at) {
    if (cancel_.cancelled()) return std::nullopt;
    BranchFinder finder(state_->known, form_);
    if (finder.find(sides[state_->at])) return std::move(finder.found);
  }
  return std::nullopt;
}

void ParallelSearch::leaveOut(const relax::Var* var) { state_->known.leaveOut(var); }

}  // namespace rx::transform
