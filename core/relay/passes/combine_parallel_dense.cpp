#include "core/ir/structural_equal.h"
#include "core/relay/passes/combine_parallel.h"

namespace rx::relay {

namespace {

const Dim& weightDim(const Call& call, size_t i) { return tensorOf(call.args[1])->shape[i]; }

bool isPlain(const Call& call) {
  const TensorType* weight = tensorOf(call.args[1]);
  return weight && weight->shape.size() == 2;
}

/// Products of one tensor and several weights: one product with the weights one below the other.
class ParallelDense : public ParallelRule {
 public:
  std::string_view op() const override { return "nn.dense"; }
  bool isSupported(const Call& call) const override { return isPlain(call) && known(weightDim(call, 0)); }

  bool canCombine(const Call& a, const Call& b) const override {
    return structuralEqual(attrOf(a, "out_dtype"), attrOf(b, "out_dtype")) && same(weightDim(a, 1), weightDim(b, 1));
  }

  Expr combined(const std::vector<Branch>& branches) override {
    const Call& first = *branches[0][0];
    std::vector<Expr> weights;
    int64_t units = 0;
    for (const Branch& branch : branches) {
      weights.push_back(branch[0]->args[1]);
      units += *known(weightDim(*branch[0], 0));
    }
    return callAgain(first, {first.args[0], concatenated(std::move(weights), 0)},
                     attrsWith(first, {{"units", ir::intAttr(units)}}));
  }

  bool areCompatible(const Call& a, const Call& b, size_t i) const override {
    const TensorType *x = tensorOf(a.args[i]), *y = tensorOf(b.args[i]);
    const TensorType *ofA = as<TensorType>(a.sinfo), *ofB = as<TensorType>(b.sinfo);
    if (!x || !y || !ofA || !ofB || x->dtype != y->dtype || x->shape.size() != y->shape.size()) return false;
    if (ofA->shape.size() < x->shape.size() || ofB->shape.size() < y->shape.size()) return false;
    for (size_t d = 0; d + 1 < x->shape.size(); ++d) {
      if (!same(x->shape[d], y->shape[d])) return false;
    }
    return true;
  }

  Expr joined(const std::vector<Branch>& branches, size_t depth, size_t parent, size_t i) override {
    const size_t rank = tensorOf(branches[0][depth]->args[i])->shape.size();
    const auto axis = static_cast<int64_t>(rank == 0 ? 0 : rank - 1);
    std::vector<Expr> items;
    for (const Branch& branch : branches) {
      const Call& call = *branch[depth];
      const int64_t last = known(tensorOf(call.args[parent])->shape.back()).value_or(1);
      Expr item = call.args[i];
      if (rank == 0) item = callOp("expand_dims", {item}, {{"axis", ir::intAttr(-1)}});
      if (rank == 0 || (last > 1 && isOne(tensorOf(item)->shape.back()))) {
        item = callOp("repeat", {item}, {{"repeats", ir::intAttr(last)}, {"axis", ir::intAttr(axis)}});
      }
      items.push_back(item);
    }
    return concatenated(std::move(items), axis);
  }

  std::vector<Expr> parts(const Expr& data, const std::vector<Branch>& branches, size_t depth) override {
    std::vector<Expr> out;
    int64_t begin = 0;
    for (const Branch& branch : branches) {
      const Array<Dim>& shape = as<TensorType>(branch[depth]->sinfo)->shape;
      const Dim& units = weightDim(*branch[0], 0);
      size_t axis = shape.size() - 1;
      while (axis > 0 && !same(shape[axis], units)) --axis;
      out.push_back(sliceAt(data, shape.size(), axis, begin, *known(units)));
      begin += *known(units);
    }
    return out;
  }
};

/// Products of matrices of one shape: one product of stacks of them.
class StackedDense : public ParallelRule {
 public:
  std::string_view op() const override { return "nn.dense"; }
  bool isSupported(const Call& call) const override { return isPlain(call); }

  bool canCombine(const Call& a, const Call& b) const override {
    return structuralEqual(attrOf(a, "out_dtype"), attrOf(b, "out_dtype")) && same(weightDim(a, 0), weightDim(b, 0)) &&
           same(weightDim(a, 1), weightDim(b, 1));
  }

  Expr combined(const std::vector<Branch>& branches) override {
    const Call& first = *branches[0][0];
    return callOp("nn.batch_matmul", {stackedArgs(branches, 0, 0), stackedArgs(branches, 0, 1)},
                  {{"out_dtype", attrOf(first, "out_dtype")}, {"transpose_b", ir::boolAttr(true)}});
  }

  bool areCompatible(const Call& a, const Call& b, size_t i) const override {
    return sameTensors(a.args[i], b.args[i]);
  }

  Expr joined(const std::vector<Branch>& branches, size_t depth, size_t, size_t i) override {
    return stackedArgs(branches, depth, i);
  }

  std::vector<Expr> parts(const Expr& data, const std::vector<Branch>& branches, size_t) override {
    const auto count = static_cast<int64_t>(branches.size());
    const Expr split = callOp("split", {data}, {{"indices_or_sections", ir::intAttr(count)}});
    const int64_t axes[] = {0};
    std::vector<Expr> out;
    for (int64_t i = 0; i < count; ++i) {
      out.push_back(callOp("squeeze", {itemOf(split, i)}, {{"axis", ir::intArrayAttr(axes)}}));
    }
    return out;
  }

 private:
  static Expr stackedArgs(const std::vector<Branch>& branches, size_t depth, size_t i) {
    std::vector<Expr> items;
    for (const Branch& branch : branches) {
      const Expr& item = branch[depth]->args[i];
      const bool isVector = depth > 0 && tensorOf(item)->shape.size() == 1;
      items.push_back(isVector ? callOp("expand_dims", {item}, {{"axis", ir::intAttr(0)}}) : item);
    }
    return stacked(std::move(items));
  }
};

}  // namespace

Result<ir::Module> combineParallelDense(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  ParallelDense dense;
  StackedDense batch;
  const bool toBatch = ir::boolAttrOf(given, "to_batch", true);
  return combineParallel(module, given, context, toBatch ? static_cast<ParallelRule&>(batch) : dense);
}

}  // namespace rx::relay
