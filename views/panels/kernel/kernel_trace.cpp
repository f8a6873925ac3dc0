// The schedule of the kernel as text, and what is made of it once it was changed.
#include <QJsonDocument>
#include <QJsonObject>
#include <QStackedWidget>
#include <QToolButton>
#include <algorithm>

#include "views/models/diagnostic_sentence.h"
#include "views/models/output_bytes.h"
#include "views/models/scratch_folder.h"
#include "views/models/told_errors.h"
#include "views/panels/kernel/kernel_facts.h"
#include "views/panels/kernel/kernel_panel.h"
#include "views/panels/kernel/kernel_question.h"
#include "views/panels/kernel/kernel_sides.h"
#include "views/panels/kernel/kernel_tune.h"
#include "views/panels/kernel/trace_editor.h"
#include "views/text/text_view.h"

namespace rx::views {

bool KernelPanel::traceShown() const { return pages_->currentWidget() == trace_; }

bool KernelPanel::openTrace() {
  if (!traceShown() && (!stagesShown() || !takesSchedule(*sides_->listing()))) return false;
  trace_->edit(sides_->listing()->name, sides_->listing()->trace);
  pages_->setCurrentWidget(trace_);
  showFacts();
  trace_->setFocus(Qt::OtherFocusReason);
  return true;
}

void KernelPanel::closeTrace() {
  pages_->setCurrentWidget(sides_);
  showFacts();
  focusedView()->setFocus(Qt::OtherFocusReason);
}

QString KernelPanel::writeKernel() {
  if (!files_) files_ = std::make_unique<ScratchFolder>();
  const int begun = std::max(sides_->listing()->unscheduled(), 0);
  QByteArray module = sides_->listing()->stages[static_cast<size_t>(begun)].text;
  module.replace("private=True, ", "");  // else nothing would need it
  return writeOutput(files_->filePath("kernel.py"), module);
}

/// Measures variants of the kernel, and shows its stages by the quickest where that is wanted.
bool KernelPanel::tuneKernel(int trials) {
  if (!stagesShown() || working_ || tune_->busy()) return false;
  QString problem = writeKernel();
  const QString kernel = sides_->listing()->name;
  if (problem.isEmpty())
    problem = tune_->start(kernel, files_->filePath("kernel.py"), trials, sizeWords(context_, kernel));
  if (!problem.isEmpty()) Q_EMIT message(tr("No tuning: %1").arg(problem));
  return problem.isEmpty();
}

/// The kernel as it was before it was scheduled, by itself in a file, and the lines in another: what rxs makes of them
/// is a module, whose kernel has stages as any.
void KernelPanel::applyTrace() {
  const QString kernel = sides_->listing()->name;
  QString problem = writeKernel();
  const QString from = files_->filePath("kernel.py"), by = files_->filePath("trace.py");
  if (problem.isEmpty()) problem = writeOutput(by, trace_->file());
  if (problem.isEmpty())
    problem = job_->start(QStringList{"schedule", from, "--function", kernel, "--trace", by, "-o",
                                      files_->filePath("scheduled.py"), "--json"} +
                              targetWords(context_),
                          [this, kernel](bool ok, const QString& output) { traced(kernel, ok, output.toUtf8()); });
  trace_->setProblem(problem);
  if (!problem.isEmpty()) return;
  working_ = true;
  trace_->setBusy(true);
  cancel_->show();
  showFacts();
}

/// What the schedule came to: its fault, or the stages of the kernel that it made.
void KernelPanel::traced(const QString& kernel, bool ok, const QByteArray& output) {
  const auto refuse = [this](const QString& why) {
    trace_->setProblem(why);
    ended();
  };
  if (!ok) {
    const QJsonObject answer = QJsonDocument::fromJson(output).object();
    const std::vector<ToldError> errors = toldErrors(answer);
    if (errors.empty()) return refuse(whyNoAnswer(answer, output));
    const ToldError& first = errors.front();
    if (first.file == files_->filePath("trace.py")) trace_->goTo(first.line, first.column);
    QStringList said;
    for (const ToldError& error : errors) said << sentenceOf(error.what);
    return refuse(said.join(QLatin1Char('\n')));
  }
  QStringList question{"kernel", files_->filePath("scheduled.py"), "--function", kernel, "--json"};
  question += targetWords(context_);
  if (sampled_->isChecked()) question += sampleWords(context_, kernel);
  const QString problem = job_->start(question, [this, refuse](bool, const QString& answer) {
    QString why;
    const KernelListingPtr listing = readKernel(answer.toUtf8(), &why);
    if (!listing) return refuse(why);
    auto made = std::make_shared<KernelListing>(*listing);
    made->trace = sides_->listing()->trace;  // what rules made, to go back to
    edited_ = std::move(made);
    sides_->setListing(edited_);
    pages_->setCurrentWidget(sides_);
    ended();
  });
  if (!problem.isEmpty()) refuse(problem);
}

}  // namespace rx::views
