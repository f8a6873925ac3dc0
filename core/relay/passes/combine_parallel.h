// Calls of one operator on the same data, made one call: what the CombineParallel passes share.
#pragma once

#include <string_view>
#include <vector>

#include "core/relay/emit.h"
#include "core/relay/passes/pass_functions.h"

namespace rx::relay {

/// A call of the operator and the element-wise calls that follow it, each the only use of the one before.
using Branch = std::vector<Ref<Call>>;

/// How calls of an operator become one.
class ParallelRule {
 public:
  virtual ~ParallelRule() = default;
  virtual std::string_view op() const = 0;
  virtual bool isSupported(const Call&) const { return true; }
  virtual bool canCombine(const Call& a, const Call& b) const = 0;
  /// One call in the place of the first ones of all branches.
  virtual Expr combined(const std::vector<Branch>& branches) = 0;
  /// Whether argument `i` of two calls that follow can be joined.
  virtual bool areCompatible(const Call& a, const Call& b, size_t i) const = 0;
  /// The arguments `i` of the calls at `depth`, joined.
  virtual Expr joined(const std::vector<Branch>& branches, size_t depth, size_t parent, size_t i) = 0;
  /// What stands for the last of the combined calls of each branch.
  virtual std::vector<Expr> parts(const Expr& data, const std::vector<Branch>& branches, size_t depth) = 0;
};

/// Combines the parallel calls of each function where at least `min_num_branches` can be.
Result<ir::Module> combineParallel(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context,
                                   ParallelRule& rule);

/// Tensors of one type, or of shapes that differ in one dimension alone.
bool sameTensors(const Expr& a, const Expr& b);
Expr concatenated(std::vector<Expr> items, int64_t axis);
Expr stacked(std::vector<Expr> items);
/// `sizes` elements from `begin` along one axis, all of the others: strided_slice by sizes.
Expr sliceAt(const Expr& data, size_t rank, size_t axis, int64_t begin, int64_t size);

}  // namespace rx::relay
