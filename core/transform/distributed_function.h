// What is to be told of functions on distributed tensors.
#pragma once

#include "core/ir/module.h"
#include "core/support/result.h"

namespace rx::transform {

/// Functions of the runtime that have a form for distributed tensors.
struct PackedForm {
  std::string_view plain, distributed;
  bool givesTensor;
};
inline constexpr PackedForm kPackedForms[] = {
    {"vm.builtin.attention_kv_cache_append", "vm.builtin.distributed.attention_kv_cache_append", false},
    {"vm.builtin.attention_kv_cache_view", "vm.builtin.distributed.attention_kv_cache_view", true}};

/// True where the parameters are distributed tensors; tensors of both kinds are pass.sharding.
Result<bool> isDistributed(const relax::Function& function);
/// The only placement of a tensor on a device mesh of one dimension: the axis that is divided, or -1. Meshes of more
/// dimensions are pass.sharding.
Result<int64_t> dividedAxis(const relax::DTensorStructInfo& info, Span span);

}  // namespace rx::transform
