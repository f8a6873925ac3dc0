// The options of AlterOpImpl: by operator name, another kernel and the layouts of its buffers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/ir/relax.h"
#include "core/support/result.h"

namespace rx::transform {

/// What takes the place of a kernel. Lists have an entry for each buffer, or are empty.
struct Replacement {
  tir::PrimFuncRef kernel;
  std::vector<Ref<tir::IndexMap>> layouts;  ///< null: the buffer stays
  std::vector<NodeRef> axisSeparators;      ///< of layout_transform
  std::vector<NodeRef> inputAxisSeparators;
};
using Replacements = std::map<std::string, Replacement, std::less<>>;
Result<Replacements> replacementsOf(const ir::Attrs& options);

}  // namespace rx::transform
