// Operators of training.
#include "core/op/families.h"
#include "core/op/nn_pool.h"

namespace rx::op {

namespace {

Inferred inferCheckpoint(const Call& call, InferContext&) {
  if (call.args.empty() || !isa<relax::Var>(call.args[0])) return refuse(call, "the argument must be a variable");
  return infoAt(call, 0);
}

Inferred inferSecond(const Call& call, InferContext&) {
  if (call.args.size() < 2) return refuse(call, "2 arguments are needed");
  return infoAt(call, 1);
}

constexpr std::string_view kPool =
    "output_grad: expr, data: expr, pool_size: ints = [1, 1], strides: ints = [1, 1], padding: ints = [0, 0, 0, 0], "
    "dilation: ints = [1, 1], ceil_mode: bool = False, count_include_pad: bool = False, layout: str = 'NCHW', "
    "out_layout: str? = None";
constexpr OpSpec kRows[] = {
    {"relax.grad.no_grad", "input: expr", inferFirstArg, "No gradient flows through."},
    {"relax.grad.start_checkpoint", "input: expr", inferCheckpoint,
     "What follows is computed again in the backward pass."},
    {"relax.grad.end_checkpoint", "input: expr", inferCheckpoint, "End of what is computed again."},
    {"relax.grad.nll_loss_backward",
     "output_grad: expr, predictions: expr, targets: expr, weights: expr?, reduction: str = 'mean', "
     "ignore_index: int = -100",
     inferSecond, "Gradient of nll_loss."},
    {"relax.grad.max_pool2d_backward", kPool, inferSecond, "Gradient of max_pool2d.", makePool<2>, kPure, kPoolOrder},
    {"relax.grad.avg_pool2d_backward", kPool, inferSecond, "Gradient of avg_pool2d.", makePool<2>, kPure, kPoolOrder},
    {"relax.grad.take_backward", "output_grad: expr, x: expr, indices: expr, axis: int? = None, mode: str = ''",
     inferSecond, "Gradient of take."},
};

}  // namespace

std::span<const OpSpec> gradOps() { return kRows; }

}  // namespace rx::op
