// Why a run failed, from what the engine says about it: the parts of views/models/run_outcome.h.
#pragma once

#include "core/dap/rx_types.h"
#include "core/support/diagnostic.h"
#include "views/models/run_outcome.h"

namespace rx::views {

/// The findings as a failure; parts and place are not known yet.
RunFailure failureOf(RunFailure::When when, const std::vector<Diagnostic>& diagnostics);
/// The rows of its parameters, and the first that does not fit.
void addChecks(RunFailure* failure, const std::vector<dap::ParameterCheck>& checks, const RunConfig& config);
/// What a check of the program refused.
void addMisfit(RunFailure* failure, const dap::MisfitInfo& misfit);
/// "(5, 4) f32, 80 B"
QString givenText(const QString& shape, const QString& dtype, qint64 bytes);

}  // namespace rx::views
