#include "core/legalize/intrinsics.h"

#include <string>
#include <unordered_map>

namespace rx::te {

namespace {

constexpr std::string_view kNames[] = {
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "ceil",
    "cos",
    "cosh",
    "erf",
    "exp",
    "fabs",
    "floor",
    "fmod",
    "if_then_else",
    "isnan",
    "large_uint_imm",
    "log",
    "log10",
    "log2",
    "nearbyint",
    "pow",
    "round",
    "rsqrt",
    "shift_left",
    "shift_right",
    "sigmoid",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
    "tvm_call_packed",
    "tvm_stack_make_array",
    "tvm_stack_make_shape",
    "reinterpret",
    "ret",
};

}  // namespace

relax::OpRef intrinsicOp(std::string_view name) {
  // Made once and never changed.
  static const std::unordered_map<std::string_view, relax::OpRef> kOps = [] {
    std::unordered_map<std::string_view, relax::OpRef> ops;
    for (std::string_view n : kNames) {
      ops.emplace(n, make<relax::Op>(Str("tirx." + std::string(n)), static_cast<uint32_t>(-1)));
    }
    return ops;
  }();
  auto found = kOps.find(name);
  RX_ASSERT(found != kOps.end(), "intrinsic {} is not in the table", name);
  return found->second;
}

}  // namespace rx::te
