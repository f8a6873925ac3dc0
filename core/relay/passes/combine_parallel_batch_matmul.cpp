#include "core/ir/structural_equal.h"
#include "core/relay/passes/combine_parallel.h"

namespace rx::relay {

namespace {

/// Batched products of one tensor: one with the other tensors one below the other.
class ParallelBatchMatmul : public ParallelRule {
 public:
  std::string_view op() const override { return "nn.batch_matmul"; }
  bool isSupported(const Call& call) const override {
    const TensorType* rhs = tensorOf(call.args[1]);
    return rhs && rhs->shape.size() == 3 && known(rhs->shape[1]);
  }

  bool canCombine(const Call& a, const Call& b) const override {
    const TensorType *x = tensorOf(a.args[1]), *y = tensorOf(b.args[1]);
    const TensorType *ofA = as<TensorType>(a.sinfo), *ofB = as<TensorType>(b.sinfo);
    return isByRows(a) && isByRows(b) && ofA && ofB && x->dtype == y->dtype && ofA->dtype == ofB->dtype &&
           same(x->shape[0], y->shape[0]) && structuralEqual(attrOf(a, "out_dtype"), attrOf(b, "out_dtype"));
  }

  Expr combined(const std::vector<Branch>& branches) override {
    const Call& first = *branches[0][0];
    std::vector<Expr> weights;
    for (const Branch& branch : branches) weights.push_back(branch[0]->args[1]);
    return callAgain(first, {first.args[0], concatenated(std::move(weights), 1)}, first.attrs);
  }

  bool areCompatible(const Call& a, const Call& b, size_t i) const override {
    return sameTensors(a.args[i], b.args[i]);
  }

  Expr joined(const std::vector<Branch>& branches, size_t depth, size_t, size_t i) override {
    std::vector<Expr> items;
    for (const Branch& branch : branches) items.push_back(branch[depth]->args[i]);
    return concatenated(std::move(items), -1);
  }

  std::vector<Expr> parts(const Expr& data, const std::vector<Branch>& branches, size_t) override {
    std::vector<Expr> out;
    int64_t begin = 0;
    for (const Branch& branch : branches) {
      const int64_t features = *known(tensorOf(branch[0]->args[1])->shape[1]);
      out.push_back(sliceAt(data, 3, 2, begin, features));
      begin += features;
    }
    return out;
  }

 private:
  static bool isByRows(const Call& call) {
    return intAttrOf(call, "transpose_a") == 0 && intAttrOf(call, "transpose_b") != 0;
  }
};

}  // namespace

Result<ir::Module> combineParallelBatchMatmul(const ir::Module& module, const ir::Attrs& given,
                                              pass::PassContext& context) {
  ParallelBatchMatmul rule;
  return combineParallel(module, given, context, rule);
}

}  // namespace rx::relay
