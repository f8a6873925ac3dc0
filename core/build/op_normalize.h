// Normal forms that single operators ask for (FNormalize in TVM): rows by operator name.
#pragma once

#include "core/build/block_builder.h"

namespace rx::build {

/// The call in its operator's normal form; the same call when it has none or is in it already.
relax::Expr normalizeOperator(const Ref<relax::Call>& call, BlockBuilder& builder);

}  // namespace rx::build
