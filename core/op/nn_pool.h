// What the pooling operators and their gradients share.
#pragma once

#include "core/op/layout.h"

namespace rx::op {

/// Attributes of pooling in printed order.
constexpr std::string_view kPoolOrder =
    "pool_size strides dilation padding ceil_mode count_include_pad layout out_layout";

/// Lists of N integers, padding as begin and end, the layout of the result.
template <size_t N>
Result<Unit> makePool(BoundCall& bound, InferContext&) {
  for (std::string_view param : {"pool_size", "strides", "dilation"}) RX_CHECK(spreadList(bound, param, N));
  RX_CHECK(spreadPadding(bound, "padding", N));
  defaultLayout(bound, "out_layout", "layout");
  return Unit{};
}

}  // namespace rx::op
