// An operator's row of the operator table as a tooltip.
#pragma once

#include <QString>

namespace rx::views {

/// "relax.nn.softmax(data, axis=-1)" with its kinds, then what it does; empty for a name that the table has not.
QString operatorTip(const QString& name);

}  // namespace rx::views
