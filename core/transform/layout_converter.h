// The walk of passes that choose layouts: in dataflow blocks operators get those that they should have, and those
// behind them follow as far as they can; what others see of a block stays as it was.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/analysis/infer_layout.h"
#include "core/build/module_context.h"
#include "core/pass/pass.h"

namespace rx::transform {

/// What a conversion of layouts is asked for.
struct LayoutWishes {
  /// The layouts that a call should have, by its operator.
  std::function<const analysis::DesiredLayouts&(const relax::Call& call)> of;
  /// How an operator follows layouts; null where it does not.
  std::function<analysis::InferLayout(std::string_view op)> rule;
};

/// The function with these layouts. `pass`: who asks; `remarks`: takes why calls keep theirs, null where nobody
/// listens.
Result<relax::FunctionRef> withLayouts(std::string_view pass, const relax::FunctionRef& function,
                                       build::ModuleContext& context, const LayoutWishes& wishes,
                                       std::vector<pass::Remark>* remarks);

}  // namespace rx::transform
