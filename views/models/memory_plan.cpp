#include "views/models/memory_plan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "views/models/value_flow.h"

namespace rx::views {
namespace {

class Planner {
 public:
  Planner(const FunctionRow& function, const SymbolSizes& sizes, Planned planned)
      : function_(function), sizes_(sizes), planned_(planned), flow_(function, false) {}

  MemoryPlan run() {
    findMoments();
    for (const int call : plan_.moments)
      for (const int buffer : flow_.buffersOf(call)) add(call, buffer);
    findReaders();
    addUp();
    return std::move(plan_);
  }

 private:
  const BindingRow& row(int ordinal) const { return function_.bindings[static_cast<size_t>(ordinal)]; }

  /// What is no moment itself is done by the next one.
  void findMoments() {
    momentOf_.reserve(function_.bindings.size());
    for (const BindingRow& binding : function_.bindings) {
      momentOf_.push_back(static_cast<int>(plan_.moments.size()));
      if (!binding.writes.empty()) plan_.moments.push_back(binding.ordinal);
      plan_.callOf.push_back(flow_.shown(binding.ordinal) ? binding.ordinal : flow_.shownBy(binding.ordinal));
    }
  }

  void add(int call, int buffer) {
    const BindingRow& tensor = row(buffer);
    const int holder = tensor.storage >= 0 && planned_ == Planned::After ? tensor.storage : buffer;
    const auto [piece, fresh] = pieces_.try_emplace(holder, static_cast<int>(plan_.pieces.size()));
    const BindingRow& whole = row(holder);
    if (fresh) plan_.pieces.push_back({holder, whole.name, sizeOf(whole), bytesTextWith(whole.bytes, sizes_)});
    const int moment = momentOf_[static_cast<size_t>(call)];
    numbers_[{call, buffer}] = plan_.buffers.size();
    plan_.buffers.push_back({call, row(call).called, row(call).kind, piece->second, moment, moment, sizeOf(tensor)});
  }

  qint64 sizeOf(const BindingRow& row) const { return bytesOf(row, sizes_).value_or(-1); }

  void findReaders() {
    for (const BindingRow& reader : function_.bindings)
      if (flow_.shown(reader.ordinal))
        for (const FlowSource& source : flow_.inputs(reader.ordinal))
          read(source, momentOf_[static_cast<size_t>(reader.ordinal)]);
    for (const FlowSource& source : flow_.results()) read(source, static_cast<int>(plan_.moments.size()));
  }

  void read(const FlowSource& source, int moment) {
    if (source.kind != OperandRow::Kind::Binding || source.index < 0) return;
    const std::vector<int> buffers = flow_.buffersOf(source.index);
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (source.element >= 0 && static_cast<size_t>(source.element) != i) continue;
      const auto known = numbers_.find({source.index, buffers[i]});
      if (known != numbers_.end())
        plan_.buffers[known->second].last = std::max(plan_.buffers[known->second].last, moment);
    }
  }

  template <class Rows>
  static qint64 sum(const Rows& rows) {
    qint64 all = 0;
    for (const auto& one : rows) {
      if (one.bytes < 0) return -1;
      all += one.bytes;
    }
    return all;
  }

  void addUp() {
    plan_.asked = sum(plan_.buffers);
    plan_.held = sum(plan_.pieces);
    if (plan_.asked < 0) return;
    std::vector<qint64> change(plan_.moments.size() + 2);
    for (const PlannedBuffer& buffer : plan_.buffers) {
      change[static_cast<size_t>(buffer.first)] += buffer.bytes;
      change[static_cast<size_t>(buffer.last) + 1] -= buffer.bytes;
    }
    qint64 now = 0;
    for (size_t moment = 0; moment < plan_.moments.size(); ++moment) {
      now += change[moment];
      if (now <= plan_.alive) continue;
      plan_.alive = now;
      plan_.peak = static_cast<int>(moment);
    }
  }

  const FunctionRow& function_;
  const SymbolSizes& sizes_;
  const Planned planned_;
  const ValueFlow flow_;
  MemoryPlan plan_;
  std::vector<int> momentOf_;                      // by ordinal
  std::map<int, int> pieces_;                      // by the binding that allocates
  std::map<std::pair<int, int>, size_t> numbers_;  // of a call's buffer
};

}  // namespace

MemoryPlan memoryPlanOf(const FunctionRow& function, const SymbolSizes& sizes, Planned planned) {
  return Planner(function, sizes, planned).run();
}

}  // namespace rx::views
