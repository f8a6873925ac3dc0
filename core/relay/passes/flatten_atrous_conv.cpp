#include "core/relay/emit.h"
#include "core/relay/passes/pass_functions.h"

namespace rx::relay {

namespace {

/// Padding of one dimension before and after, so that a convolution with steps of one keeps its extent.
std::pair<int64_t, int64_t> samePadding(int64_t dilatedKernel) {
  const int64_t all = std::max<int64_t>(dilatedKernel - 1, 0);
  return {all / 2, all - all / 2};
}

/// The convolution with dilation that space_to_batch, convolution and batch_to_space are together; null where they are
/// none.
Expr dilated(const Call& toSpace) {
  const auto* conv = as<Call>(toSpace.args[0]);
  const bool known = isCallOf(toSpace.args[0], "nn.conv2d") || isCallOf(toSpace.args[0], "qnn.conv2d");
  if (!known || !isCallOf(conv->args[0], "nn.space_to_batch_nd") || textAttrOf(*conv, "data_layout") != "NHWC") {
    return nullptr;
  }
  const auto block = intsAttrOf(toSpace, "block_shape");
  const auto kernel = intsAttrOf(*conv, "kernel_size");
  if (!block || !kernel || block->size() < 2 || kernel->size() != 2) return nullptr;
  const auto high = samePadding(((*kernel)[0] - 1) * (*block)[0] + 1);
  const auto wide = samePadding(((*kernel)[1] - 1) * (*block)[1] + 1);
  const int64_t padding[] = {high.first, wide.first, high.second, wide.second};
  const int64_t dilation[] = {(*block)[0], (*block)[1]}, strides[] = {1, 1};
  std::vector<Expr> args(conv->args.begin(), conv->args.end());
  args[0] = as<Call>(args[0])->args[0];
  return callAgain(*conv, std::move(args),
                   attrsWith(*conv, {{"strides", ir::intArrayAttr(strides)},
                                     {"padding", ir::intArrayAttr(padding)},
                                     {"dilation", ir::intArrayAttr(dilation)}}));
}

}  // namespace

Result<ir::Module> flattenAtrousConv(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return onCalls(module, context, [](const Call&, const Ref<Call>& call, const OpRow& row) -> Expr {
    return row.name == "nn.batch_to_space_nd" ? dilated(*call) : nullptr;
  });
}

}  // namespace rx::relay
