#include "core/relay/passes/partial_values.h"

#include <algorithm>

namespace rx::relay {

void PartialStore::leave() {
  while (levels_.back().hidesOthers) levels_.pop_back();
  levels_.pop_back();
}

const Partial* PartialStore::read(const Known* reference) const {
  for (size_t i = levels_.size(); i-- > 0;) {
    const auto hit = levels_[i].values.find(reference);
    if (hit != levels_[i].values.end()) return &hit->second;
    if (levels_[i].hidesOthers) return nullptr;
  }
  return nullptr;
}

void PartialStore::forget() {
  if (levels_.back().hidesOthers) {
    levels_.back().values.clear();
  } else {
    levels_.push_back({{}, true});
  }
}

namespace {
/// The number that a value is known to be, 0 for all that is none above it.
uint64_t numberOf(const Partial& value) {
  const auto* tensor = knownAs<Ref<HostTensor>>(value);
  if (!tensor || !(*tensor)->shape().empty()) return 0;
  const DataType dtype = (*tensor)->dtype();
  if (dtype != DataType::Int(32) && dtype != DataType::Int(64)) return 0;
  return static_cast<uint64_t>(std::max<int64_t>(0, (*tensor)->intAt(0)));
}
}  // namespace

bool Fuel::burn(const Node* function, const std::vector<Partial>& arguments) {
  Marks& marks = marks_[function];
  const bool isFirst = !marks;
  if (isFirst) marks.emplace();
  bool burned = isFirst;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Mark now{arguments[i].created, numberOf(arguments[i])};
    if (isFirst) {
      marks->push_back(now);
      continue;
    }
    Mark& mark = (*marks)[i];
    burned = burned || now.created < mark.created || now.number < mark.number;
    mark = {std::min(mark.created, now.created), std::min(mark.number, now.number)};
  }
  return burned;
}

Fuel::Marks Fuel::marksOf(const Node* function) const {
  const auto hit = marks_.find(function);
  return hit == marks_.end() ? Marks() : hit->second;
}

}  // namespace rx::relay
