#include "views/session/op_kinds.h"

#include <algorithm>

namespace rx::views {
namespace {

using enum OpKind;

/// A row of the table: the name without "relax." and without its family ("nn.").
struct OpKindRow {
  std::string_view name;
  OpKind kind;
};

constexpr OpKindRow kRows[] = {
    {"abs", Elementwise},
    {"adaptive_avg_pool2d", Reduction},
    {"add", Elementwise},
    {"alloc_storage", Memory},
    {"alloc_tensor", Memory},
    {"arange", Constant},
    {"argmax", Reduction},
    {"argmin", Reduction},
    {"astype", Elementwise},
    {"attention", Compute},
    {"avg_pool2d", Reduction},
    {"batch_flatten", Movement},
    {"batch_matmul", Compute},
    {"batch_norm", Reduction},
    {"bias_add", Elementwise},
    {"broadcast_to", Movement},
    {"call_dps_packed", Compute},
    {"call_inplace_packed", Impure},
    {"call_packed", Impure},
    {"call_pure_packed", Control},
    {"call_tir", Compute},
    {"call_tir_inplace", Compute},
    {"cast", Elementwise},
    {"clip", Elementwise},
    {"concat", Movement},
    {"contrib_dense_pack", Compute},
    {"conv1d", Compute},
    {"conv2d", Compute},
    {"conv2d_transpose", Compute},
    {"conv3d", Compute},
    {"copy", Movement},
    {"cos", Elementwise},
    {"cumprod", Reduction},
    {"cumsum", Reduction},
    {"dense", Compute},
    {"divide", Elementwise},
    {"dropout", Elementwise},
    {"einsum", Compute},
    {"equal", Elementwise},
    {"erf", Elementwise},
    {"exp", Elementwise},
    {"expand_dims", Movement},
    {"flatten", Movement},
    {"flip", Movement},
    {"full", Constant},
    {"full_like", Constant},
    {"gather_elements", Movement},
    {"gather_nd", Movement},
    {"gelu", Elementwise},
    {"global_avg_pool2d", Reduction},
    {"global_max_pool2d", Reduction},
    {"greater", Elementwise},
    {"greater_equal", Elementwise},
    {"invoke_closure", Control},
    {"invoke_pure_closure", Control},
    {"kill_object", Memory},
    {"kill_storage", Memory},
    {"kill_tensor", Memory},
    {"layer_norm", Reduction},
    {"layout_transform", Movement},
    {"leakyrelu", Elementwise},
    {"left_shift", Elementwise},
    {"less", Elementwise},
    {"less_equal", Elementwise},
    {"linear", Compute},
    {"log", Elementwise},
    {"log_softmax", Reduction},
    {"make_closure", Control},
    {"match_shape", Other},
    {"matmul", Compute},
    {"max", Reduction},
    {"max_pool2d", Reduction},
    {"maximum", Elementwise},
    {"mean", Reduction},
    {"memory", Memory},
    {"min", Reduction},
    {"minimum", Elementwise},
    {"multiply", Elementwise},
    {"negative", Elementwise},
    {"null_value", Constant},
    {"ones", Constant},
    {"ones_like", Constant},
    {"pad", Movement},
    {"permute_dims", Movement},
    {"power", Elementwise},
    {"prelu", Elementwise},
    {"print", Impure},
    {"prod", Reduction},
    {"relu", Elementwise},
    {"repeat", Movement},
    {"reshape", Movement},
    {"rms_norm", Reduction},
    {"rsqrt", Elementwise},
    {"scatter_elements", Movement},
    {"scatter_nd", Movement},
    {"shape_of", Other},
    {"sigmoid", Elementwise},
    {"sign", Elementwise},
    {"silu", Elementwise},
    {"sin", Elementwise},
    {"softmax", Reduction},
    {"sort", Movement},
    {"split", Movement},
    {"sqrt", Elementwise},
    {"squeeze", Movement},
    {"std", Reduction},
    {"strided_slice", Movement},
    {"subtract", Elementwise},
    {"sum", Reduction},
    {"take", Movement},
    {"tanh", Elementwise},
    {"tile", Movement},
    {"topk", Reduction},
    {"transpose", Movement},
    {"tril", Movement},
    {"triu", Movement},
    {"variance", Reduction},
    {"where", Elementwise},
    {"zeros", Constant},
    {"zeros_like", Constant},
};

const OpKindRow* rowNamed(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kRows), std::end(kRows), [name](const OpKindRow& r) { return r.name == name; });
  return found == std::end(kRows) ? nullptr : found;
}

}  // namespace

OpKind opKindOf(std::string_view op) {
  const size_t dot = op.rfind('.');
  const OpKindRow* row = rowNamed(dot == std::string_view::npos ? op : op.substr(dot + 1));
  return row ? row->kind : Other;
}

OpKind kernelKindOf(std::string_view kernel) {
  // What fusion and legalization put before an operator's name.
  for (const std::string_view prefix : {"fused_", "tir_"})
    if (kernel.starts_with(prefix)) kernel.remove_prefix(prefix.size());
  // The longest row that the name begins with, up to a word's end: "max_pool2d" before "max".
  const OpKindRow* best = nullptr;
  for (const OpKindRow& row : kRows) {
    if (!kernel.starts_with(row.name) || (best && best->name.size() >= row.name.size())) continue;
    const std::string_view rest = kernel.substr(row.name.size());
    if (rest.empty() || rest[0] == '_' || (rest[0] >= '0' && rest[0] <= '9')) best = &row;
  }
  return best ? best->kind : Compute;
}

}  // namespace rx::views
