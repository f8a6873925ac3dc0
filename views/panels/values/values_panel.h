// Dock "Values": the numbers of the selected binding as a table, a picture and a histogram, which mark one element.
#pragma once

#include "views/panels/panel.h"
#include "views/panels/values/compare_choice.h"
#include "views/panels/values/plane_view.h"
#include "views/panels/values/selected_value.h"

class QComboBox;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace rx::views {

class AxisBar;
class ItemList;
class OpenedItem;
class HistogramView;
class PlotView;
class RichLabel;
class TensorStudy;
class TensorTable;

class ValuesPanel : public Panel {
  Q_OBJECT

 public:
  ValuesPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  bool busy() const override;
  /// format NAME, picture heat|image|line, axes ROWS COLUMNS, hold AXIS INDEX, goTo INDEX…, nextBad, previousBad,
  /// largest, logarithmic on|off, compare NAME | file PATH [ARRAY] | off, distance absolute|relative|ulp,
  /// copy cells|numpy, item [NUMBER…|up].
  bool obey(const QString& name, const QStringList& arguments) override;
  QStringList menuCommands() const override;
  TensorStudy* study() const { return study_; }
  TensorTable* table() const { return table_; }
  HistogramView* histogram() const { return histogram_; }
  PlaneView* picture() const { return plane_; }
  PlotView* plot() const { return plot_; }
  ItemList* items() const { return items_; }

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void catchUp(unsigned parts) override;

 private:
  struct CommandRow;
  static const CommandRow kCommands[];
  enum class Picture : uint8_t { Heat, Image, Line };

  QWidget* makeHead();
  QWidget* makeBody();
  QComboBox* makeChoice(const QStringList& words, const QString& name, const QString& command);
  QToolButton* makeButton(const QString& text, const QString& tip, const QString& command,
                          const QStringList& arguments = {});
  void applyTheme();
  void refresh();
  void showTitle();
  void display();
  void showHead();
  void showPicture();
  void showMark();
  QString headText() const;
  QString comparisonText() const;
  QString searchText() const;
  QString percentilesText() const;
  std::vector<PlaneQuery> wantedPlanes() const;
  HeatScale scale() const;
  void openCompareMenu();
  void compareWith(const Compared& other);
  bool turn(int rows, int columns);
  void compareWithFile(const QString& path, const QString& array);
  bool compareCommand(const QStringList& arguments);
  /// Opens an item of a tuple, by the numbers that lead to it; "up" the tuple that holds what is open.
  bool itemCommand(const QStringList& arguments);
  /// Opens an item of the tuple that is shown.
  void openItem(int number);
  bool copyCommand(const QStringList& arguments);
  bool setCommand(const QStringList& arguments);
  /// Gives the shown value, or its element at an index, other content in the run; a refusal becomes a toast.
  void set(const QString& part, const QString& text);
  bool pictureCommand(const QStringList& arguments);

  PanelContext context_;
  TensorStudy* study_;
  TensorTable* table_;
  OpenedItem* opened_;
  ItemList* items_;
  AxisBar* axes_;
  HistogramView* histogram_;
  PlaneView* plane_;
  PlotView* plot_;
  QStackedWidget* pictures_;
  QWidget* side_ = nullptr;
  QSplitter* splitter_ = nullptr;
  RichLabel* head_;
  RichLabel* percentiles_;
  QComboBox* format_;
  QComboBox* kind_;
  QComboBox* distance_;
  QToolButton* previous_;
  QToolButton* next_;
  QToolButton* out_ = nullptr;
  QToolButton* compare_;
  QToolButton* logarithmic_;
  std::vector<QWidget*> tools_;  // only of use while there is a tensor
  Picture picture_ = Picture::Heat;
  bool past_ = false;  // what is shown is of a run that is past
  int waiting_ = 0;    // files that are being read
  Compared other_;
  QString otherOf_;  // the variable that is compared; another one is shown by itself again
};

}  // namespace rx::views
