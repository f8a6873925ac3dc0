#include "core/relay/passes/combine_parallel.h"

#include <algorithm>
#include <unordered_map>

#include "core/ir/structural_equal.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

class Combiner {
 public:
  explicit Combiner(ParallelRule& rule) : rule_(rule) {}

  FunctionRef run(const FunctionRef& function, size_t least) {
    for (const Expr& expr : postOrder(function)) {
      const auto call = refAs<Call>(expr);
      if (!call) continue;
      const bool isRoot = isCallOf(call, rule_.op()) && rule_.isSupported(*call);
      if (isRoot && !uses_.contains(call->args[0].get())) roots_.push_back(call->args[0]);
      if (isRoot && std::find(roots_.begin(), roots_.end(), call->args[0]) == roots_.end()) {
        roots_.push_back(call->args[0]);
      }
      for (size_t i = 0; i < (isRoot ? 1 : call->args.size()); ++i) uses_[call->args[i].get()].push_back(call);
    }
    for (const Expr& root : roots_) {
      for (const std::vector<Branch>& group : groupsOf(root)) {
        if (group.size() >= least) combine(group);
      }
    }
    return refAs<Function>(replaceExprs(function, replaced_));
  }

 private:
  Branch branchFrom(const Ref<Call>& first) const {
    Branch branch{first};
    for (auto uses = uses_.find(first.get()); uses != uses_.end() && uses->second.size() == 1;) {
      const Ref<Call>& next = uses->second[0];
      const OpRow* row = calledOperator(next);
      if (!row || row->pattern > OpPattern::Broadcast) break;
      branch.push_back(next);
      uses = uses_.find(next.get());
    }
    return branch;
  }
  std::vector<std::vector<Branch>> groupsOf(const Expr& root) const {
    std::vector<std::vector<Branch>> groups;
    for (const Ref<Call>& child : uses_.at(root.get())) {
      if (!isCallOf(child, rule_.op())) continue;
      const auto fits = std::find_if(groups.begin(), groups.end(), [&](const std::vector<Branch>& group) {
        return rule_.canCombine(*child, *group[0][0]);
      });
      if (fits != groups.end()) {
        fits->push_back(branchFrom(child));
      } else {
        groups.push_back({branchFrom(child)});
      }
    }
    return groups;
  }
  /// Whether the calls at one depth of all branches do the same to what came before them.
  bool isOneLevel(const std::vector<Branch>& branches, size_t depth, size_t parent) const {
    const Call& first = *branches[0][depth];
    return std::all_of(branches.begin() + 1, branches.end(), [&](const Branch& branch) {
      const Call& other = *branch[depth];
      if (other.op != first.op || !structuralEqual(other.attrs, first.attrs) ||
          other.args.size() != first.args.size() || other.args[parent] != branch[depth - 1]) {
        return false;
      }
      for (size_t i = 0; i < first.args.size(); ++i) {
        if (i != parent && !rule_.areCompatible(first, other, i)) return false;
      }
      return true;
    });
  }
  void combine(const std::vector<Branch>& branches) {
    Expr data = rule_.combined(branches);
    size_t least = branches[0].size();
    for (const Branch& branch : branches) least = std::min(least, branch.size());
    size_t depth = 1;
    for (; depth < least; ++depth) {
      const Call& call = *branches[0][depth];
      size_t parent = 0;
      while (parent < call.args.size() && call.args[parent] != branches[0][depth - 1]) ++parent;
      if (!isOneLevel(branches, depth, parent)) break;
      std::vector<Expr> args;
      for (size_t i = 0; i < call.args.size(); ++i) {
        args.push_back(i == parent ? data : rule_.joined(branches, depth, parent, i));
      }
      data = callAgain(call, std::move(args), call.attrs);
    }
    const std::vector<Expr> parts = rule_.parts(data, branches, depth - 1);
    for (size_t i = 0; i < branches.size(); ++i) replaced_[branches[i][depth - 1].get()] = parts[i];
  }

  ParallelRule& rule_;
  std::vector<Expr> roots_;  ///< data of calls of the operator
  std::unordered_map<const Node*, std::vector<Ref<Call>>> uses_;
  std::unordered_map<const Node*, Expr> replaced_;
};

}  // namespace

Result<ir::Module> combineParallel(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context,
                                   ParallelRule& rule) {
  const auto least = static_cast<size_t>(ir::intAttrOf(given, "min_num_branches", 3));
  return onTypedFunctions(module, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
    return Combiner(rule).run(function, least);
  });
}

bool sameTensors(const Expr& a, const Expr& b) {
  const TensorType *x = tensorOf(a), *y = tensorOf(b);
  return x && y && x->dtype == y->dtype && x->shape.size() == y->shape.size() &&
         std::equal(x->shape.begin(), x->shape.end(), y->shape.begin(), same);
}

Expr concatenated(std::vector<Expr> items, int64_t axis) {
  return callOp("concatenate", {tupleOf(std::move(items))}, {{"axis", ir::intAttr(axis)}});
}

Expr stacked(std::vector<Expr> items) {
  return callOp("stack", {tupleOf(std::move(items))}, {{"axis", ir::intAttr(0)}});
}

Expr sliceAt(const Expr& data, size_t rank, size_t axis, int64_t begin, int64_t size) {
  std::vector<int64_t> begins(rank, 0), sizes(rank, -1), strides(rank, 1);
  begins[axis] = begin;
  sizes[axis] = size;
  return callOp("strided_slice", {data},
                {{"begin", ir::intArrayAttr(begins)},
                 {"end", ir::intArrayAttr(sizes)},
                 {"strides", ir::intArrayAttr(strides)},
                 {"slice_mode", ir::strAttr("size")}});
}

}  // namespace rx::relay
