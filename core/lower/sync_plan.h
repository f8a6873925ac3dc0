// Where threads of a launch have to wait for each other before they go on.
#pragma once

#include <string_view>
#include <unordered_set>

#include "core/ir/stmt.h"
#include "core/support/result.h"

namespace rx::lower {

/// The statements of the body before which all threads of a block must have
/// come, so that none reads or overwrites in memory of this scope ("shared",
/// "shared.dyn", "warp") what another has not stored or read yet. Buffers are
/// flat and launches are attributes. Fails (lower.thread-sync) where some
/// threads would wait and others not.
Result<std::unordered_set<const tir::StmtNode*>> syncPlan(const tir::Stmt& body, std::string_view scope);

}  // namespace rx::lower
