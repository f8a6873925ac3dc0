// The value of what is selected, or why there is none.
#pragma once

#include "views/models/debug_session.h"
#include "views/models/stage_index.h"
#include "views/panels/panel.h"

namespace rx::views {

struct SelectedValue {
  ValueSummary value;  // `known` is false where there is none
  QString absent;      // a sentence that says why
};

/// The selected binding or parameter at the step that is shown.
SelectedValue selectedValue(const PanelContext& context);
/// Whether a call gives nothing by itself and writes several buffers: each has a value of its own.
bool writesApart(const BindingRow& binding);
/// Function and binding of the selection in its stage; the binding is found again by its name. Null where absent.
const FunctionRow* functionOf(const StageIndex* stage, const QString& name);
const BindingRow* bindingOf(const FunctionRow* function, int ordinal, const QString& variable);

}  // namespace rx::views
