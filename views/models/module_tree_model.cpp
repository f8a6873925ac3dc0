#include "views/models/module_tree_model.h"

namespace rx::views {
namespace {

constexpr quintptr kBlockBits = 28;
constexpr quintptr kBlockMask = (quintptr{1} << kBlockBits) - 1;

QString functionChip(const FunctionRow& function) {
  switch (function.kind) {
    case FunctionKind::Prim:
      return QStringLiteral("TIR");
    case FunctionKind::Extern:
      return QStringLiteral("extern");
    case FunctionKind::Relay:
      return QStringLiteral("Relay");
    case FunctionKind::Relax:
      return function.pure ? QStringLiteral("Relax") : QStringLiteral("impure");
  }
  return {};
}

QString joined(const QString& a, const QString& b) {
  return a.isEmpty() ? b : b.isEmpty() ? a : a + QStringLiteral(" · ") + b;
}

QString functionDetail(const FunctionRow& function) {
  if (function.kind != FunctionKind::Relax) return function.signature;
  const qsizetype count = static_cast<qsizetype>(function.bindings.size());
  return QStringLiteral("%1 %2").arg(count).arg(count == 1 ? "binding" : "bindings");
}

}  // namespace

quintptr ModuleTreeModel::pack(const Node& node) {
  const quintptr block = node.block < 0 ? 0 : static_cast<quintptr>(node.block) + 1;
  return (static_cast<quintptr>(node.function) << (kBlockBits + 1)) | (block << 1) | (node.binding ? 1 : 0);
}

ModuleTreeModel::Node ModuleTreeModel::unpack(quintptr id) {
  return {static_cast<int>(id >> (kBlockBits + 1)), static_cast<int>((id >> 1) & kBlockMask) - 1, (id & 1) != 0};
}

const FunctionRow* ModuleTreeModel::functionOf(const Node& node) const {
  if (!stage_ || node.function < 0 || node.function >= static_cast<int>(stage_->functions.size())) return nullptr;
  return &stage_->functions[static_cast<size_t>(node.function)];
}

void ModuleTreeModel::setIndex(StageIndexPtr index) {
  beginResetModel();
  stage_ = std::move(index);
  endResetModel();
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
    const auto& bindings = row.blocks[static_cast<size_t>(wanted->block)].bindings;
    for (size_t i = 0; i < bindings.size(); ++i) {
      if (bindings[i] == binding) {
        return createIndex(static_cast<int>(i), 0, pack({static_cast<int>(f), wanted->block, true}));
      }
    }
    return index(static_cast<int>(f), 0);
  }
  return {};
}

QModelIndex ModuleTreeModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  if (!parent.isValid()) return createIndex(row, column, pack({row, -1, false}));
  const Node node = unpack(parent.internalId());
  if (node.block < 0) return createIndex(row, column, pack({node.function, row, false}));
  return createIndex(row, column, pack({node.function, node.block, true}));
}

QModelIndex ModuleTreeModel::parent(const QModelIndex& child) const {
  if (!child.isValid()) return {};
  const Node node = unpack(child.internalId());
  if (node.block < 0) return {};
  if (!node.binding) return createIndex(node.function, 0, pack({node.function, -1, false}));
  return createIndex(node.block, 0, pack({node.function, node.block, false}));
}

int ModuleTreeModel::rowCount(const QModelIndex& parent) const {
  if (!stage_ || parent.column() > 0) return 0;
  if (!parent.isValid()) return static_cast<int>(stage_->functions.size());
  const Node node = unpack(parent.internalId());
  const FunctionRow* function = functionOf(node);
  if (!function || node.binding) return 0;
  if (node.block < 0) return static_cast<int>(function->blocks.size());
  return static_cast<int>(function->blocks[static_cast<size_t>(node.block)].bindings.size());
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
  if (node.block < 0) {
    switch (role) {
      case Qt::DisplayRole:
        return function->name;
      case Qt::ToolTipRole:
        return function->name + ' ' + function->signature + '\n' + functionDetail(*function);
      case kDetailRole:
        return functionDetail(*function);
      case kChipRole:
        return joined(functionChip(*function), changes_.value(function->name));
      case kBindingRole:
        return -1;
      default:
        return {};
    }
  }
  const BlockRow& block = function->blocks[static_cast<size_t>(node.block)];
  if (!node.binding) {
    switch (role) {
      case Qt::DisplayRole:
        return (block.dataflow ? QStringLiteral("dataflow %1") : QStringLiteral("block %1")).arg(block.index + 1);
      case kDetailRole:
        return QString::number(block.bindings.size());
      case kChipRole: {
        const BindingRow* parent = function->binding(block.parent);
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
  const BindingRow& binding = function->bindings[static_cast<size_t>(block.bindings[static_cast<size_t>(index.row())])];
  switch (role) {
    case Qt::DisplayRole:
      return binding.name;
    case Qt::ToolTipRole:
      return binding.name + ": " + binding.info;
    case kDetailRole:
      return binding.label;
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
