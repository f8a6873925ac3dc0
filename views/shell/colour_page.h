// The page "Colours" of the settings: every role of a theme with its colour and how well it can be read.
#pragma once

#include <QWidget>

#include "views/models/row_model.h"
#include "views/shell/desk.h"
#include "views/theme/own_colors.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace rx::views {

class ListView;

/// A role as the page lists it.
struct ColourRow {
  const ColorRole* role = nullptr;
  QColor color;
  bool own = false;  // not the theme's
  std::optional<RoleContrast> least;
};

class ColourPage : public QWidget {
  Q_OBJECT

 public:
  /// Changes what the settings of the desk keep, at once.
  ColourPage(Desk& desk, QWidget* parent);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void build();
  void show();
  void showCurrent();
  const ColourRow* current() const;
  bool dark() const;
  /// Gives the current role a colour; one that is none gives it the theme's.
  void give(const QColor& color);
  void choose();
  void giveAllBack();
  Desk& desk_;
  QComboBox* theme_;
  QLineEdit* filter_;
  RowModel<ColourRow>* model_;
  ListView* view_;
  QLineEdit* edit_;
  QPushButton* legible_;
  QPushButton* back_;
  QPushButton* allBack_;
  QLabel* says_;
};

}  // namespace rx::views
