// "Settings": theme, colours, fonts, keys and budgets. Every change is seen at once; there is nothing to confirm.
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFontComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QKeySequence>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPalette>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QTabWidget>
#include <QVBoxLayout>
#include <QWidget>
#include <algorithm>
#include <limits>

#include "views/models/row_model.h"
#include "views/panels/list_view.h"
#include "views/shell/colour_page.h"
#include "views/shell/dialogs.h"
#include "views/shell/key_map.h"
#include "views/shell/run_budgets.h"
#include "views/shell/settings.h"
#include "views/theme/kind_mark.h"

namespace rx::views {
namespace {

struct KeyRow {
  const Command* command;
  QString keys;
  bool own;  // not the preset's
};
constexpr Column<KeyRow> kKeyColumns[] = {
    {"command", [](const KeyRow& r) { return QString::fromUtf8(r.command->title); }, false, false, nullptr,
     [](const KeyRow& r) { return QString::fromUtf8(r.command->help); }},
    {"keys", [](const KeyRow& r) { return r.keys; }, false, true,
     [](const KeyRow& r) { return r.own ? CellTone::Accent : CellTone::Normal; }},
    {"menu", [](const KeyRow& r) { return QString::fromUtf8(r.command->menu); }, false, false,
     [](const KeyRow&) { return CellTone::Grey; }},
};

/// What a kind of operator looks like in this theme.
class KindSwatches : public QWidget {
 public:
  explicit KindSwatches(QWidget* parent) : QWidget(parent) { setAccessibleName(tr("Colours and marks of operators")); }
  QSize sizeHint() const override {
    return {fontMetrics().averageCharWidth() * 44, static_cast<int>(kindLegend().size()) * row()};
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    const Palette& theme = Palette::forQt(palette());
    QPainter painter(this);
    int y = 0;
    for (const KindLegend& kind : kindLegend()) {
      const QRect line(0, y, width(), row());
      const KindColors& colors = theme.of(kind.kind);
      const int mark = fontMetrics().ascent() * 2 / 3;
      painter.fillRect(line.adjusted(0, 1, -width() / 3, -1), colors.fill);
      painter.fillRect(line.adjusted(width() * 2 / 3, 1, 0, -1), colors.bar);
      drawKindMark(painter, kind.kind, theme, QRectF(8, y + (row() - mark) / 2.0, mark, mark));
      painter.setPen(theme.text);
      painter.drawText(line.adjusted(mark + 18, 0, 0, 0), Qt::AlignVCenter, QString::fromLatin1(kind.name));
      y += row();
    }
  }

