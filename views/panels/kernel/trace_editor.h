// The schedule of a kernel as text, a line a primitive, to be changed and applied again.
#pragma once

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace rx::views {

class TraceEditor : public QWidget {
  Q_OBJECT

 public:
  explicit TraceEditor(QWidget* parent = nullptr);
  /// Begins with the schedule of a kernel; what was written for the same kernel stays.
  void edit(const QString& kernel, const QStringList& trace);
  QString text() const;
  void setText(const QString& text);
  /// The text as a file that `rxs schedule --trace` takes.
  QByteArray file() const;
  /// What the program says of the text; empty: nothing.
  void setProblem(const QString& problem);
  /// Shows a place of `file()`, both numbers from 1.
  void goTo(int line, int column);
  /// While it is applied.
  void setBusy(bool busy);

 Q_SIGNALS:
  void applied();
  void closed();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void restore();
  QLabel* title_;
  QPlainTextEdit* edit_;
  QLabel* problem_;
  QPushButton* apply_;
  QString kernel_;
  QString rules_;  // the schedule that rules made
};

}  // namespace rx::views
