// Values that are bound one behind the other, and the chain of `let` that they make.
#pragma once

#include <vector>

#include "core/ir/relay.h"

namespace rx::relay {

class LetList {
 public:
  LetList() = default;
  /// `declares`: whether the text says the types of the variables that are made here, where they are known.
  explicit LetList(bool declares) : declares_(declares) {}
  /// A variable bound to the value, of its type.
  Expr push(Expr value);
  /// The same for a variable that there is.
  Expr push(const VarRef& var, Expr value);
  /// The bindings, in the order in which they were pushed, around a body.
  Expr wrap(Expr body) const;

 private:
  std::vector<std::pair<VarRef, Expr>> bindings_;
  bool declares_ = false;
  Str name_ = Str("x");
};

}  // namespace rx::relay
