// Products with one left side: branches that can be computed as one.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/ir/relax.h"

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
/// left side are followed alike, their form holds what follows, too.
std::vector<BranchForm> branchForms(const relax::Function& function);

/// The first left side among these bindings, in the order of use, with branches of the form; nothing where the first
/// ones of a left side share a variable. Each branch belongs to it alone.
std::optional<ParallelMatmuls> findParallel(const std::vector<relax::Binding>& bindings, const BranchForm& form);

}  // namespace rx::transform
