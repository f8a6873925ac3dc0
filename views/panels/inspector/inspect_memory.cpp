// The memory that a lowered binding works in: the buffers that a call writes and reads, and who else lies in the same
// storage.
#include <algorithm>

#include "views/models/known_sizes.h"
#include "views/models/numbers.h"
#include "views/models/search.h"
#include "views/panels/inspector/inspector_parts.h"

namespace rx::views {
namespace {

constexpr size_t kFewTenants = 6, kMostTenants = 400;  // rows of what shares a storage, folded and not

QString text(const char* source) { return inspectorText(source); }

class Memory {
 public:
  explicit Memory(Inspector& inspector) : inspector_(inspector), function_(*inspector.function) {
    if (inspector.context.sizes) sizes_ = inspector.context.sizes->of(function_);
  }

  void add() {
    const BindingRow& binding = *inspector_.binding;
    InspectionSection section{text("Memory")};
    int storage = binding.role == FlowRole::Machine ? -1 : storageOf(binding.ordinal);
    for (const int written : binding.writes) {
      addBuffer(section, text("writes"), written);
      storage = storageOf(written);
    }
    if (!binding.writes.empty()) {
      for (const OperandRow& operand : binding.operands)
        if (operand.kind == OperandRow::Kind::Binding && operand.index >= 0 &&
            std::find(binding.writes.begin(), binding.writes.end(), operand.index) == binding.writes.end())
          addBuffer(section, text("reads"), operand.index);
    } else if (storage >= 0) {
      addBuffer(section, text("lies in"), binding.ordinal);
    }
    inspector_.keep(std::move(section));
    if (storage < 0) return;
    addTenants(storage);
    addPlan(inspector_);
  }

 private:
  /// "288 B", and where that depends on symbols how: "8 * n * n = 288 B".
  QString sizeText(const BindingRow& row) const {
    const QString bytes = bytesTextWith(row.bytes, sizes_);
    return bytes == row.bytes ? bytes : text("%1 = %2").arg(row.bytes.section(' ', 0, -2), bytes);
  }

  const BindingRow* row(int ordinal) const { return function_.binding(ordinal); }

  /// The buffer that a name stands for.
  int bufferOf(int ordinal) const {
    const BindingRow* at = row(ordinal);
    // Names lead to what was bound before them.
    while (at && at->role == FlowRole::Names && at->operands.size() == 1 &&
           at->operands[0].kind == OperandRow::Kind::Binding && at->operands[0].index < at->ordinal)
      at = row(at->operands[0].index);
    return at ? at->ordinal : -1;
  }
  int storageOf(int ordinal) const {
    const BindingRow* buffer = row(bufferOf(ordinal));
    return buffer ? buffer->storage : -1;
  }

  void addBuffer(InspectionSection& section, const QString& label, int ordinal) const {
    if (section.rows.size() == kMostInspected) return;
    const BindingRow* name = row(ordinal);
    if (!name) return;
    std::vector<InspectionPiece> pieces{{name->called, InkRole::Code, inspector_.bindingTarget(*name)}};
    if (const BindingRow* storage = row(storageOf(ordinal))) {
      pieces.push_back({text("in"), InkRole::Grey});
      pieces.push_back({storage->name, InkRole::Code, inspector_.bindingTarget(*storage)});
    }
    if (const BindingRow* buffer = row(bufferOf(ordinal)); buffer && !buffer->bytes.isEmpty())
      pieces.push_back({sizeText(*buffer), InkRole::Number});
    addRow(section, label, std::move(pieces));
  }

  /// The last binding that reads a buffer, under its name or another.
  const BindingRow* lastUse(const BindingRow& buffer) const {
    const BindingRow* last = nullptr;
    std::vector<int> left(buffer.usedBy.begin(), buffer.usedBy.end());
    for (size_t i = 0; i < left.size(); ++i) {
      const BindingRow* user = row(left[i]);
      if (!user || user->role == FlowRole::Machine) continue;
      if (user->role == FlowRole::Names) {
        left.insert(left.end(), user->usedBy.begin(), user->usedBy.end());
      } else if (!last || user->ordinal > last->ordinal) {
        last = user;
      }
    }
    return last;
  }

  /// What the program calls a buffer: the first name that is given to it.
  const BindingRow& namedOf(const BindingRow& buffer) const {
    for (const int ordinal : buffer.usedBy) {
      const BindingRow* user = row(ordinal);
      if (user && user->role == FlowRole::Names) return *user;
    }
    return buffer;
  }

  void addTenants(int storage) {
    const BindingRow& whole = function_.bindings[static_cast<size_t>(storage)];
    InspectionSection section;
    section.table = true;
    const QString key = QStringLiteral("tenants");
    const bool all = inspector_.wish.unfolded.contains(key);
    const size_t most = all ? kMostTenants : kFewTenants;
    size_t tenants = 0;
    for (const BindingRow& buffer : function_.bindings) {
      if (buffer.storage != storage) continue;
      if (++tenants > most) continue;
      const BindingRow& named = namedOf(buffer);
      const auto writer = std::find_if(buffer.usedBy.begin(), buffer.usedBy.end(), [&](int user) {
        const BindingRow* call = row(user);
        return call && std::find(call->writes.begin(), call->writes.end(), buffer.ordinal) != call->writes.end();
      });
      const BindingRow* last = lastUse(buffer);
      const QString by = writer == buffer.usedBy.end() ? text("nothing") : calledName(*row(*writer));
      addRow(section, {},
             {{named.name, InkRole::Code, inspector_.bindingTarget(named.name)},
              {text("written by %1").arg(by), InkRole::Grey},
              {last ? text("until line %1").arg(last->line) : text("never read"), InkRole::Grey}});
    }
    const QString size = bytesTextWith(whole.bytes, sizes_);
    const QString what = size.isEmpty() ? whole.name : text("%1, %2").arg(whole.name, size);
    if (tenants > kMostTenants && all)
      addRow(section, {}, {{text("and %1 more").arg(tenants - kMostTenants), InkRole::Grey}});
    if (tenants > kFewTenants)
      addRow(section, {},
             {{all ? text("show fewer") : text("show all %1").arg(tenants), InkRole::Plain, "fold:" + key}});
    section.title = tenants == 1 ? text("%1, used by 1 tensor").arg(what)
                                 : text("%1, used by %2 tensors").arg(what, QString::number(tenants));
    inspector_.keep(std::move(section));
  }

  Inspector& inspector_;
  const FunctionRow& function_;
  SymbolSizes sizes_;
};

}  // namespace

void addMemory(Inspector& inspector) { Memory(inspector).add(); }

}  // namespace rx::views
