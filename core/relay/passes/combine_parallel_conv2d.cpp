#include "core/ir/structural_equal.h"
#include "core/relay/layout.h"
#include "core/relay/passes/combine_parallel.h"

namespace rx::relay {

namespace {

constexpr std::array kSameAttrs = {"strides",     "padding",       "dilation",  "groups",
                                   "data_layout", "kernel_layout", "out_dtype", "out_layout"};

/// Convolutions of one image with kernels of one size: one convolution with the kernels one behind the other.
class ParallelConv2D : public ParallelRule {
 public:
  std::string_view op() const override { return "nn.conv2d"; }
  bool isSupported(const Call& call) const override { return intAttrOf(call, "groups", 1) == 1; }

  bool canCombine(const Call& a, const Call& b) const override {
    for (const char* name : kSameAttrs) {
      if (!structuralEqual(attrOf(a, name), attrOf(b, name))) return false;
    }
    const auto x = kernelOf(a), y = kernelOf(b);
    return x && y && same((*x)[2], (*y)[2]) && same((*x)[3], (*y)[3]);
  }

  Expr combined(const std::vector<Branch>& branches) override {
    const Call& first = *branches[0][0];
    std::vector<Expr> weights;
    int64_t channels = 0;
    for (const Branch& branch : branches) {
      weights.push_back(branch[0]->args[1]);
      channels += channelsOf(*branch[0]);
    }
    const std::string_view out = textAttrOf(first, "out_layout");
    channel_ = (out.empty() ? textAttrOf(first, "data_layout") : out).find('C');
    const auto axis = static_cast<int64_t>(textAttrOf(first, "kernel_layout").find('O'));
    return callAgain(first, {first.args[0], concatenated(std::move(weights), axis)},
                     attrsWith(first, {{"channels", ir::intAttr(channels)}}));
  }

  bool areCompatible(const Call& a, const Call& b, size_t i) const override {
    const TensorType *x = tensorOf(a.args[i]), *y = tensorOf(b.args[i]);
    const TensorType *ofA = as<TensorType>(a.sinfo), *ofB = as<TensorType>(b.sinfo);
    if (!x || !y || !ofA || !ofB || x->dtype != y->dtype || x->shape.size() != y->shape.size()) return false;
    if (channel_ + x->shape.size() < ofA->shape.size()) return false;
    const size_t at = channel_ + x->shape.size() - ofA->shape.size();
    if (at >= x->shape.size() || !same(x->shape[at], ofA->shape[channel_]) || !same(y->shape[at], ofB->shape[channel_]))
      return false;
    for (size_t d = 0; d < x->shape.size(); ++d) {
      if (d != at && !same(x->shape[d], y->shape[d])) return false;
    }
    return true;
  }

  Expr joined(const std::vector<Branch>& branches, size_t depth, size_t, size_t i) override {
    const Call& first = *branches[0][depth];
    const size_t rank = as<TensorType>(first.sinfo)->shape.size(), own = tensorOf(first.args[i])->shape.size();
    std::vector<Expr> items;
    for (const Branch& branch : branches) items.push_back(branch[depth]->args[i]);
    return concatenated(std::move(items), static_cast<int64_t>(channel_ + own - rank));
  }

  std::vector<Expr> parts(const Expr& data, const std::vector<Branch>& branches, size_t) override {
    std::vector<Expr> out;
    int64_t begin = 0;
    for (const Branch& branch : branches) {
      const int64_t channels = channelsOf(*branch[0]);
      out.push_back(sliceAt(data, channel_ + 1, channel_, begin, channels));
      begin += channels;
    }
    return out;
  }

 private:
  static std::optional<Dims> kernelOf(const Call& call) {
    const auto layout = Layout::parse(textAttrOf(call, "kernel_layout"));
    const TensorType* type = tensorOf(call.args[1]);
    if (!layout || !layout->isOrderOf("OIHW") || !type || type->shape.size() != 4) return std::nullopt;
    return layout->toPlain(std::vector<Dim>(type->shape.begin(), type->shape.end()), "OIHW");
  }
  static int64_t channelsOf(const Call& call) {
    const auto shape = kernelOf(call);
    return shape ? known((*shape)[0]).value_or(0) : 0;
  }

  size_t channel_ = 1;  ///< of the result
};

}  // namespace

Result<ir::Module> combineParallelConv2D(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  ParallelConv2D rule;
  return combineParallel(module, given, context, rule);
}

}  // namespace rx::relay
