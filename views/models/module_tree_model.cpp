#include "views/models/module_tree_model.h"

#include <algorithm>
#include <optional>
#include <set>

#include "views/models/known_sizes.h"
#include "views/models/numbers.h"
#include "views/models/scopes.h"

namespace rx::views {
namespace {

// From the lowest bit: a binding, the outline block + 1, the block + 1, the function.
constexpr int kOutlineShift = 1, kBlockShift = 22, kFunctionShift = 44;
constexpr quintptr kOutlineMask = (quintptr{1} << (kBlockShift - kOutlineShift)) - 1;
constexpr quintptr kBlockMask = (quintptr{1} << (kFunctionShift - kBlockShift)) - 1;

QString functionChip(const FunctionRow& function) {
  switch (function.kind) {
    case FunctionKind::Prim:
      return QStringLiteral("TIR");
    case FunctionKind::Extern:
      return QStringLiteral("extern");
    case FunctionKind::Graph:
      return function.language;
    case FunctionKind::Type:
      return QStringLiteral("type");
    case FunctionKind::Relax:
      return function.pure ? QStringLiteral("Relax") : QStringLiteral("impure");
  }
  return {};
}

QString joined(const QString& a, const QString& b) {
  return a.isEmpty() ? b : b.isEmpty() ? a : a + QStringLiteral(" · ") + b;
}

/// "\non cuda: unscheduled; the loop over i runs on no thread of a device"
QString badgeText(const FunctionRow& function) {
  if (!function.badge) return {};
  QString text = QStringLiteral("\non %1: %2").arg(function.badge->target, function.badge->name);
  if (!function.badge->reasons.empty()) text += QStringLiteral("; ") + function.badge->reasons.front().message;
  return text;
}

QString functionDetail(const FunctionRow& function) {
  if (!function.binds()) return function.signature;
  const qsizetype count = static_cast<qsizetype>(function.bindings.size());
  return QStringLiteral("%1 %2").arg(count).arg(count == 1 ? "binding" : "bindings");
}

}  // namespace

quintptr ModuleTreeModel::pack(const Node& node) {
  return (static_cast<quintptr>(node.function) << kFunctionShift) |
         (static_cast<quintptr>(node.block + 1) << kBlockShift) |
         (static_cast<quintptr>(node.outline + 1) << kOutlineShift) | (node.binding ? 1 : 0);
}

ModuleTreeModel::Node ModuleTreeModel::unpack(quintptr id) {
  return {static_cast<int>(id >> kFunctionShift), static_cast<int>((id >> kBlockShift) & kBlockMask) - 1,
          static_cast<int>((id >> kOutlineShift) & kOutlineMask) - 1, (id & 1) != 0};
}

bool ModuleTreeModel::isOutline(const QModelIndex& index) {
  const Node node = unpack(index.internalId());
  return index.isValid() && node.outline >= 0 && !node.binding;
}

const FunctionRow* ModuleTreeModel::functionOf(const Node& node) const {
  if (!stage_ || node.function < 0 || node.function >= static_cast<int>(stage_->functions.size())) return nullptr;
  return &stage_->functions[static_cast<size_t>(node.function)];
}

std::vector<ModuleTreeModel::Group> ModuleTreeModel::groupsOf(const FunctionRow& function, const BlockRow& block) {
  std::set<int> storages;
  for (const int ordinal : block.bindings)
    if (const int held = function.bindings[static_cast<size_t>(ordinal)].storage; held >= 0) storages.insert(held);
  if (storages.empty()) return {};
  std::vector<Group> groups{{Group::What::Calls, {}}, {Group::What::Storages, {}}, {Group::What::Names, {}}};
  for (const int ordinal : block.bindings) {
    const Group::What what = storages.contains(ordinal)                                       ? Group::What::Storages
                             : function.bindings[static_cast<size_t>(ordinal)].writes.empty() ? Group::What::Names
                                                                                              : Group::What::Calls;
    groups[static_cast<size_t>(what)].bindings.push_back(ordinal);
  }
  return groups;
}

/// What stands under the blocks of a function by its outline, else by groups where it has any.
void ModuleTreeModel::setItems(size_t number) {
  const FunctionRow& function = stage_->functions[number];
  if (function.outline.empty()) {
    std::vector<std::vector<Group>> groups;
    for (const BlockRow& block : function.blocks) groups.push_back(groupsOf(function, block));
    if (std::ranges::all_of(groups, [](const auto& each) { return each.empty(); })) return;
    groups_[number] = std::move(groups);
  }
  items_[number].resize(function.blocks.size());
  for (const BlockRow& block : function.blocks) {
    auto& items = items_[number][static_cast<size_t>(block.index)];
    if (!groups_[number].empty() && !groups_[number][static_cast<size_t>(block.index)].empty()) {
      for (int group = 0; group < static_cast<int>(groups_[number][static_cast<size_t>(block.index)].size()); ++group)
        items.push_back({group, -1});
      continue;
    }
    // Both stand in the order of the text.
    auto next = function.outline.begin();
    for (const int ordinal : block.bindings) {
      while (next != function.outline.end() && (next->block != block.index || next->last < ordinal)) ++next;
      if (next == function.outline.end() || ordinal < next->first) {
        items.push_back({-1, ordinal});
        continue;
      }
      const auto outline = static_cast<int>(next - function.outline.begin());
      if (items.empty() || items.back().outline != outline) items.push_back({outline, -1});
    }
  }
}

void ModuleTreeModel::setIndex(StageIndexPtr index) {
  beginResetModel();
  stage_ = std::move(index);
  const size_t count = stage_ ? stage_->functions.size() : 0;
  items_.assign(count, {});
  groups_.assign(count, {});
  for (size_t f = 0; f < count; ++f) setItems(f);
  endResetModel();
}

void ModuleTreeModel::setSizes(std::function<SymbolSizes(const FunctionRow&)> sizes) {
  sizes_ = std::move(sizes);
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 0), {kDetailRole});
}

