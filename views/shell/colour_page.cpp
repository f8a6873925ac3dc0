#include "views/shell/colour_page.h"

#include <QColorDialog>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QVBoxLayout>

#include "views/panels/list_view.h"
#include "views/shell/colour_settings.h"
#include "views/shell/settings.h"

namespace rx::views {
namespace {

enum : int { kGroup, kRole, kColour, kContrast };

bool isLow(const ColourRow& row) { return row.least && row.least->ratio < kLeastContrast; }

QString contrastText(const ColourRow& row) {
  if (!row.least) return QStringLiteral("carries no text");
  const QString ratio = QStringLiteral("%1:1").arg(row.least->ratio, 0, 'f', 1);
  return (isLow(row) ? QStringLiteral("too little, %1: ") : QStringLiteral("%1: "))
      .arg(ratio)
      .append(QStringLiteral("%1 on %2").arg(row.least->text, row.least->ground));
}

constexpr Column<ColourRow> kColumns[] = {
    {"where", [](const ColourRow& r) { return QString::fromLatin1(r.role->group); }, false, false,
     [](const ColourRow&) { return CellTone::Grey; }},
    {"what", [](const ColourRow& r) { return r.role->title; }, false, false, nullptr,
     [](const ColourRow& r) { return r.role->id; }},
    {"colour", [](const ColourRow& r) { return r.color.name(); }, false, true,
     [](const ColourRow& r) { return r.own ? CellTone::Accent : CellTone::Normal; },
     [](const ColourRow& r) { return r.own ? QStringLiteral("your own") : QStringLiteral("the theme's"); }},
    {"least contrast", contrastText, false, false,
     [](const ColourRow& r) { return isLow(r) ? CellTone::Error : CellTone::Grey; }},
};

/// The colour itself in front of its number.
class ColourDelegate : public CellDelegate {
 public:
  using CellDelegate::CellDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem number = option;
    const int side = option.rect.height();
    number.rect.setLeft(option.rect.left() + side);
    CellDelegate::paint(painter, number, index);
    const Palette& theme = Palette::forQt(option.palette);
    const QRect box = QRect(option.rect.topLeft(), QSize(side, side)).adjusted(4, 4, -4, -4);
    if (option.state & QStyle::State_Selected)
      painter->fillRect(QRect(option.rect.topLeft(), QSize(side, side)), theme.selection);
    painter->fillRect(box, QColor(index.data().toString()));
    painter->setPen(theme.grey);
    painter->drawRect(box);
  }
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QSize number = CellDelegate::sizeHint(option, index);
    return {number.width() + number.height(), number.height()};
  }
};

}  // namespace

ColourPage::ColourPage(Desk& desk, QWidget* parent)
    : QWidget(parent),
      desk_(desk),
      theme_(new QComboBox(this)),
      filter_(new QLineEdit(this)),
      model_(new RowModel<ColourRow>(kColumns, this)),
      view_(new ListView(this)),
      edit_(new QLineEdit(this)),
      legible_(new QPushButton(tr("Make It Legible"), this)),
      back_(new QPushButton(tr("As the Theme Has It"), this)),
      allBack_(new QPushButton(tr("All as the Theme Has Them"), this)),
      says_(new QLabel(this)) {
  build();
  show();
  view_->setCurrentIndex(view_->model()->index(0, 0));
}