 private:
  int row() const { return fontMetrics().height() * 3 / 2; }
};

QWidget* makeLookPage(Desk& desk, QWidget* parent) {
  auto* page = new QWidget(parent);
  auto* form = new QFormLayout(page);
  const auto change = [&desk](const char* key, const QVariant& value) {
    desk.settings.setValue(key, value);
    desk.window.applyLook();
  };
  auto* theme = new QComboBox(page);
  for (const auto& [name, title] : {std::pair{"system", "As the desktop"}, {"light", "Light"}, {"dark", "Dark"}})
    theme->addItem(QString::fromLatin1(title), QString::fromLatin1(name));
  theme->setCurrentIndex(theme->findData(desk.settings.theme()));
  QObject::connect(theme, &QComboBox::activated, page, [=] { change("theme", theme->currentData()); });
  form->addRow(QDialog::tr("Theme"), theme);
  form->addRow(QString(), new KindSwatches(page));
  struct FontRow {
    const char* title;
    const char* key;
    QFontComboBox::FontFilters filter;
  };
  QList<QFontComboBox*> chosen;
  for (const FontRow& row : {FontRow{"Font", "fontFamily", QFontComboBox::ScalableFonts},
                             FontRow{"Font of IR and numbers", "fixedFamily", QFontComboBox::MonospacedFonts}}) {
    auto* fonts = new QFontComboBox(page);
    fonts->setFontFilters(row.filter);
    fonts->lineEdit()->setAccessibleName(QDialog::tr(row.title));
    const QString now = desk.settings.value(row.key).toString();
    if (now.isEmpty())
      fonts->setEditText(QDialog::tr("as the desktop"));
    else
      fonts->setCurrentFont(QFont(now));
    chosen << fonts;
    QObject::connect(fonts, &QFontComboBox::activated, page, [=] { change(row.key, fonts->currentFont().family()); });
    form->addRow(QDialog::tr(row.title), fonts);
  }
  auto* scale = new QDoubleSpinBox(page);
  constexpr double kPercent = 100;
  scale->setRange(25, 400);
  scale->setDecimals(0);
  scale->setSingleStep(10);
  scale->setSuffix(QStringLiteral(" %"));
  scale->setValue(desk.settings.textScale() * kPercent);
  QObject::connect(scale, &QDoubleSpinBox::valueChanged, page,
                   [=](double percent) { change("textScale", percent / kPercent); });
  form->addRow(QDialog::tr("Size of text"), scale);
  auto* reset = new QPushButton(QDialog::tr("As the desktop has it"), page);
  reset->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  QObject::connect(reset, &QPushButton::clicked, page, [=] {
    for (const char* key : {"fontFamily", "fixedFamily", "theme", "textScale"}) change(key, QVariant());
    theme->setCurrentIndex(0);
    scale->setValue(kPercent);
    for (QFontComboBox* fonts : chosen) fonts->setEditText(QDialog::tr("as the desktop"));
  });
  form->addRow(QString(), reset);
  return page;
}

/// The page of budgets: what runs may take. They hold from the next start on.
QWidget* makeBudgetPage(Desk& desk, QWidget* parent) {
  auto* page = new QWidget(parent);
  auto* form = new QFormLayout(page);
  form->setRowWrapPolicy(QFormLayout::WrapLongRows);
  const auto say = [&](const QString& text) {
    auto* label = new QLabel(text, page);
    label->setWordWrap(true);
    QPalette colors = label->palette();
    colors.setColor(QPalette::WindowText, Palette::forQt(colors).grey);
    label->setPalette(colors);
    return label;
  };
  for (const BudgetRow& row : budgetRows()) {
    auto* number = new QSpinBox(page);
    number->setRange(0, std::numeric_limits<int>::max());
    number->setGroupSeparatorShown(true);
    number->setSuffix(QString::fromLatin1(row.unit));
    number->setSpecialValueText(QDialog::tr(row.without));
    number->setAccelerated(true);
    number->setAccessibleName(QDialog::tr(row.title));
    number->setValue(desk.settings.value(row.key).toInt());
    QObject::connect(number, &QSpinBox::valueChanged, page,
                     [&desk, key = row.key](int value) { desk.settings.setValue(key, value); });
    form->addRow(QDialog::tr(row.title), number);
    form->addRow(QString(), say(QDialog::tr(row.help)));
  }
  form->addRow(QString(), say(QDialog::tr("They hold from the next start of a run on; 0 takes a limit away.")));
  return page;
}

/// The page of keys: a preset, all commands, and a field for the keys of the selected one.
class KeyPage : public QWidget {
 public:
  KeyPage(Desk& desk, QWidget* parent)
      : QWidget(parent),
        desk_(desk),
        map_(desk.settings),
        preset_(new QComboBox(this)),
        filter_(new QLineEdit(this)),
        model_(new RowModel<KeyRow>(kKeyColumns, this)),
        view_(new ListView(this)),
        edit_(new QKeySequenceEdit(this)),
        conflicts_(new QLabel(this)) {
    preset_->addItems(keyPresets());
    preset_->setAccessibleName(tr("Preset of keys"));
    filter_->setPlaceholderText(tr("filter"));
    filter_->setAccessibleName(tr("Filter of commands"));
    view_->setAccessibleName(tr("Commands and keys"));
    edit_->setAccessibleName(tr("Keys of the selected command"));
    conflicts_->setWordWrap(true);
    auto* proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(model_);
    proxy->setFilterKeyColumn(-1);
    proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    model_->setPalette(Palette::forQt(palette()));
    view_->setModel(proxy);
    view_->setStretchColumn(0);
    auto* column = new QVBoxLayout(this);
    auto* top = new QHBoxLayout;
    top->addWidget(new QLabel(tr("Preset"), this));
    top->addWidget(preset_);
    top->addWidget(filter_, 1);
    column->addLayout(top);
    column->addWidget(view_, 1);
    auto* bottom = new QHBoxLayout;
    auto* set = new QPushButton(tr("Set"), this);
    auto* none = new QPushButton(tr("No Key"), this);
    auto* back = new QPushButton(tr("As in the Preset"), this);
    bottom->addWidget(edit_, 1);
    for (QPushButton* button : {set, none, back}) bottom->addWidget(button);
    column->addLayout(bottom);
    column->addWidget(conflicts_);
    connect(preset_, &QComboBox::textActivated, this, [this](const QString& name) {
      setKeyPreset(desk_.settings, name);
      apply();
    });
    connect(filter_, &QLineEdit::textChanged, proxy, &QSortFilterProxyModel::setFilterFixedString);
    connect(set, &QPushButton::clicked, this,
            [this] { give(edit_->keySequence().toString(QKeySequence::PortableText)); });
    connect(none, &QPushButton::clicked, this, [this] { give(QStringLiteral("")); });
    connect(back, &QPushButton::clicked, this, [this] { give(QString()); });
    show();
  }

