// "Keys and Commands": the command table as a page.
#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QVBoxLayout>

#include "views/models/row_model.h"
#include "views/panels/list_view.h"
#include "views/shell/actions.h"
#include "views/shell/command.h"
#include "views/shell/dialogs.h"
#include "views/shell/key_map.h"

namespace rx::views {
namespace {

using Row = KeyedCommand;
QString withArguments(const Row& row) {
  return QString::fromUtf8(row.command->id) + ' ' + QString::fromUtf8(row.command->arguments);
}
constexpr Column<Row> kColumns[] = {
    {"command", [](const Row& r) { return QString::fromUtf8(r.command->title); }},
    {"key", [](const Row& r) { return r.keys; }, false, true},
    {"what it does", [](const Row& r) { return QString::fromUtf8(r.command->help); }},
    // The arguments are in the tip: the longest would leave no room for what the commands do.
    {"in scripts", [](const Row& r) { return QString::fromUtf8(r.command->id); }, false, true,
     [](const Row&) { return CellTone::Grey; }, withArguments},
};
constexpr Column<Row> kTextColumns[] = {kColumns[0], kColumns[1], kColumns[2], {"in scripts", withArguments}};

}  // namespace

QString shortcutsText(const Settings& settings) {
  RowModel<Row> model(kTextColumns, nullptr);
  model.setRows(withKeys(commandTable(), settings));
  return modelText(model);
}

QDialog* makeShortcutsDialog(Desk& desk, Commands*, QWidget* parent) {
  auto* dialog = new QDialog(parent);
  dialog->setWindowTitle("Keys and Commands");
  auto* column = new QVBoxLayout(dialog);
  auto* filter = new QLineEdit(dialog);
  filter->setPlaceholderText("filter");
  filter->setAccessibleName("Filter of commands");
  auto* model = new RowModel<Row>(kColumns, dialog);
  model->setPalette(Palette::forQt(dialog->palette()));
  model->setRows(withKeys(commandTable(), desk.settings));
  auto* proxy = new QSortFilterProxyModel(dialog);
  proxy->setSourceModel(model);
  proxy->setFilterKeyColumn(-1);
  proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
  auto* view = new ListView(dialog);
  view->setAccessibleName("Commands and keys");
  view->setModel(proxy);
  view->setStretchColumn(2);
  QObject::connect(filter, &QLineEdit::textChanged, proxy, &QSortFilterProxyModel::setFilterFixedString);
  column->addWidget(filter);
  column->addWidget(view);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  column->addWidget(buttons);
  dialog->resize(parent->width() * 4 / 5, parent->height() * 4 / 5);
  return dialog;
}

}  // namespace rx::views