void ModuleTreeModel::setRun(RunNotes notes) {
  run_ = std::move(notes);
  // Which rows say something else than before would have to be asked of each: the views ask for those in sight.
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 0), {kBadRole, kNextRole});
}

void ModuleTreeModel::setErrors(Errors errors) {
  if (errors == errors_) return;
  errors_ = std::move(errors);
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 0), {kErrorRole});
}

const std::vector<ModuleTreeModel::Item>* ModuleTreeModel::itemsOf(const Node& node) const {
  const auto& blocks = items_[static_cast<size_t>(node.function)];
  return blocks.empty() ? nullptr : &blocks[static_cast<size_t>(node.block)];
}

const ModuleTreeModel::Group* ModuleTreeModel::groupOf(const Node& node) const {
  const auto& blocks = groups_[static_cast<size_t>(node.function)];
  if (blocks.empty() || node.outline < 0) return nullptr;
  return &blocks[static_cast<size_t>(node.block)][static_cast<size_t>(node.outline)];
}

std::span<const int> ModuleTreeModel::heldBy(const Node& node) const {
  if (const Group* group = groupOf(node)) return group->bindings;
  const FunctionRow& function = *functionOf(node);
  const OutlineRow& outline = function.outline[static_cast<size_t>(node.outline)];
  const auto& bindings = function.blocks[static_cast<size_t>(node.block)].bindings;
  const auto begin = std::lower_bound(bindings.begin(), bindings.end(), outline.first);
  return {begin, std::upper_bound(begin, bindings.end(), outline.last)};
}

