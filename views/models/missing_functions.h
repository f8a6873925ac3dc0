// Functions from outside of the module that a run could not start without.
#pragma once

#include <QStringList>

namespace rx::views {

struct RunFailure;

/// Their names, each once, as the machine tells them (vm.missing-function); none where the run failed for another
/// reason.
QStringList missingFunctions(const RunFailure& failure);

}  // namespace rx::views
