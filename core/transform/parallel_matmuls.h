// Products with one left side: branches that can be computed as one.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/ir/relax.h"
#include "core/support/cancel.h"

namespace rx::transform {

/// What several branches have in common: how many there are, the rank of the bias that each adds (nothing where one
/// adds none or they differ), and the activation behind it (empty where they differ).
struct BranchForm {
  int64_t count = 0;
  std::optional<int64_t> biasRank;
  std::string_view activation;
  bool operator==(const BranchForm&) const = default;
};

/// One product, and where its result leaves the branch.
struct MatmulBranch {
  relax::VarRef rhs, bias;  ///< bias is null where there is none
  relax::VarRef matmul, result;
};

struct ParallelMatmuls {
  relax::VarRef lhs;
  std::vector<MatmulBranch> branches;
};

/// The forms that occur more than once behind one left side, those with more branches first. Where all products of a
/// left side are followed alike, their form holds what follows, too. Some of them where it is cancelled.
std::vector<BranchForm> branchForms(const relax::Function& function, const CancelToken& cancel);

/// Finds left sides among the bindings of a block, in the order of use, with branches of a form. Each branch belongs to
/// its left side alone.
class ParallelSearch {
 public:
  ParallelSearch(const std::vector<relax::Binding>& bindings, const BranchForm& form, const CancelToken& cancel);
  ~ParallelSearch();

  /// The first left side that has such branches among the bindings that are not left out; one is passed over where its
  /// first branches share a variable. Nothing once there is none, or the search is cancelled.
  std::optional<ParallelMatmuls> next();
  /// From now on the binding of the variable counts no more.
  void leaveOut(const relax::Var* var);

 private:
  struct State;
  const BranchForm& form_;
  const CancelToken& cancel_;
  std::unique_ptr<State> state_;
};

}  // namespace rx::transform