QModelIndex ModuleTreeModel::find(const QString& function, int binding) const {
  if (!stage_) return {};
  for (size_t f = 0; f < stage_->functions.size(); ++f) {
    const FunctionRow& row = stage_->functions[f];
    if (row.name != function) continue;
    const BindingRow* wanted = row.binding(binding);
    if (!wanted || wanted->block < 0 || wanted->block >= static_cast<int>(row.blocks.size())) {
      return index(static_cast<int>(f), 0);
    }
    Node node{static_cast<int>(f), wanted->block, -1, true};
    const auto& bindings = row.blocks[static_cast<size_t>(wanted->block)].bindings;
    const auto at = std::lower_bound(bindings.begin(), bindings.end(), binding);
    if (at == bindings.end() || *at != binding) return index(static_cast<int>(f), 0);
    const auto position = static_cast<int>(at - bindings.begin());
    const std::vector<Item>* items = itemsOf(node);
    if (!items) return createIndex(position, 0, pack(node));
    const auto placeIn = [&](int outline) {
      node.outline = outline;
      const std::span<const int> held = heldBy(node);
      const auto found = std::lower_bound(held.begin(), held.end(), binding);
      return found != held.end() && *found == binding ? static_cast<int>(found - held.begin()) : -1;
    };
    if (const OutlineRow* outline = row.outlineAt(binding)) {
      const int place = placeIn(static_cast<int>(outline - row.outline.data()));
      return createIndex(place, 0, pack(node));
    }
    for (const Item& item : *items)
      if (const int place = item.outline >= 0 && row.outline.empty() ? placeIn(item.outline) : -1; place >= 0)
        return createIndex(place, 0, pack(node));
    node.outline = -1;
    const auto item = std::find_if(items->begin(), items->end(), [&](const Item& i) { return i.binding == binding; });
    return createIndex(static_cast<int>(item - items->begin()), 0, pack(node));
  }
  return {};
}

QModelIndex ModuleTreeModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  if (!parent.isValid()) return createIndex(row, column, pack({row, -1, -1, false}));
  Node node = unpack(parent.internalId());
  if (node.block < 0) return createIndex(row, column, pack({node.function, row, -1, false}));
  const std::vector<Item>* items = node.outline < 0 ? itemsOf(node) : nullptr;
  node.binding = true;
  if (items && (*items)[static_cast<size_t>(row)].outline >= 0) {
    node.outline = (*items)[static_cast<size_t>(row)].outline;
    node.binding = false;
  }
  return createIndex(row, column, pack(node));
}

QModelIndex ModuleTreeModel::parent(const QModelIndex& child) const {
  if (!child.isValid()) return {};
  const Node node = unpack(child.internalId());
  if (node.block < 0) return {};
  const bool isBlock = !node.binding && node.outline < 0;
  if (isBlock) return createIndex(node.function, 0, pack({node.function, -1, -1, false}));
  if (node.binding && node.outline >= 0) {
    const std::vector<Item>& items = *itemsOf(node);
    const auto item =
        std::find_if(items.begin(), items.end(), [&](const Item& i) { return i.outline == node.outline; });
    return createIndex(static_cast<int>(item - items.begin()), 0,
                       pack({node.function, node.block, node.outline, false}));
  }
  return createIndex(node.block, 0, pack({node.function, node.block, -1, false}));
}

int ModuleTreeModel::rowCount(const QModelIndex& parent) const {
  if (!stage_ || parent.column() > 0) return 0;
  if (!parent.isValid()) return static_cast<int>(stage_->functions.size());
  const Node node = unpack(parent.internalId());
  const FunctionRow* function = functionOf(node);
  if (!function || node.binding) return 0;
  if (node.block < 0) return static_cast<int>(function->blocks.size());
  if (node.outline >= 0) return static_cast<int>(heldBy(node).size());
  if (const std::vector<Item>* items = itemsOf(node)) return static_cast<int>(items->size());
  return static_cast<int>(function->blocks[static_cast<size_t>(node.block)].bindings.size());
}

