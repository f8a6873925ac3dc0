// Where the inputs of each binding come from: through names, tuples, views and the buffers that calls write.
#pragma once

#include <vector>

#include "views/models/stage_index.h"

namespace rx::views {

/// One value that a binding reads, by who made it.
struct FlowSource {
  OperandRow::Kind kind = OperandRow::Kind::Binding;
  int index = -1;       // ordinal of the maker, or position of the parameter
  QString name = {};    // of a constant
  int element = -1;     // which one of the values that the maker gives; -1: all or the only one
  bool viewed = false;  // read in another shape
};

class ValueFlow {
 public:
  /// With `machine` every binding is shown, and what it reads are its neighbours in the text.
  ValueFlow(const FunctionRow& function, bool machine);

  /// False for what a graph folds into its edges.
  bool shown(int ordinal) const { return shown_[static_cast<size_t>(ordinal)]; }
  const std::vector<FlowSource>& inputs(int ordinal) const { return inputs_[static_cast<size_t>(ordinal)]; }
  const std::vector<FlowSource>& results() const { return results_; }
  /// The shown binding that stands for a folded one: who made what it names, who writes the buffer; -1 where none does.
  int shownBy(int ordinal) const;
  /// The buffers that a binding writes, ordinals.
  std::vector<int> buffersOf(int ordinal) const;
  /// The name by which the program knows what a call wrote; empty where it has none.
  QString nameOf(int ordinal) const;
  /// How many bindings are folded into edges.
  int folded() const;

 private:
  /// A value: who made it, or the buffer that it lies in.
  using Leaf = FlowSource;
  struct Held {
    std::vector<Leaf> leaves;
    bool fields = false;  // one leaf a field of a tuple
  };
  void add(const BindingRow& row);
  void addCompute(const BindingRow& row);
  void addMachine(const BindingRow& row);
  /// `own` holds what is no binding's.
  const Held& heldBy(const OperandRow& operand, Held* own) const;
  Held item(const BindingRow& row) const;
  void read(const Held& held, std::vector<FlowSource>* out) const;
  const BindingRow& row(int ordinal) const { return function_.bindings[static_cast<size_t>(ordinal)]; }
  bool isBuffer(const Leaf& leaf) const;
  int writerOf(const Leaf& leaf) const;
  void setWriter(const Leaf& leaf, int ordinal);
  int shownMaker(const Held& held) const;

  const FunctionRow& function_;
  const bool machine_;
  std::vector<char> shown_;
  std::vector<std::vector<FlowSource>> inputs_;
  std::vector<FlowSource> results_;
  std::vector<Held> held_;    // of each binding
  std::vector<int> writer_;   // who wrote into a binding's value last, -1 for nobody
  std::vector<int> written_;  // the same of the parameters
  std::vector<QString> names_;
};

}  // namespace rx::views
