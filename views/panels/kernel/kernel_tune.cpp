#include "views/panels/kernel/kernel_tune.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QProgressBar>
#include <QStandardPaths>
#include <QToolButton>
#include <algorithm>

#include "views/models/numbers.h"
#include "views/models/told_errors.h"

namespace rx::views {
namespace {

QString timeText(double microseconds) { return KernelTune::tr("%1 µs").arg(microseconds, 0, 'f', 1); }

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

TuneTrials readTrials(const QByteArray& file, const QString& kernel, qsizetype from) {
  TuneTrials trials;
  const QList<QByteArray> lines = file.mid(from).split('\n');
  for (const QByteArray& line : lines) {
    const QJsonObject trial = QJsonDocument::fromJson(line).object();
    const double time = trial["microseconds"].toDouble();
    if (trial["kernel"].toString() != kernel || time <= 0) continue;
    ++trials.count;
    const QJsonObject choices = trial["choices"].toObject();
    if (choices.isEmpty()) trials.untuned = time;
    if (trials.best > 0 && time >= trials.best) continue;
    trials.best = time;
    QStringList words;
    for (auto it = choices.begin(); it != choices.end(); ++it)
      words << QStringLiteral("%1=%2").arg(it.key()).arg(it.value().toInteger());
    trials.choices = words.join(QStringLiteral(", "));
  }
  return trials;
}

KernelTune::KernelTune(QWidget* parent)
    : QWidget(parent),
      job_(new ToolJob(this)),
      words_(new QLabel(this)),
      bar_(new QProgressBar(this)),
      cancel_(new QToolButton(this)),
      more_(new QToolButton(this)),
      use_(new QToolButton(this)),
      pipeline_(new QToolButton(this)) {
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(8, 2, 6, 2);
  words_->setWordWrap(true);
  words_->setTextFormat(Qt::PlainText);
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  words_->setAccessibleName(tr("What tuning came to"));
  bar_->setTextVisible(false);
  bar_->setMaximumWidth(fontMetrics().averageCharWidth() * 20);
  bar_->setAccessibleName(tr("Variants that were measured"));
  const struct {
    QToolButton* button;
    QString text, tip;
  } buttons[] = {{cancel_, tr("Cancel"), tr("Ends the measuring; what was measured is kept")},
                 {more_, tr("Go On"), tr("Measures the variants that were not measured yet")},
                 {use_, tr("Use"), tr("Shows the stages of the quickest variant")},
                 {pipeline_, tr("In pipeline"), tr("The passes of the window schedule kernels as was quickest")}};
  line->addWidget(words_, 1);
  line->addWidget(bar_);
  for (const auto& [button, text, tip] : buttons) {
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    line->addWidget(button, 0, Qt::AlignTop);
  }
  use_->setCheckable(true);
  connect(cancel_, &QToolButton::clicked, this, [this] { cancel(); });
  connect(more_, &QToolButton::clicked, this, &KernelTune::goOn);
  connect(use_, &QToolButton::toggled, this, &KernelTune::useChanged);
  connect(pipeline_, &QToolButton::clicked, this, &KernelTune::pipelineWanted);
  hide();
}

QString KernelTune::database() {
  return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/tuned.jsonl");
}

QString KernelTune::start(const QString& kernel, const QString& file, int trials, const QStringList& sizes) {
  if (busy()) return tr("another kernel is still tuned");
  const QString kept = database();
  QDir().mkpath(QFileInfo(kept).path());
  before_ = QFileInfo(kept).size();  // of none: 0
  kernel_ = kernel;
  trials_ = trials;
  quicker_ = false;
  const QString problem = job_->start(
      QStringList{"tune", file, "--function", kernel, "--trials", QString::number(trials), "--database", kept,
                  "--json"} +
          sizes,
      [this](bool, const QString& output) { ended(output); }, [this](const QByteArray&) { look(); });
  if (!problem.isEmpty()) return problem;
  show();
  bar_->setRange(0, trials);
  for (QWidget* each : {static_cast<QWidget*>(bar_), static_cast<QWidget*>(cancel_)}) each->show();
  for (QWidget* each : {more_, use_, pipeline_}) each->hide();
  look();
  return {};
}

TuneTrials KernelTune::measured() const { return readTrials(contentOf(database()), kernel_, before_); }

/// A line is told for each variant that was measured; what it came to stands in the file by then.
void KernelTune::look() {
  const TuneTrials trials = measured();
  bar_->setValue(trials.count);
  words_->setText(tr("Tuning %1: %2 of at most %3 variants measured%4")
                      .arg(kernel_)
                      .arg(trials.count)
                      .arg(trials_)
                      .arg(trials.best > 0 ? tr(", the quickest takes %1").arg(timeText(trials.best)) : QString()));
}

bool KernelTune::cancel() {
  if (!busy()) return false;
  job_->cancel();
  return true;
}

void KernelTune::ended(const QString& output) {
  bar_->hide();
  cancel_->hide();
  const TuneTrials trials = measured();
  const QJsonObject answer = QJsonDocument::fromJson(output.toUtf8()).object();
  const QJsonObject kernel = answer["kernels"].toArray().first().toObject();
  const double untuned = kernel["untuned"].toDouble(), best = kernel["best"].toDouble();
  quicker_ = best > 0 && best < untuned;
  if (job_->cancelled()) {
    words_->setText(tr("Tuning %1 was cancelled after %2 variants; they are kept, Go On measures the others.")
                        .arg(kernel_)
                        .arg(trials.count));
  } else if (untuned <= 0) {
    const bool taken = !answer.contains("kernels") || !toldErrors(answer).empty();
    words_->setText(
        tr("%1 was not tuned: %2").arg(kernel_, taken ? whyNoAnswer(answer, output.toUtf8()) : tr("no rule takes it")));
  } else {
    const QString measured = trials.count > 0 ? tr("%1 variants measured").arg(trials.count)
                                              : tr("all of its variants were measured before");
    const QString found = quicker_ ? tr("%1 instead of %2").arg(timeText(best), timeText(untuned))
                                   : tr("none is quicker than %1, what the rules make").arg(timeText(untuned));
    words_->setText(tr("%1: %2, %3. Kept in %4, for `--tuned` of rxs; In pipeline schedules with it.")
                        .arg(kernel_, measured, found, database()));
  }
  more_->setVisible(job_->cancelled());
  use_->setVisible(quicker_);
  pipeline_->setVisible(quicker_);
  if (!quicker_ && use_->isChecked()) use_->setChecked(false);
  Q_EMIT finished();
}

void KernelTune::showFor(const QString& kernel) {
  if (!busy()) setVisible(kernel == kernel_ && !words_->text().isEmpty());
}

QString KernelTune::said() const { return isVisibleTo(parentWidget()) ? words_->text() : QString(); }

}  // namespace rx::views
