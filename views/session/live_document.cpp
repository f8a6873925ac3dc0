#include "views/session/live_document.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <tuple>
#include <utility>

#include "core/analysis/lost_types.h"
#include "core/analysis/planned_memory.h"
#include "core/compile/request/languages.h"
#include "core/compile/request/passes.h"
#include "core/compile/request/weights.h"
#include "core/ir/language.h"
#include "core/pass/context_pass.h"
#include "views/models/diagnostic_sentence.h"
#include "views/models/worker.h"
#include "views/session/stage_builder.h"
#include "views/session/step_rows.h"
#include "views/theme/qt_text.h"

namespace rx::views {

LiveDocument::LiveDocument(QObject* parent) : Document(parent) {
  pool_.setMaxThreadCount(2);
  pipelines_ << qtText(compile::defaultPipeline());
  connect(&files_, &FileWatch::changed, this, &LiveDocument::noteFileChange);
}

LiveDocument::~LiveDocument() {
  cancelToken_.cancel();
  pool_.waitForDone();
}

void LiveDocument::open(const QString& path, const QString& moduleName) {
  fixed_.clear();
  startReading(path, moduleName, false);
}

void LiveDocument::reload() {
  fixed_.clear();
  if (!opened_.path.isEmpty()) startReading(opened_.path, opened_.moduleName, true);
}

void LiveDocument::followFile() {
  reload();
  unasked_ = opening_;
}

void LiveDocument::startReading(const QString& path, const QString& moduleName, bool again) {
  unasked_ = false;
  const int number = ++reading_;
  opening_ = true;
  readingPath_ = path;
  openError_.clear();
  refusedFile_.clear();
  refusedText_.clear();
  refusedPath_.clear();
  if (!again) hasOpenPlace_ = false;
  if (state_ != State::Ready) state_ = State::Opening;
  setProgress(tr("Opening %1").arg(QFileInfo(path).fileName()), 0, 0);
  Q_EMIT stateChanged();
  cancelToken_ = CancelToken();
  runOnWorker(
      pool_, this,
      [path, moduleName, token = cancelToken_,
       text = fixed_.empty() ? std::optional<QString>() : std::optional(fixed_.back().text)] {
        return readModule(path, moduleName, token, text);
      },
      [this, number, again](OpenedModule opened) {
        if (number == reading_) finishReading(std::move(opened), again);
      });
}

void LiveDocument::finishReading(OpenedModule opened, bool again) {
  opening_ = false;
  setProgress({}, 0, 0);
  if (opened.ok) {
    stale_ = false;
    adopt(std::move(opened));
    return;
  }
  openError_ = opened.error;
  refusedFile_ = opened.file;
  refusedText_ = opened.sourceText;
  refusedPath_ = opened.isHistory ? QString() : opened.path;
  if (state_ == State::Ready) {
    stale_ = again;
  } else {
    state_ = State::Failed;
    opened_.path = opened.path;
    opened_.file = opened.file;
    opened_.isHistory = opened.isHistory;
    opened_.stamps = opened.stamps;
    watch();
  }
  setProblems("reader", opened.problems);
  Q_EMIT stateChanged();
  Q_EMIT openFailed(opened.path, opened.error);
}

void LiveDocument::adopt(OpenedModule opened) {
  ++generation_;
  refusedFile_.clear();
  refusedText_.clear();
  refusedPath_.clear();
  if (opened.path != opened_.path || opened.moduleName != opened_.moduleName) inherited_ = true;
  releaseAll();
  opened_ = std::move(opened);
  read_ = opened_.imported;
  inputCounts_.clear();
  state_ = State::Ready;
  forgetBuilding();
  other_.reset();
  problems_.assign(opened_.problems);
  resetSteps();
  watch();
  stage(0);
  Q_EMIT stateChanged();
  Q_EMIT stepsChanged();
  Q_EMIT problemsChanged();
  Q_EMIT this->opened();
  if (hasOpenPlace_) Q_EMIT placeAsked(openPlace_);
  hasOpenPlace_ = false;
}

void LiveDocument::releaseAll() {
  read_ = {};
  answerStages(fail("pass.cancelled", "the module was closed"));
  releaseOnWorker(pool_,
                  std::tuple(std::exchange(opened_, {}), std::exchange(records_, {}), std::exchange(stages_, {})));
}

QString LiveDocument::language() const {
  return opened_.imported ? qtText(ir::languageOf(*opened_.imported).name) : QString();
}

void LiveDocument::resetSteps(size_t kept) {
  records_.resize(kept);
  steps_.clear();
  lastStage_ = target_ = static_cast<int>(kept);
  if (opened_.isHistory) {
    for (const import::DumpedStage& stage : opened_.stages)
      steps_.push_back(dumpedRow(stage, static_cast<int>(steps_.size())));
    lastStage_ = target_ = static_cast<int>(steps_.size()) - 1;
    return checkDumped(0, {});
  }
  StepRow imported;
  imported.name = tr("imported");
  imported.help = tr("The module as it was read.");
  imported.state = StepState::Done;
  setVerdict(&imported, opened_.verdict);
  imported.language = qtText(ir::languageOf(*opened_.imported).title);
  steps_.push_back(imported);
  Result<std::vector<pass::PassCall>> calls = compile::stepsFor(*opened_.imported, pipeline().toStdString());
  calls_ = calls ? *calls : std::vector<pass::PassCall>();
  for (size_t i = 0; i < calls_.size(); ++i) {
    StepRow row;
    row.number = static_cast<int>(i) + 1;
    row.name = QString::fromUtf8(calls_[i].row->name);
    row.help = QString::fromUtf8(calls_[i].row->help);
    row.options = optionsOf(calls_[i].text());
    const std::string_view gives = calls_[i].row->gives;
    row.language = gives.empty() ? steps_.back().language : qtText(ir::languageNamed(gives).title);
    if (i < kept) setResult(&row, records_[i]);
    steps_.push_back(row);
  }
}

void LiveDocument::readOther(const QString& path) {
  otherError_.clear();
  if (path.isEmpty()) {
    if (std::exchange(other_, nullptr)) Q_EMIT otherChanged();
    return;
  }
  struct Read {
    StageIndexPtr index;
    QString error;
  };
  ++checking_;
  runOnWorker(
      pool_, this,
      [path] {
        const OpenedModule opened = readModule(path, {}, {});
        if (!opened.ok) return Read{nullptr, opened.error};
        return Read{buildStage(0, opened.title, opened.imported), {}};
      },
      [this, path, generation = generation_](Read read) {
        if (generation != generation_) return;
        --checking_;
        otherError_ = read.index ? QString() : QStringLiteral("%1: %2").arg(path, read.error);
        if (read.index) other_ = std::move(read.index);
        Q_EMIT otherChanged();
      });
}

void LiveDocument::close() {
  cancelToken_.cancel();
  ++generation_;
  ++reading_;
  opening_ = false;
  releaseAll();
  steps_.clear();
  calls_.clear();
  forgetBuilding();
  problems_.clear();
  lastStage_ = target_ = 0;
  stale_ = false;
  state_ = State::Empty;
  watch();
  setProgress({}, 0, 0);
  Q_EMIT stateChanged();
  Q_EMIT stepsChanged();
  Q_EMIT problemsChanged();
}

/// Checks the stages of a folder one after another, so that each row gets its lamp and each finding is listed once.
void LiveDocument::checkDumped(size_t number, std::vector<Diagnostic> before) {
  while (number < opened_.stages.size() && opened_.stages[number].refused()) ++number;
  if (number >= opened_.stages.size()) return;
  ++checking_;
  runOnWorker(
      pool_, this, [module = opened_.stages[number].module] { return checkModule(module); },
      [this, number, before = std::move(before), generation = generation_](std::vector<Diagnostic> found) {
        if (generation != generation_) return;
        --checking_;
        StepRow& row = steps_[number];
        setVerdict(&row, found);
        const QString source = tr("check of %1").arg(row.name);
        const SourceList sources{opened_.stages[number].source};
        setProblems(source, problemRows(newFindings(before, found), sources, source, row.number));
        Q_EMIT stepsChanged();
        checkDumped(number + 1, std::move(found));
      });
}

ir::Module LiveDocument::moduleOf(int stage) const {
  if (stage < 0) return {};
  if (opened_.isHistory) {
    const size_t at = static_cast<size_t>(stage);
    return at < opened_.stages.size() ? opened_.stages[at].module : ir::Module();
  }
  if (stage == 0) return opened_.imported;
  const size_t at = static_cast<size_t>(stage) - 1;
  return at < records_.size() ? records_[at].after : ir::Module();
}

const SourceList& LiveDocument::sourcesOf(int stage) const {
  const ir::Module module = opened_.isHistory ? moduleOf(stage) : opened_.imported;
  static const SourceList kNone;
  return module ? *module->sources : kNone;
}

StageIndexPtr LiveDocument::stage(int number, bool request) {
  if (const auto found = stages_.find(number); found != stages_.end()) return found->second;
  const ir::Module module = moduleOf(number);
  if (!request || building_.count(number)) return nullptr;
  if (!module) return refusedStage(number);
  // Where nothing changed, the rows of the stage before serve as they are.
  if (number > 0 && module == moduleOf(number - 1)) {
    if (const auto before = stages_.find(number - 1); before != stages_.end()) {
      auto same = std::make_shared<StageIndex>(*before->second);
      same->stage = number;
      same->title = steps_[static_cast<size_t>(number)].name;
      stages_[number] = same;
      announce(number);
      return same;
    }
  }
  buildRows(number, module);
  return nullptr;
}

void LiveDocument::buildRows(int number, ir::Module module) {
  building_.insert(number);
  const QString title = steps_[static_cast<size_t>(number)].name;
  const auto built = [this, number](int at) {
    const auto found = at < number ? stages_.find(at) : stages_.end();
    return found == stages_.end() ? nullptr : found->second;
  };
  const auto printed = [this, generation = generation_](const StageIndexPtr& text) {
    const auto take = [this, generation, text] {
      if (generation == generation_ && building_.count(text->stage)) takeText(text);
    };
    QMetaObject::invokeMethod(this, take, Qt::QueuedConnection);
  };
  runOnWorker(
      pool_, this,
      [number, title, module = std::move(module), first = built(0),
       before = StageBefore{moduleOf(number - 1), built(number - 1)}, machine = machine_,
       printed] { return buildStage(number, title, module, first, before, machine, printed); },
      [this, number, generation = generation_](StageIndexPtr built) {
        if (generation != generation_) return;
        building_.erase(number);
        if (text_ && text_->stage == number) text_.reset();
        if (number > lastStage_) {
          early_ = std::move(built);  // its pass is still being checked
          return;
        }
        stages_[number] = releasedOnWorker(std::move(built));
        Q_EMIT stageReady(number);
        Q_EMIT progressChanged();
      });
}

void LiveDocument::buildEarly(int number, int generation, const ir::Module& made) {
  const auto build = [this, number, generation, made] {
    if (generation == generation_ && number == target_ && number > lastStage_) buildRows(number, made);
  };
  QMetaObject::invokeMethod(this, build, Qt::QueuedConnection);
}

StageIndexPtr LiveDocument::stageText(int number) const {
  return text_ && text_->stage == number && number <= lastStage_ ? text_ : nullptr;
}

void LiveDocument::takeText(StageIndexPtr text) {
  text_ = std::move(text);
  if (text_->stage <= lastStage_) Q_EMIT textReady(text_->stage);
}

/// A stage that could not be read is there at once: it is only its text.
StageIndexPtr LiveDocument::refusedStage(int number) {
  if (!opened_.isHistory || number < 0 || static_cast<size_t>(number) >= opened_.stages.size()) return nullptr;
  const StageIndexPtr index = refusedIndex(opened_.stages[static_cast<size_t>(number)], number);
  stages_[number] = index;
  announce(number);
  return index;
}

void LiveDocument::forgetBuilding() {
  building_.clear();
  early_.reset();
  text_.reset();
}

void LiveDocument::announce(int number) {
  QMetaObject::invokeMethod(
      this, [this, number] { Q_EMIT stageReady(number); }, Qt::QueuedConnection);
}

void LiveDocument::runPassesTo(int number) {
  if (!canRunPasses()) return;
  const bool idle = target_ <= lastStage_;
  target_ = std::max(target_, std::min(number, static_cast<int>(calls_.size())));
  if (idle && target_ > lastStage_) {
    cancelToken_ = CancelToken();
    passFailure_.clear();
    runNextPass();
  }
}

void LiveDocument::runNextPass() {
  if (target_ <= lastStage_) {
    setProgress({}, 0, 0);
    return;
  }
  const int number = lastStage_ + 1;
  const size_t at = static_cast<size_t>(number) - 1;
  steps_[static_cast<size_t>(number)].state = StepState::Running;
  setProgress(tr("Pass %1: %2").arg(number).arg(steps_[static_cast<size_t>(number)].name), number - 1, target_);
  Q_EMIT stepsChanged();
  pass::RunOptions options;
  options.context.cancel = cancelToken_;
  options.context.target = machine_;
  // The machine that compiles, as where a request names no target.
  if (auto host = target::parseTarget("llvm"); host && !machine_) options.context.target = *host;
  for (size_t before = 0; before < at; ++before) (void)pass::enter(calls_[before], options.context);
  options.remarks = true;
  options.measure = true;
  options.verify = checkModule;
  if (number == target_)
    options.made = [this, number, generation = generation_](const ir::Module& made) {
      buildEarly(number, generation, made);
    };
  options.compare = [](const ir::Module& before, const ir::Module& after) {
    return analysis::lostTypes(*before, *after);
  };
  runOnWorker(
      pool_, this,
      [module = moduleOf(lastStage_), call = calls_[at], options] {
        pass::StepRecord record = pass::runStep(module, call, options);
        const std::optional<int64_t> planned = record.after ? analysis::mostPlannedBytes(*record.after) : std::nullopt;
        return std::pair(std::move(record), planned);
      },
      [this, number, generation = generation_](std::pair<pass::StepRecord, std::optional<int64_t>> done) {
        if (generation != generation_) return;
        steps_[static_cast<size_t>(number)].planned = done.second;
        takeStep(number, std::move(done.first));
      });
}

void LiveDocument::takeStep(int number, pass::StepRecord record) {
  StepRow& row = steps_[static_cast<size_t>(number)];
  const bool cancelled = record.failed() && cancelToken_.cancelled();
  if (cancelled) {
    row.state = StepState::Pending;
    target_ = lastStage_;
    passFailure_ = {errorAt({}, "pass.cancelled", "the passes were cancelled")};
  } else {
    setResult(&row, record);
    const SourceList& sources = *opened_.imported->sources;
    // What would let the pass do more stands beside its row, and is no problem.
    std::vector<Diagnostic> said;
    std::ranges::copy_if(record.messages, std::back_inserter(said),
                         [](const Diagnostic& each) { return !pass::wayIn(each); });
    said.insert(said.end(), record.lost.begin(), record.lost.end());
    // The result has no text of its own that a span could point into, but its bindings have origins in the source.
    // What was wrong before the pass already is in the list.
    const std::vector<Diagnostic>& before = records_.empty() ? opened_.verdict : records_.back().verdict;
    for (Diagnostic& finding : newFindings(before, record.verdict)) said.push_back(std::move(finding));
    setProblems(tr("pass %1").arg(row.name), problemRows(said, sources, tr("pass %1").arg(row.name), number));
    if (record.failed()) {
      target_ = lastStage_;
      passFailure_ = record.messages;
      for (Diagnostic& failed : passFailure_)
        if (failed.context.empty()) failed.context = "pass " + record.name;
    } else {
      records_.push_back(std::move(record));
      lastStage_ = number;
      if (early_) {
        stages_[number] = releasedOnWorker(std::exchange(early_, nullptr));
        announce(number);
      }
      if (lastStage_ == target_) stage(lastStage_);
      if (stageText(number)) Q_EMIT textReady(number);
    }
  }
  if (target_ <= lastStage_) setProgress({}, 0, 0);
  Q_EMIT stepsChanged();
  runNextPass();
  settleStages();
}

void LiveDocument::setPipeline(const QString& pipeline) {
  Result<std::vector<pass::PassCall>> calls = compile::stepsFor(*opened_.imported, pipeline.toStdString());
  if (!calls) {
    pipelineError_ = sentenceOf(calls.diagnostics().front());
    return;
  }
  pipelineError_.clear();
  const bool same = pipeline == this->pipeline();
  // The changes that led to it were made for another module.
  if (std::exchange(inherited_, false)) {
    pipelines_ = {pipeline};
    pipeline_ = 0;
    if (same) return;
  }
  turnTo(pipeline);
  // Passes before the first change did what they would do again.
  const auto ran = std::min({records_.size(), calls_.size(), calls->size()});
  size_t kept = 0;
  while (kept < ran && (*calls)[kept].text() == calls_[kept].text()) ++kept;
  startAgainAt(kept);
}

void LiveDocument::startAgainAt(size_t kept) {
  cancelToken_.cancel();
  ++generation_;
  forgetBuilding();
  checking_ = 0;
  stages_.erase(stages_.upper_bound(static_cast<int>(kept)), stages_.end());
  problems_.eraseIf(
      [kept](const ProblemRow& row) { return row.source.startsWith("pass ") && row.stage > static_cast<int>(kept); });
  resetSteps(kept);
  stage(0);
  answerStages(fail("pass.cancelled", "the pipeline was changed"));
  Q_EMIT stepsChanged();
  Q_EMIT problemsChanged();
}

QString LiveDocument::setTarget(const QString& text) {
  const QString wanted = text.trimmed();
  target::TargetRef machine;
  if (!wanted.isEmpty()) {
    Result<target::TargetRef> read = target::parseTarget(wanted.toStdString());
    if (!read) return qtText(read.diagnostics().front().message);
    machine = *read;
  }
  if (wanted == targetText_) return {};
  targetText_ = wanted;
  machine_ = machine;
  if (state_ != State::Ready) return {};
  // Kernels of stage 0 have their badges too.
  stages_.clear();
  startAgainAt(0);
  return {};
}

QString LiveDocument::setInputCount(const QString& function, int count) {
  if (!canRunPasses()) return Document::setInputCount(function, count);
  std::map<QString, int> wanted = inputCounts_;
  if (count < 0) wanted.erase(function);
  if (count >= 0) wanted[function] = count;
  if (wanted == inputCounts_) return {};
  std::vector<compile::InputCount> counts;
  for (const auto& [name, inputs] : wanted) counts.push_back({name.toStdString(), inputs});
  Result<ir::Module> told = compile::withInputCounts(read_, counts);
  if (!told) return sentenceOf(told.diagnostics().front());
  inputCounts_ = std::move(wanted);
  opened_.imported = std::move(*told);
  stages_.clear();
  startAgainAt(0);
  return {};
}

void LiveDocument::turnTo(const QString& pipeline) {
  if (pipeline == this->pipeline()) return;
  if (pipeline == pipelineBefore() && !pipeline.isNull()) {
    --pipeline_;
  } else if (pipeline == pipelineAfter() && !pipeline.isNull()) {
    ++pipeline_;
  } else {
    pipelines_.resize(++pipeline_);
    pipelines_ << pipeline;
  }
}

void LiveDocument::checkStage(int number) {
  const ir::Module module = moduleOf(number);
  if (!module) return;
  ++checking_;
  runOnWorker(
      pool_, this, [module] { return checkModule(module); },
      [this, number, generation = generation_](std::vector<Diagnostic> found) {
        if (generation != generation_) return;
        --checking_;
        StepRow& row = steps_[static_cast<size_t>(number)];
        setVerdict(&row, found);
        const QString source = opened_.isHistory ? tr("check of %1").arg(row.name) : tr("check");
        setProblems(source, problemRows(found, sourcesOf(number), source, number));
        Q_EMIT stepsChanged();
      });
}

void LiveDocument::cancel() {
  cancelToken_.cancel();
  target_ = lastStage_;
  if (opening_) {
    ++reading_;
    opening_ = false;
    if (state_ == State::Opening) state_ = State::Empty;
    openError_ = tr("cancelled");
    Q_EMIT stateChanged();
  }
  for (StepRow& row : steps_) {
    if (row.state == StepState::Running) row.state = StepState::Pending;
  }
  ++generation_;
  forgetBuilding();
  checking_ = 0;
  setProgress({}, 0, 0);
  answerStages(fail("pass.cancelled", "the passes were cancelled"));
  Q_EMIT stepsChanged();
}

void LiveDocument::setProblems(const QString& source, const std::vector<ProblemRow>& problems) {
  if (problems_.set(source, problems)) Q_EMIT problemsChanged();
}

void LiveDocument::setProgress(const QString& what, int done, int total) {
  progress_ = {what, done, total};
  Q_EMIT progressChanged();
}

QString LiveDocument::programPath(int stage) {
  if (state_ != State::Ready) return {};
  if (!opened_.isHistory) {
    QFile file(opened_.file);
    if (file.open(QIODevice::ReadOnly) && QString::fromUtf8(file.readAll()) == opened_.sourceText) return opened_.file;
  }
  // The text that is open, not the file as it is now: what is stepped is what is shown.
  const ir::Module chosen = opened_.isHistory ? moduleOf(stage) : nullptr;
  const QString path = copies_.filePath(QStringLiteral("module_%1_%2.py").arg(generation_).arg(chosen ? stage : 0));
  QFile copy(path);
  if (!copy.open(QIODevice::WriteOnly)) return {};
  copy.write(opened_.isHistory ? QByteArray::fromStdString(compile::moduleText(chosen ? chosen : opened_.imported))
                               : opened_.sourceText.toUtf8());
  return path;
}

void LiveDocument::watch() {
  fileState_ = FileState::AsRead;
  files_.watch(opened_.isHistory ? opened_.path : opened_.file, opened_.stamps);
}

void LiveDocument::noteFileChange(bool gone) {
  const QString path = opened_.isHistory ? opened_.path : opened_.file;
  fileState_ = gone ? FileState::Gone : stampsOf(path) == opened_.stamps ? FileState::AsRead : FileState::Changed;
  Q_EMIT fileChanged(path);
}

}  // namespace rx::views