const BindingRow* ModuleTreeModel::bindingOf(const QModelIndex& index) const {
  const Node node = unpack(index.internalId());
  const FunctionRow* function = functionOf(node);
  if (!function || !node.binding) return nullptr;
  const auto& bindings = function->blocks[static_cast<size_t>(node.block)].bindings;
  auto at = static_cast<size_t>(index.row());
  if (node.outline >= 0) return function->binding(heldBy(node)[at]);
  const std::vector<Item>* items = itemsOf(node);
  return function->binding(items ? (*items)[at].binding : bindings[at]);
}

int ModuleTreeModel::columnCount(const QModelIndex&) const { return 1; }

QVariant ModuleTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  return section == 0 && orientation == Qt::Horizontal && role == Qt::DisplayRole ? QVariant(tr("Module")) : QVariant();
}

QVariant ModuleTreeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Node node = unpack(index.internalId());
  const FunctionRow* function = functionOf(node);
  if (!function) return {};
  if (role == kFunctionRole) return function->name;
  const BindingRow* binding = bindingOf(index);
  if (role == kErrorRole) return errorOf(*function, node, binding);
  if (role == Qt::ToolTipRole) {
    const QString wrong = errorOf(*function, node, binding);
    const QString tip = rowData(*function, node, binding, role).toString();
    return wrong.isEmpty() ? tip : tip.isEmpty() ? wrong : tip + QLatin1Char('\n') + wrong;
  }
  return rowData(*function, node, binding, role);
}

QVariant ModuleTreeModel::rowData(const FunctionRow& function, const Node& node, const BindingRow* binding,
                                  int role) const {
  if (node.block < 0) return functionData(function, role);
  const Group* group = groupOf(node);
  if (binding && group && group->what == Group::What::Storages && role == kDetailRole)
    return storageText(function, *binding);
  if (binding)
    return role == kBadRole || role == kNextRole ? runData(function, *binding, role) : bindingData(*binding, role);
  if (group) return groupData(function, *group, role);
  if (node.outline >= 0) return outlineData(function, node, role);
  return blockData(function, function.blocks[static_cast<size_t>(node.block)], role);
}

/// Rows that others stand under speak for these: they may be folded.
QString ModuleTreeModel::errorOf(const FunctionRow& function, const Node& node, const BindingRow* binding) const {
  const auto found = errors_.constFind(function.name);
  if (found == errors_.cend()) return {};
  if (binding) return found->value(binding->name);
  if (node.block < 0 && found->contains(QString())) return found->value(QString());
  const auto isBelow = [&](const BindingRow& row) {
    if (node.block < 0) return true;
    const auto& own = function.blocks[static_cast<size_t>(node.block)].bindings;
    const std::span<const int> held = node.outline >= 0 ? heldBy(node) : std::span<const int>(own);
    return std::binary_search(held.begin(), held.end(), row.ordinal);
  };
  for (auto error = found->cbegin(); error != found->cend(); ++error) {
    const BindingRow* row = function.bindingNamed(error.key());
    if (row && isBelow(*row)) return QStringLiteral("%1: %2").arg(error.key(), error.value());
  }
  return {};
}

QVariant ModuleTreeModel::runData(const FunctionRow& function, const BindingRow& binding, int role) const {
  if (role == kNextRole) return run_.nextBinding == binding.ordinal && run_.nextFunction == function.name;
  return run_.bad ? run_.bad(function.name, binding.ordinal) : QString();
}

QVariant ModuleTreeModel::functionData(const FunctionRow& function, int role) const {
  switch (role) {
    case Qt::DisplayRole:
      return function.name;
    case Qt::ToolTipRole:
      return function.name + ' ' + function.signature + '\n' + functionDetail(function) + badgeText(function);
    case kDetailRole:
      // Where there is little room, whether a device runs a kernel comes before its parameters.
      return function.badge ? QString() : functionDetail(function);
    case kChipRole:
      return joined(joined(functionChip(function), function.badge ? function.badge->name : QString()),
                    changes_.value(function.name));
    case kBindingRole:
      return -1;
    default:
      return {};
  }
}

