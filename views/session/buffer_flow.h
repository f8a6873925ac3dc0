// Which bindings make values, which only hold them, and which buffers a call writes: read from the tree.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "core/analysis/callee.h"
#include "core/ir/module.h"
#include "core/support/pointer_map.h"
#include "views/models/stage_index.h"
#include "views/session/row_texts.h"

namespace rx::views {

/// Where a variable has its row: a binding by its ordinal or a parameter by its position, -1 where it has none.
struct RowPlace {
  OperandRow::Kind kind = OperandRow::Kind::Binding;
  int index = -1;
};

class BufferFlow {
 public:
  /// Places of the variables that are known so far.
  using Names = PointerMap<Node, RowPlace>;

  BufferFlow(const ir::IRModule& module, RowTexts* texts) : module_(module), texts_(*texts) {}

  /// Fills what a row says about the flow of values: role, item, writes, storage, bytes. Bindings come in text order.
  void describe(const relax::VarBinding& binding, const Names& names, BindingRow* row);

 private:
  void describeCall(const relax::Call& call, const relax::VarBinding& binding, const Names& names, BindingRow* row);
  void addWrites(const analysis::Called& called, const Names& names, BindingRow* row);
  /// One flag a parameter: its buffer is stored into. Walked once a function.
  const std::vector<bool>& stored(const tir::PrimFunc& function);

  const ir::IRModule& module_;
  RowTexts& texts_;
  std::unordered_map<const tir::PrimFunc*, std::vector<bool>> stored_;
  std::unordered_set<const Node*> fresh_;  ///< variables of buffers that nothing has written yet
};

}  // namespace rx::views
