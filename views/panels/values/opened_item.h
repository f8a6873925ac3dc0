// Which item of a selected tuple is looked at, in tuples in each other, and its value.
#pragma once

#include <QObject>
#include <functional>
#include <vector>

#include "views/panels/values/selected_value.h"

namespace rx::views {

class OpenedItem : public QObject {
  Q_OBJECT

 public:
  explicit OpenedItem(const PanelContext& context, QObject* parent = nullptr);
  /// The numbers that lead from the selected value to the item; empty for the value itself. Another selection closes
  /// what is open.
  const std::vector<int>& path() const { return path_; }
  void open(std::vector<int> path);
  /// What is open of the selected value, by the name "x[0][1]". Items of inner tuples are asked for: until they are
  /// there it is absent, and `changed` follows.
  SelectedValue value();
  bool busy() const { return asking_; }
  /// Asks for an item of what is open, by its number; the answer is not known where there is none.
  void fetch(int number, QObject* context, std::function<void(const ValueSummary& value)> answer) const;

 Q_SIGNALS:
  void changed();

 private:
  void ask(const QString& expression, const QString& key);
  QString indices() const;
  PanelContext context_;
  std::vector<int> path_;
  QString of_;   // the selection that the path is of
  QString key_;  // what `known_` was asked for: an expression at a step
  WatchRow known_;
  bool asking_ = false;
};

}  // namespace rx::views