QVariant ModuleTreeModel::blockData(const FunctionRow& function, const BlockRow& block, int role) {
  switch (role) {
    case Qt::DisplayRole:
      if (function.kind == FunctionKind::Graph) return scopeName(block);
      return (block.dataflow ? QStringLiteral("dataflow %1") : QStringLiteral("block %1")).arg(block.index + 1);
    case Qt::ToolTipRole:
      return function.kind == FunctionKind::Graph ? QVariant(scopeTitle(function, block)) : QVariant();
    case kDetailRole:
      return QString::number(block.bindings.size());
    case kChipRole: {
      if (function.kind == FunctionKind::Graph) return scopeOwner(function, block);
      const BindingRow* parent = function.binding(block.parent);
      if (!parent) return {};
      if (parent->form == BindingForm::If)
        return block.branch == 0 ? QStringLiteral("if ") + parent->name : QStringLiteral("else ") + parent->name;
      return QStringLiteral("in ") + parent->name;
    }
    case kBindingRole:
      return -1;
    default:
      return {};
  }
}

QVariant ModuleTreeModel::outlineData(const FunctionRow& function, const Node& node, int role) const {
  const OutlineRow& outline = function.outline[static_cast<size_t>(node.outline)];
  switch (role) {
    case Qt::DisplayRole:
      return outline.name;
    case Qt::ToolTipRole:
      return joined(outline.name, outline.kind);
    case kDetailRole:
      return QString::number(heldBy(node).size());
    case kChipRole:
      // One word: the name has to be read beside it.
      return outline.kind.section(' ', 0, 0);
    case kBindingRole:
      return outline.first;
    case kVariableRole:
      return function.bindings[static_cast<size_t>(outline.first)].name;
    default:
      return {};
  }
}

QString ModuleTreeModel::storageText(const FunctionRow& function, const BindingRow& storage) const {
  return bytesTextWith(storage.bytes, sizes_ ? sizes_(function) : SymbolSizes());
}

QVariant ModuleTreeModel::groupData(const FunctionRow& function, const Group& group, int role) const {
  static constexpr const char* kTitles[] = {QT_TR_NOOP("kernel calls"), QT_TR_NOOP("storages"),
                                            QT_TR_NOOP("tensors and names")};
  const QString count = QString::number(group.bindings.size());
  const int first = group.bindings.empty() ? -1 : group.bindings.front();
  switch (role) {
    case Qt::DisplayRole:
      return tr(kTitles[static_cast<size_t>(group.what)]);
    case kDetailRole: {
      if (group.what != Group::What::Storages) return count;
      const SymbolSizes sizes = sizes_ ? sizes_(function) : SymbolSizes();
      qint64 sum = 0;
      for (const int ordinal : group.bindings) {
        const std::optional<qint64> bytes = bytesOf(function.bindings[static_cast<size_t>(ordinal)], sizes);
        if (!bytes) return count;
        sum += *bytes;
      }
      return count + QStringLiteral(", ") + bytesText(sum);
    }
    case kBindingRole:
      return first;
    case kVariableRole:
      return first < 0 ? QString() : function.bindings[static_cast<size_t>(first)].name;
    default:
      return {};
  }
}

QVariant ModuleTreeModel::bindingData(const BindingRow& binding, int role) {
  switch (role) {
    case Qt::DisplayRole:
      return binding.called;
    case Qt::ToolTipRole:
      return binding.called + ": " + binding.info;
    case kDetailRole:
      // A call without a result has no name of its own.
      return binding.called == binding.label && !binding.name.startsWith('_') ? binding.name : binding.label;
    case kBindingRole:
      return binding.ordinal;
    case kVariableRole:
      return binding.name;
    case kMarkRole:
      return static_cast<int>(binding.kind);
    default:
      return {};
  }
}

}  // namespace rx::views