 private:
  void give(const QString& keys) {
    const auto* proxy = static_cast<QSortFilterProxyModel*>(view_->model());
    const KeyRow* row = model_->row(proxy->mapToSource(view_->currentIndex()));
    if (!row) return;
    setOwnKeys(desk_.settings, QString::fromUtf8(row->command->id), keys);
    apply();
  }
  void apply() {
    desk_.window.applyLook();
    show();
  }
  void show() {
    map_.load();
    preset_->setCurrentText(keyPreset(desk_.settings));
    const QHash<QString, QString> own = ownKeys(desk_.settings);
    std::vector<KeyRow> rows;
    for (const Command* command : commandTable())
      rows.push_back({command, map_.keys(*command).join(QStringLiteral("; ")), own.contains(command->id)});
    model_->setRows(std::move(rows));
    const QStringList conflicts = map_.conflicts();
    conflicts_->setText(conflicts.isEmpty() ? tr("No two commands share a key.") : conflicts.join('\n'));
    QPalette colors = palette();
    const Palette& theme = Palette::forQt(colors);
    colors.setColor(QPalette::WindowText, conflicts.isEmpty() ? theme.grey : theme.error);
    conflicts_->setPalette(colors);
  }
  Desk& desk_;
  KeyMap map_;
  QComboBox* preset_;
  QLineEdit* filter_;
  RowModel<KeyRow>* model_;
  ListView* view_;
  QKeySequenceEdit* edit_;
  QLabel* conflicts_;
};

/// The dialog, at one of its pages.
QDialog* makeDialog(Desk& desk, QWidget* parent, const char* page) {
  auto* dialog = new QDialog(parent);
  dialog->setWindowTitle(QDialog::tr("Settings"));
  auto* column = new QVBoxLayout(dialog);
  auto* pages = new QTabWidget(dialog);
  pages->setDocumentMode(true);
  pages->addTab(makeLookPage(desk, dialog), QDialog::tr("Look"));
  pages->addTab(new ColourPage(desk, dialog), QDialog::tr("Colours"));
  pages->addTab(new KeyPage(desk, dialog), QDialog::tr("Keys"));
  pages->addTab(makeBudgetPage(desk, dialog), QDialog::tr("Budgets"));
  for (int i = 0; i < pages->count(); ++i)
    if (pages->tabText(i) == QDialog::tr(page)) pages->setCurrentIndex(i);
  column->addWidget(pages);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  column->addWidget(buttons);
  dialog->resize(std::min(parent->width() * 3 / 4, 900), std::min(parent->height() * 4 / 5, 700));
  return dialog;
}

}  // namespace

QDialog* makeSettingsDialog(Desk& desk, Commands*, QWidget* parent) { return makeDialog(desk, parent, "Look"); }
QDialog* makeColoursDialog(Desk& desk, Commands*, QWidget* parent) { return makeDialog(desk, parent, "Colours"); }
QDialog* makeKeysDialog(Desk& desk, Commands*, QWidget* parent) { return makeDialog(desk, parent, "Keys"); }
QDialog* makeBudgetsDialog(Desk& desk, Commands*, QWidget* parent) { return makeDialog(desk, parent, "Budgets"); }

}  // namespace rx::views
