// "Attach to Engine": where an engine listens, the token that it wants to hear, and what it shall run.
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "views/panels/panel.h"
#include "views/shell/desk.h"
#include "views/shell/dialogs.h"
#include "views/shell/style.h"

namespace rx::views {

QDialog* makeAttachDialog(Desk& desk, Commands* commands, QWidget* parent) {
  auto* dialog = new QDialog(parent);
  dialog->setWindowTitle(QStringLiteral("Attach to Engine"));
  auto* column = new QVBoxLayout(dialog);
  auto* form = new QFormLayout;
  column->addLayout(form);
  auto* address = new QLineEdit(desk.settings.value("attach.address", "127.0.0.1:").toString(), dialog);
  address->setObjectName(QStringLiteral("address"));
  auto* token = new QLineEdit(dialog);
  token->setObjectName(QStringLiteral("token"));
  token->setEchoMode(QLineEdit::Password);
  auto* function = new QComboBox(dialog);
  function->setObjectName(QStringLiteral("function"));
  if (const StageIndexPtr imported = desk.document.stage(0, false))
    for (const FunctionRow& row : imported->functions)
      if (row.binds()) function->addItem(row.name);
  if (const int main = function->findText(QStringLiteral("main")); main >= 0) function->setCurrentIndex(main);
  form->addRow(QStringLiteral("&Address (HOST:PORT)"), address);
  form->addRow(QStringLiteral("&Token"), token);
  form->addRow(QStringLiteral("&Function"), function);
  auto* hint = new QLabel(QStringLiteral("Start rxs dap --listen PORT there: it prints its token. Behind a tunnel "
                                         "(ssh -L PORT:localhost:PORT HOST) the address is 127.0.0.1:PORT. The module "
                                         "is sent; its inputs are generated there."),
                          dialog);
  hint->setWordWrap(true);
  address->setMinimumWidth(dialog->fontMetrics().averageCharWidth() * 40);
  column->addWidget(hint);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, dialog);
  buttons->button(QDialogButtonBox::Ok)->setText(QStringLiteral("Attach"));
  markPrimary(buttons->button(QDialogButtonBox::Ok));
  column->addWidget(buttons);
  const auto check = [=] {
    const bool complete = address->text().section(':', -1).toInt() > 0 && !token->text().trimmed().isEmpty();
    buttons->button(QDialogButtonBox::Ok)->setEnabled(complete && function->count() > 0);
  };
  for (QLineEdit* edit : {address, token}) QObject::connect(edit, &QLineEdit::textChanged, dialog, check);
  check();
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, [=] {
    const QStringList words{address->text().trimmed(), token->text().trimmed(), function->currentText()};
    dialog->close();
    commands->run(QStringLiteral("debug.attach"), words);
  });
  return dialog;
}

}  // namespace rx::views
