// The module tree: functions, under a Relax function its blocks, under a block its bindings; those of a block of the
// outline ("layer2.0") stand under its name. Of a function without an outline whose memory is planned, bindings stand
// by what they are for: calls of kernels, storages, and what holds these together.
#pragma once

#include <QAbstractItemModel>
#include <QHash>
#include <QMap>
#include <functional>
#include <span>

#include "views/models/files_beside.h"
#include "views/models/stage_index.h"

namespace rx::views {

class ModuleTreeModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Role : int {
    kFunctionRole = Qt::UserRole + 1,  // name of the function that the row belongs to
    kBindingRole,                      // ordinal, -1 for functions and blocks; of an outline block its first
    kVariableRole,
    kDetailRole,  // grey text behind the name
    kChipRole,    // word in a chip: "TIR · reduction"
    kMarkRole,    // OpKind of a binding as int
    kBadRole,     // of a run: what is not finite in the binding's value, "3 NaN"
    kNextRole,    // of a run: true for the binding that runs next
    kErrorRole,   // what is wrong in the row or in one below it, in the words of the problem list; empty for nothing
  };

  /// What a run says of bindings, asked for when a row is drawn.
  struct RunNotes {
    std::function<QString(const QString& function, int binding)> bad;
    QString nextFunction = {};
    int nextBinding = -1;
  };

  using QAbstractItemModel::QAbstractItemModel;
  void setIndex(StageIndexPtr index);
  /// What the stage's pass did to functions, by their names, for the next index: a chip beside each.
  void setChanges(QHash<QString, QString> changes) { changes_ = std::move(changes); }
  void setRun(RunNotes notes);
  /// What is wrong in bindings of the stage, by function and variable; of a whole function under an empty name.
  using Errors = QHash<QString, QMap<QString, QString>>;
  void setErrors(Errors errors);
  /// With what sizes of symbols the bytes of storages are written; asked when a row is drawn.
  void setSizes(std::function<SymbolSizes(const FunctionRow&)> sizes);
  const StageIndexPtr& stageIndex() const { return stage_; }
  /// Row of a function, or of a binding in it; invalid when it is not there. A binding of an outline block has a parent
  /// that is one (isOutline).
  QModelIndex find(const QString& function, int binding) const;
  /// True for the row of an outline block, or of bindings that are for the same.
  static bool isOutline(const QModelIndex& index);

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  // A node's id packs what it is: numbers of function, block and outline block, and whether it is a binding.
  struct Node {
    int function = -1;
    int block = -1;    // -1: the row is the function
    int outline = -1;  // index in FunctionRow::outline or of a group, of it and of what stands in it
    bool binding = false;
  };
  static quintptr pack(const Node& node);
  static Node unpack(quintptr id);
  const FunctionRow* functionOf(const Node& node) const;
  /// Bindings of a block that are for the same, in text order.
  struct Group {
    enum class What : uint8_t { Calls, Storages, Names };
    What what;
    std::vector<int> bindings;
  };
  /// None where nothing is planned.
  static std::vector<Group> groupsOf(const FunctionRow& function, const BlockRow& block);
  const Group* groupOf(const Node& node) const;
  /// What stands directly under a block: its outline blocks or groups, and bindings outside of them.
  struct Item {
    int outline = -1;
    int binding = -1;  // ordinal, where it is no outline block
  };
  const std::vector<Item>* itemsOf(const Node& node) const;
  void setItems(size_t number);
  /// The bindings under an outline block or a group.
  std::span<const int> heldBy(const Node& node) const;
  /// The binding of a row, null for others.
  const BindingRow* bindingOf(const QModelIndex& index) const;
  /// What a row says by itself, without what is wrong in it.
  QVariant rowData(const FunctionRow& function, const Node& node, const BindingRow* binding, int role) const;
  QVariant functionData(const FunctionRow& function, int role) const;
  static QVariant blockData(const FunctionRow& function, const BlockRow& block, int role);
  QVariant runData(const FunctionRow& function, const BindingRow& binding, int role) const;
  QString errorOf(const FunctionRow& function, const Node& node, const BindingRow* binding) const;
  QVariant outlineData(const FunctionRow& function, const Node& node, int role) const;
  QVariant groupData(const FunctionRow& function, const Group& group, int role) const;
  QString storageText(const FunctionRow& function, const BindingRow& storage) const;
  static QVariant bindingData(const BindingRow& binding, int role);
  StageIndexPtr stage_;
  RunNotes run_;
  Errors errors_;
  QHash<QString, QString> changes_;
  std::function<SymbolSizes(const FunctionRow&)> sizes_;
  std::vector<std::vector<std::vector<Item>>> items_;    // of each function with an outline or groups, of each block
  std::vector<std::vector<std::vector<Group>>> groups_;  // of each function with groups, of each block
};

}  // namespace rx::views
