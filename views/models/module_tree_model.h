// The module tree: functions, under a Relax function its blocks, under a block its bindings.
#pragma once

#include <QAbstractItemModel>
#include <QHash>

#include "views/models/stage_index.h"

namespace rx::views {

class ModuleTreeModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Role : int {
    kFunctionRole = Qt::UserRole + 1,  // name of the function that the row belongs to
    kBindingRole,                      // ordinal, -1 for functions and blocks
    kVariableRole,
    kDetailRole,  // grey text behind the name
    kChipRole,    // word in a chip: "TIR · reduction"
    kMarkRole,    // OpKind of a binding as int
  };

  using QAbstractItemModel::QAbstractItemModel;
  void setIndex(StageIndexPtr index);
  /// What the stage's pass did to functions, by their names, for the next index: a chip beside each.
  void setChanges(QHash<QString, QString> changes) { changes_ = std::move(changes); }
  const StageIndexPtr& stageIndex() const { return stage_; }
  /// Row of a function, or of a binding in it; invalid when it is not there.
  QModelIndex find(const QString& function, int binding) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  // A node's id packs what it is: function number, block number and whether it is a function, block or binding.
  struct Node {
    int function = -1;
    int block = -1;  // -1: the row is the function
    bool binding = false;
  };
  static quintptr pack(const Node& node);
  static Node unpack(quintptr id);
  const FunctionRow* functionOf(const Node& node) const;
  StageIndexPtr stage_;
  QHash<QString, QString> changes_;
};

}  // namespace rx::views
