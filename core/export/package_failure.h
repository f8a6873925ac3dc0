// Why a call of a package's library failed, as a diagnostic.
#pragma once

#include "core/export/runtime/rxs_package.h"
#include "core/support/result.h"

namespace rx::exporter {

/// Of the last call of a session of this library (as dlopen gives it); export.run where the package was built before
/// libraries told the rule.
Failure packageFailure(void* library, const rxs_session* session);

}  // namespace rx::exporter
