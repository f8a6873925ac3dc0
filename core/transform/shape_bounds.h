// Upper bounds that a function states for its symbolic variables.
#pragma once

#include <string>
#include <unordered_map>

#include "core/arith/analyzer.h"
#include "core/ir/relax.h"

namespace rx::transform {

/// The attributes tir_var_upper_bound, tir_var_lower_bound and tir_non_negative_var of a function: bounds of symbolic
/// variables by name.
class ShapeBounds {
 public:
  explicit ShapeBounds(const relax::Function& function);
  /// The dimension with the bounds in place of the variables that have one, so that it is never less than `dim`: a
  /// number where all have one; `dim` itself where the attributes bound nothing in it, or not how it grows.
  tir::PrimExpr upper(const tir::PrimExpr& dim) const;

 private:
  tir::PrimExpr raised(const tir::PrimExpr& dim, arith::Analyzer& analyzer) const;

  std::unordered_map<std::string, arith::ConstIntBound> bounds_;
};

}  // namespace rx::transform
