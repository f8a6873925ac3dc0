// Loops whose accesses can be checked before their steps run: what data choose in them is known beforehand.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/ir/relax.h"

namespace rx::lower {

/// What the body of such a loop has to do with memory, once each.
struct AheadPlan {
  /// Data pointers of what decides where the body reads and writes, and whether. Where they are not written while the
  /// steps run, what they decide is the same before and in each step.
  std::vector<tir::VarRef> deciding;
  std::vector<tir::VarRef> written;
};

/// What the statement may write to besides memory that it takes itself, each data pointer once; nothing where calls in
/// it may write to more.
std::optional<std::vector<tir::VarRef>> writtenBy(const tir::Stmt& statement);

/// The plan of a loop of which data choose at least one element that `checked` says has to be looked at, step by step;
/// none where the body holds anything but plain computations, choices and accesses.
std::optional<AheadPlan> checkedAhead(const tir::For& loop, const std::function<bool(const tir::Buffer&)>& checked);

}  // namespace rx::lower
