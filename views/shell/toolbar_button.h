// Buttons of the toolbar: an icon, a name and a key, of which name and key give way where the window is narrow; and the
// row of joined buttons that chooses a layout.
#pragma once

#include <QToolButton>
#include <array>
#include <optional>
#include <utility>

namespace rx::views {

class ToolbarButton : public QToolButton {
  Q_OBJECT

 public:
  enum class Shown : uint8_t { NameAndKey, Name, IconOnly };

  /// `icon` may be null for a button that is a name alone. The property `primary` fills it with the accent.
  ToolbarButton(const char* icon, const QString& name, const QString& key, QWidget* parent);
  void setName(const QString& name);
  void setKey(const QString& key);
  /// What is not shown stands in the tip.
  void setShown(Shown shown);
  /// How wide it would be.
  int widthFor(Shown shown) const;
  /// How wide it would be as it is shown, with another name.
  int widthNamed(const QString& name) const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Parts {
    int icon = 0, name = 0, key = 0, arrow = 0, gap = 0;
    int width() const;
  };
  Parts parts(Shown shown) const;
  QFont nameFont() const;
  QFont keyFont() const;
  /// Name or key are others, or are written otherwise.
  void measureAnew();
  /// Width of name and key, as they are shown.
  mutable std::array<std::optional<std::pair<int, int>>, 3> widths_;
  const char* icon_;
  QString name_;
  QString key_;
  Shown shown_ = Shown::NameAndKey;
};

/// One choice of several names, drawn as one frame.
class LayoutSwitch : public QWidget {
  Q_OBJECT

 public:
  explicit LayoutSwitch(QWidget* parent);
  /// Shows these names, `current` chosen; empty for none.
  void show(const QStringList& names, const QString& current);

 Q_SIGNALS:
  void chosen(const QString& name);

 private:
  QStringList names_;
};

}  // namespace rx::views
