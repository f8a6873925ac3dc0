#include "views/models/value_flow.h"

#include <algorithm>

namespace rx::views {

ValueFlow::ValueFlow(const FunctionRow& function, bool machine) : function_(function), machine_(machine) {
  const size_t count = function.bindings.size();
  shown_.assign(count, 1);
  inputs_.resize(count);
  held_.resize(count);
  names_.resize(count);
  writer_.assign(count, -1);
  written_.assign(function.params.size(), -1);
  Held own;
  for (const BindingRow& one : function.bindings) add(one);
  // The branches of an `if` stand behind it in the order of the bindings.
  for (const BindingRow& one : function.bindings)
    for (const OperandRow& operand : one.yields)
      if (one.form == BindingForm::If) read(heldBy(operand, &own), &inputs_[static_cast<size_t>(one.ordinal)]);
  for (const OperandRow& operand : function.results) read(heldBy(operand, &own), &results_);
}

void ValueFlow::add(const BindingRow& one) {
  const auto at = static_cast<size_t>(one.ordinal);
  Held& held = held_[at];
  Held own;
  const Leaf self{OperandRow::Kind::Binding, one.ordinal};
  if (machine_) return held = {{self}, false}, addMachine(one);
  switch (one.role) {
    case FlowRole::Computes:
      held = {{self}, false};
      return addCompute(one);
    case FlowRole::Buffer:
      held = {{self}, false};
      break;
    case FlowRole::Tuple:
      held.fields = true;
      for (const OperandRow& operand : one.operands) {
        const Held& field = heldBy(operand, &own);
        held.fields &= field.leaves.size() == 1 && !field.fields;
        held.leaves.insert(held.leaves.end(), field.leaves.begin(), field.leaves.end());
      }
      break;
    case FlowRole::Names:
      held = item(one);
      break;
    case FlowRole::View:
      for (const OperandRow& operand : one.operands) {
        const Held& seen = heldBy(operand, &own);
        held.leaves.insert(held.leaves.end(), seen.leaves.begin(), seen.leaves.end());
      }
      // The program's own reshape is one of its operations; one of a buffer is how the next call looks at it.
      if (held.leaves.size() != 1 || !isBuffer(held.leaves[0])) {
        held = {{self}, false};
        return addCompute(one);
      }
      held.leaves[0].viewed = true;
      break;
    case FlowRole::Machine:
      break;
  }
  shown_[at] = 0;
  if (one.role == FlowRole::Names && held.leaves.size() == 1 && isBuffer(held.leaves[0])) {
    const int writer = writerOf(held.leaves[0]);
    // What is taken out of a tuple again had a name before it was put there.
    const bool again = one.item >= 0 && writer >= 0 && row(writer).writes.size() == 1;
    if (writer >= 0 && !again && !held.leaves[0].viewed && names_[static_cast<size_t>(writer)].isEmpty())
      names_[static_cast<size_t>(writer)] = one.name;
  }
}

void ValueFlow::addCompute(const BindingRow& one) {
  auto& inputs = inputs_[static_cast<size_t>(one.ordinal)];
  Held own;
  for (const OperandRow& operand : one.operands) read(heldBy(operand, &own), &inputs);
  for (const int written : one.writes)
    for (const Leaf& leaf : held_[static_cast<size_t>(written)].leaves) setWriter(leaf, one.ordinal);
}

/// Every binding is a node: what it reads is its operand, or who wrote into it.
void ValueFlow::addMachine(const BindingRow& one) {
  auto& inputs = inputs_[static_cast<size_t>(one.ordinal)];
  Held own;
  for (const OperandRow& operand : one.operands) read(heldBy(operand, &own), &inputs);
  for (const int written : one.writes) {
    // The first writer reads from the allocation itself, so that it does not stand alone.
    int& writer = writer_[static_cast<size_t>(written)];
    if (writer < 0) inputs.push_back({OperandRow::Kind::Binding, written});
    writer = one.ordinal;
  }
}

const ValueFlow::Held& ValueFlow::heldBy(const OperandRow& operand, Held* own) const {
  if (operand.kind == OperandRow::Kind::Binding && operand.index >= 0 && operand.index < static_cast<int>(held_.size()))
    return held_[static_cast<size_t>(operand.index)];
  if (operand.kind == OperandRow::Kind::Binding || operand.kind == OperandRow::Kind::Global ||
      operand.kind == OperandRow::Kind::Symbol)
    return *own = {};
  return *own = {{{operand.kind, operand.index, operand.name}}, false};
}

ValueFlow::Held ValueFlow::item(const BindingRow& one) const {
  if (one.operands.empty()) return {};
  Held own, whole = heldBy(one.operands[0], &own);
  if (one.item < 0) return whole;
  if (whole.fields && one.item < static_cast<int>(whole.leaves.size()))
    return {{whole.leaves[static_cast<size_t>(one.item)]}, false};
  // An element of what a call gave; of a tuple whose fields are not told apart, all of it.
  if (whole.leaves.size() == 1 && !whole.fields) whole.leaves[0].element = one.item;
  return whole;
}

bool ValueFlow::isBuffer(const Leaf& leaf) const {
  return leaf.kind == OperandRow::Kind::Binding && row(leaf.index).role == FlowRole::Buffer;
}

int ValueFlow::writerOf(const Leaf& leaf) const {
  const bool isParam = leaf.kind == OperandRow::Kind::Param;
  const std::vector<int>& writers = isParam ? written_ : writer_;
  const auto at = static_cast<size_t>(leaf.index);  // -1 is beyond all
  return (isParam || leaf.kind == OperandRow::Kind::Binding) && at < writers.size() ? writers[at] : -1;
}

void ValueFlow::setWriter(const Leaf& leaf, int ordinal) {
  std::vector<int>& writers = leaf.kind == OperandRow::Kind::Param ? written_ : writer_;
  const auto at = static_cast<size_t>(leaf.index);
  if (leaf.kind != OperandRow::Kind::Constant && at < writers.size()) writers[at] = ordinal;
}

void ValueFlow::read(const Held& held, std::vector<FlowSource>* out) const {
  for (const Leaf& leaf : held.leaves) {
    const int writer = writerOf(leaf);
    FlowSource source = leaf;
    if (writer >= 0) source.kind = OperandRow::Kind::Binding, source.index = writer;
    // A buffer that nobody has written holds nothing to read.
    if (writer < 0 && !machine_ && isBuffer(leaf)) continue;
    const bool known =
        source.kind != OperandRow::Kind::Constant && std::any_of(out->begin(), out->end(), [&](const FlowSource& have) {
          // Fields of a parameter are values of their own: weights that come in a tuple.
          const bool sameField = source.kind != OperandRow::Kind::Param || have.element == source.element;
          return have.kind == source.kind && have.index == source.index && sameField;
        });
    if (!known) out->push_back(source);
  }
}

int ValueFlow::shownBy(int ordinal) const {
  if (ordinal < 0 || ordinal >= static_cast<int>(shown_.size())) return -1;
  if (shown(ordinal)) return ordinal;
  if (const int maker = shownMaker(held_[static_cast<size_t>(ordinal)]); maker >= 0) return maker;
  Held own;
  for (const OperandRow& operand : row(ordinal).operands)
    if (const int maker = shownMaker(heldBy(operand, &own)); maker >= 0) return maker;
  // A storage is shown by whoever writes into a buffer of it.
  for (const int user : row(ordinal).usedBy)
    if (row(user).role == FlowRole::Buffer && writerOf({OperandRow::Kind::Binding, user}) >= 0)
      return writerOf({OperandRow::Kind::Binding, user});
  return -1;
}

/// The first shown binding that made, or wrote last, one of the values; -1 where there is none.
int ValueFlow::shownMaker(const Held& held) const {
  for (const Leaf& leaf : held.leaves) {
    const int writer = writerOf(leaf);
    const int maker = writer >= 0 ? writer : leaf.index;
    if ((leaf.kind == OperandRow::Kind::Binding || writer >= 0) && shown(maker)) return maker;
  }
  return -1;
}

std::vector<int> ValueFlow::buffersOf(int ordinal) const {
  std::vector<int> buffers;
  if (machine_) return buffers;
  for (const int written : row(ordinal).writes)
    for (const Leaf& leaf : held_[static_cast<size_t>(written)].leaves)
      if (isBuffer(leaf)) buffers.push_back(leaf.index);
  return buffers;
}

QString ValueFlow::nameOf(int ordinal) const {
  const QString& alias = names_[static_cast<size_t>(ordinal)];
  if (!alias.isEmpty()) return alias;
  const BindingRow& one = row(ordinal);
  if (one.writes.empty()) return {};
  // Where the aliases are gone the origin still knows the name, and the buffer has one in any case.
  for (const OriginRow& origin : one.origins)
    if (!origin.variable.isEmpty() && origin.variable != QLatin1String("_")) return origin.variable;
  return row(one.writes.front()).name;
}

int ValueFlow::folded() const { return static_cast<int>(std::count(shown_.begin(), shown_.end(), 0)); }

}  // namespace rx::views
