// The part of ValuesPanel that changes values of the run, and its menu, which offers that.
#include <QInputDialog>

#include "views/models/debug_session.h"
#include "views/panels/values/tensor_study.h"
#include "views/panels/values/values_panel.h"

namespace rx::views {
namespace {

/// Asks for a number, or a list of them, as the new content of a value; `set` gets what was written.
void openSetDialog(QWidget* parent, const ValueSummary& value, std::function<void(const QString&)> set) {
  auto* dialog = new QInputDialog(parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setObjectName(QStringLiteral("setValue"));
  dialog->setWindowTitle(QInputDialog::tr("Set Value"));
  const QString form = value.isTensor ? QInputDialog::tr("a number for every element, or a list of its shape")
                                      : QInputDialog::tr("a number; of a shape, a list");
  dialog->setLabelText(QStringLiteral("%1 %2: %3").arg(value.variable, value.text, form));
  QObject::connect(dialog, &QInputDialog::textValueSelected, parent, [set = std::move(set)](const QString& text) {
    if (!text.trimmed().isEmpty()) set(text.trimmed());
  });
  dialog->open();
}

}  // namespace

QStringList ValuesPanel::menuCommands() const {
  const bool past = context_.debug->stop().past;
  return {"values.nextBad",
          "values.previousBad",
          "values.largest",
          "-",
          past ? QStringLiteral("values.set|") + tr("Edit and Run from Here…") : QStringLiteral("values.set"),
          "values.compare",
          "-",
          "values.copyCells",
          "values.copyNumpy",
          "export.value"};
}

void ValuesPanel::set(const QString& part, const QString& text) {
  const bool past = context_.debug->stop().past;
  const QString name = study_->value().variable;
  context_.debug->setValue(study_->value(), part, text, this, [this, past, name](const QString& problem) {
    if (!problem.isEmpty())
      Q_EMIT message(problem);
    else if (past)
      Q_EMIT message(tr("%1 is changed, and the run stands at this step again: Continue goes on from it.").arg(name));
  });
}

/// Text, or text, "at" and an index; without anything the cell is edited, or a dialog asks for the whole value.
bool ValuesPanel::setCommand(const QStringList& arguments) {
  const ValueSummary& value = study_->value();
  if (!value.known || !context_.debug->canSetValues()) return false;
  if (arguments.size() > 1) {
    if (arguments[1] != QLatin1String("at") || arguments.size() < 3) return false;
    set(QLatin1Char('[') + arguments.mid(2).join(QStringLiteral(", ")) + QLatin1Char(']'), arguments[0]);
    return true;
  }
  if (arguments.size() == 1) {
    set({}, arguments[0]);
    return true;
  }
  openSetDialog(this, value, [this](const QString& text) { set({}, text); });
  return true;
}

}  // namespace rx::views
