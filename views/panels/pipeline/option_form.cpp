#include "views/panels/pipeline/option_form.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>

#include "views/theme/fonts.h"

namespace rx::views {
namespace {

QString fallbackText(const pass::OptionSpec& spec) { return QStringLiteral("%1 (default)").arg(spec.fallback); }

}  // namespace

OptionForm::OptionForm(QWidget* parent) : QWidget(parent), form_(new QFormLayout(this)) {
  form_->setContentsMargins(24, 6, 8, 6);
  form_->setVerticalSpacing(4);
}

void OptionForm::setRow(const PipelineRow* row) {
  while (form_->rowCount() > 0) form_->removeRow(0);
  setVisible(row && !row->call.row->options.empty());
  if (!row) return;
  for (const pass::OptionSpec& spec : row->call.row->options) {
    QWidget* field = makeField(*row, spec);
    field->setToolTip(QString::fromUtf8(spec.help));
    field->setAccessibleName(QString::fromUtf8(spec.name));
    field->setAccessibleDescription(QString::fromUtf8(spec.help));
    field->setObjectName(QString::fromUtf8(spec.name));
    form_->addRow(QString::fromUtf8(spec.name), field);
  }
}

/// A choice where there are few values, else a field of text; what is left out is the default.
QWidget* OptionForm::makeField(const PipelineRow& row, const pass::OptionSpec& spec) {
  const QString option = QString::fromUtf8(spec.name);
  const QString value = optionValue(row, spec);
  if (spec.kind == pass::OptionKind::Bool) {
    auto* choice = new QComboBox(this);
    for (const QString& each : {QString(), QStringLiteral("True"), QStringLiteral("False")})
      choice->addItem(each.isEmpty() ? fallbackText(spec) : each, each);
    choice->setCurrentIndex(std::max(0, choice->findData(value)));
    connect(choice, &QComboBox::activated, this,
            [this, choice, option] { Q_EMIT changed(option, choice->currentData().toString()); });
    return choice;
  }
  auto* edit = new QLineEdit(value, this);
  edit->setFont(fixedFont(edit->font()));
  edit->setPlaceholderText(fallbackText(spec));
  edit->setClearButtonEnabled(true);
  connect(edit, &QLineEdit::editingFinished, this, [this, edit, option, value] {
    if (edit->text() != value) Q_EMIT changed(option, edit->text());
  });
  return edit;
}

}  // namespace rx::views
