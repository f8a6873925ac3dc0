#include "views/models/memory_plan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "views/models/size_sum.h"
#include "views/models/value_flow.h"

namespace rx::views {
namespace {

class Planner {
 public:
  Planner(const FunctionRow& function, const SymbolSizes& sizes, Planned planned)
      : function_(function), sizes_(sizes), planned_(planned), flow_(function, false) {}

  MemoryPlan run() {
    findMoments();
    for (const int call : plan_.moments) {
      const std::vector<int> buffers = flow_.buffersOf(call);
      for (size_t i = 0; i < buffers.size(); ++i)
        add(call, buffers[i], buffers.size() > 1 ? QStringLiteral("[%1]").arg(i) : QString());
    }
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

  /// `element`: which of several that the call writes.
  void add(int call, int buffer, const QString& element) {
    const BindingRow& tensor = row(buffer);
    const int holder = tensor.storage >= 0 && planned_ == Planned::After ? tensor.storage : buffer;
    const auto [piece, fresh] = pieces_.try_emplace(holder, static_cast<int>(plan_.pieces.size()));
    stored_[tensor.storage >= 0 ? tensor.storage : buffer].push_back(static_cast<int>(plan_.buffers.size()));
    const BindingRow& whole = row(holder);
    if (fresh) plan_.pieces.push_back({holder, whole.name, sizeOf(whole), bytesTextWith(whole.bytes, sizes_)});
    const int moment = momentOf_[static_cast<size_t>(call)];
    numbers_[{call, buffer}] = plan_.buffers.size();
    tensors_.push_back(buffer);
    plan_.buffers.push_back(
        {call, row(call).called + element, row(call).kind, piece->second, moment, moment, sizeOf(tensor)});
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

  bool isReturned(const PlannedBuffer& buffer) const { return buffer.last == static_cast<int>(plan_.moments.size()); }

  /// Adds up what allocates: bytes, and as a text where symbols are in it.
  void addSizes(const std::vector<int>& ordinals, qint64* bytes, QString* text) const {
    *bytes = 0;
    QStringList sizes;
    bool symbolic = false;
    for (const int ordinal : ordinals) {
      const BindingRow& allocates = row(ordinal);
      const qint64 size = sizeOf(allocates);
      *bytes = size < 0 || *bytes < 0 ? -1 : *bytes + size;
      symbolic |= allocates.byteCount < 0;
      sizes << (allocates.byteCount >= 0 ? QString::number(allocates.byteCount) : allocates.bytes);
    }
    if (text && symbolic) *text = bytesSum(sizes).value_or(QString());
  }

  void addUp() {
    std::vector<int> buffers, storages, returned;
    for (const auto& [storage, held] : stored_) {
      const bool given = std::any_of(
          held.begin(), held.end(), [&](int buffer) { return isReturned(plan_.buffers[static_cast<size_t>(buffer)]); });
      (given ? returned : storages).push_back(storage);
      for (const int buffer : held) {
        PlannedBuffer& one = plan_.buffers[static_cast<size_t>(buffer)];
        one.returned = given;
        plan_.pieces[static_cast<size_t>(one.piece)].returned |= given;
        if (!given) buffers.push_back(tensors_[static_cast<size_t>(buffer)]);
      }
    }
    plan_.temporaries = static_cast<int>(buffers.size());
    plan_.storages = static_cast<int>(storages.size());
    addSizes(buffers, &plan_.asked, &plan_.askedText);
    addSizes(storages, &plan_.held, &plan_.heldText);
    addSizes(returned, &plan_.returned, nullptr);
    if (plan_.asked >= 0) findPeak();
  }

  void findPeak() {
    std::vector<qint64> change(plan_.moments.size() + 2);
    for (const PlannedBuffer& buffer : plan_.buffers) {
      if (buffer.returned) continue;
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
  std::map<int, std::vector<int>> stored_;         // buffers of what the stage allocates, by the binding that does
  std::vector<int> tensors_;                       // by number of the buffer: the binding that allocates it
};

}  // namespace

QString shortStorage(const QString& name) {
  const QLatin1String kStorage("storage");
  const QString number = name.mid(kStorage.size());
  if (!name.startsWith(kStorage) || !std::all_of(number.begin(), number.end(), [](QChar c) { return c.isDigit(); }))
    return name;
  return QLatin1Char('s') + (number.isEmpty() ? QStringLiteral("0") : number);
}

std::vector<int> aliveAt(const MemoryPlan& plan, int moment) {
  std::vector<int> alive;
  for (size_t b = 0; b < plan.buffers.size(); ++b) {
    const PlannedBuffer& buffer = plan.buffers[b];
    if (!buffer.returned && buffer.first <= moment && moment <= buffer.last) alive.push_back(static_cast<int>(b));
  }
  const auto bytes = [&](int buffer) { return plan.buffers[static_cast<size_t>(buffer)].bytes; };
  std::sort(alive.begin(), alive.end(),
            [&](int a, int b) { return std::pair(-bytes(a), a) < std::pair(-bytes(b), b); });
  return alive;
}

MemoryPlan memoryPlanOf(const FunctionRow& function, const SymbolSizes& sizes, Planned planned) {
  return Planner(function, sizes, planned).run();
}

}  // namespace rx::views
