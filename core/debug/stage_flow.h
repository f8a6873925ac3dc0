// Which bindings of a stage compute, and which are other names of what a binding before them computed.
#pragma once

#include <unordered_map>

#include "core/debug/stage.h"

namespace rx::debug {

/// For one function; bindings are described in text order.
class StageFlow {
 public:
  /// Fills `works`, `manages`, `outputs`, `source`, `buffer` and `echo` of `row`, whose sites are known; `before` are
  /// the rows before it: what makes room for a buffer learns there which call writes it.
  void describe(const relax::BindingNode& node, std::vector<StageBinding>& before, StageBinding* row);

 private:
  struct Held {
    int ordinal = -1;
    bool buffer = false;  ///< memory that a call is going to write
    int firstCall = -1;   ///< ordinals of the first and the last call that takes it
    int lastCall = -1;
  };
  void describeCall(const relax::Call& call, std::vector<StageBinding>& before, StageBinding* row, Held* held);
  void describeItem(const relax::TupleGetItem& item, const std::vector<StageBinding>& before, StageBinding* row);
  void describeName(const relax::Expr& value, const std::vector<StageBinding>& before, StageBinding* row);
  Held* find(const relax::Expr& value);
  /// The variable that one is another name of, or itself.
  const Node* rootOf(const relax::Expr& value) const;
  /// What stands in a tuple of this function at the item's index, null where it is none of those.
  relax::Expr fieldOf(const relax::TupleGetItem& item) const;

  std::unordered_map<const Node*, Held> held_;
  std::unordered_map<const Node*, const relax::Tuple*> tuples_;  ///< by their variables
  std::unordered_map<const Node*, const Node*> named_;           ///< variable to the one that it is another name of
};

}  // namespace rx::debug