void ColourPage::build() {
  theme_->addItems({tr("Light"), tr("Dark")});
  theme_->setCurrentIndex(Palette::forQt(palette()).dark ? 1 : 0);
  theme_->setAccessibleName(tr("Theme whose colours these are"));
  filter_->setPlaceholderText(tr("filter"));
  filter_->setAccessibleName(tr("Filter of colours"));
  view_->setAccessibleName(tr("Colours"));
  edit_->setAccessibleName(tr("Colour of what is selected, as #rrggbb"));
  edit_->setPlaceholderText(QStringLiteral("#rrggbb"));
  says_->setWordWrap(true);
  auto* proxy = new QSortFilterProxyModel(this);
  proxy->setSourceModel(model_);
  proxy->setFilterKeyColumn(-1);
  proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
  view_->setModel(proxy);
  view_->setItemDelegateForColumn(kColour, new ColourDelegate(view_));
  view_->setStretchColumn(kContrast);
  auto* column = new QVBoxLayout(this);
  auto* top = new QHBoxLayout;
  top->addWidget(new QLabel(tr("Theme"), this));
  top->addWidget(theme_);
  top->addWidget(filter_, 1);
  column->addLayout(top);
  column->addWidget(view_, 1);
  column->addWidget(says_);
  auto* bottom = new QHBoxLayout;
  auto* choose = new QPushButton(tr("Choose…"), this);
  bottom->addWidget(edit_, 1);
  for (QPushButton* button : {choose, legible_, back_, allBack_}) bottom->addWidget(button);
  column->addLayout(bottom);
  connect(theme_, &QComboBox::activated, this, &ColourPage::show);
  connect(filter_, &QLineEdit::textChanged, proxy, &QSortFilterProxyModel::setFilterFixedString);
  connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this, &ColourPage::showCurrent);
  connect(view_, &ListView::chosen, this, &ColourPage::choose);
  connect(choose, &QPushButton::clicked, this, &ColourPage::choose);
  connect(edit_, &QLineEdit::textEdited, this, [this](const QString& text) {
    // While it is being written it is no colour yet.
    constexpr int kWhole = 7;
    if (const QColor color(text); text.size() == kWhole && color.isValid()) give(color);
  });
  connect(legible_, &QPushButton::clicked, this, [this] {
    if (const ColourRow* row = current())
      give(legibleColor(dark() ? Palette::darkTheme() : Palette::lightTheme(), *row->role).value_or(QColor()));
  });
  connect(back_, &QPushButton::clicked, this, [this] { give(QColor()); });
  connect(allBack_, &QPushButton::clicked, this, &ColourPage::giveAllBack);
}

bool ColourPage::dark() const { return theme_->currentIndex() == 1; }

const ColourRow* ColourPage::current() const {
  const auto* proxy = static_cast<QSortFilterProxyModel*>(view_->model());
  return model_->row(proxy->mapToSource(view_->currentIndex()));
}

void ColourPage::give(const QColor& color) {
  const ColourRow* row = current();
  if (!row) return;
  setOwnColor(desk_.settings, dark(), row->role->id, color);
  desk_.window.applyLook();
  show();
}

void ColourPage::giveAllBack() {
  for (const ColorRole& role : colorRoles()) setOwnColor(desk_.settings, dark(), role.id, QColor());
  desk_.window.applyLook();
  show();
}

void ColourPage::choose() {
  const ColourRow* row = current();
  if (!row) return;
  auto* chooser = new QColorDialog(row->color, this);
  chooser->setAttribute(Qt::WA_DeleteOnClose);
  chooser->setOption(QColorDialog::DontUseNativeDialog);
  chooser->setWindowTitle(tr("Colour: %1").arg(row->role->title));
  connect(chooser, &QColorDialog::colorSelected, this, &ColourPage::give);
  chooser->open();
}

void ColourPage::show() {
  const Palette& theme = dark() ? Palette::darkTheme() : Palette::lightTheme();
  const OwnColors own = ownColors(desk_.settings, dark());
  std::vector<ColourRow> rows;
  for (const ColorRole& role : colorRoles())
    rows.push_back({&role, colorOf(theme, role), own.contains(role.id), leastContrast(theme, role)});
  model_->setPalette(Palette::forQt(palette()));
  model_->setRows(std::move(rows));
  allBack_->setEnabled(!own.isEmpty());
  showCurrent();
}

void ColourPage::showCurrent() {
  const ColourRow* row = current();
  for (QWidget* part : std::initializer_list<QWidget*>{edit_, legible_, back_}) part->setEnabled(row);
  if (!row) return says_->clear();
  if (!edit_->hasFocus()) edit_->setText(row->color.name());
  legible_->setEnabled(isLow(*row));
  back_->setEnabled(row->own);
  const QString what = row->role->group + QStringLiteral(", ") + row->role->title;
  says_->setText(
      isLow(*row)
          ? tr("%1: %2. Text needs %3:1 on its ground to be read.").arg(what, contrastText(*row)).arg(kLeastContrast)
          : tr("%1: %2.").arg(what, contrastText(*row)));
  const Palette& theme = Palette::forQt(palette());
  QPalette colors = palette();
  colors.setColor(QPalette::WindowText, isLow(*row) ? theme.error : theme.grey);
  says_->setPalette(colors);
}

void ColourPage::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) show();
}

}  // namespace rx::views
