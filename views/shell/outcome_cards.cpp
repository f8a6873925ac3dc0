#include "views/shell/outcome_cards.h"

#include <QEvent>
#include <QFileInfo>
#include <QLabel>
#include <QTimer>
#include <algorithm>

#include "views/models/missing_functions.h"
#include "views/models/run_words.h"
#include "views/shell/cards/failure_card.h"
#include "views/shell/cards/refused_card.h"
#include "views/shell/cards/result_card.h"
#include "views/shell/run_arguments.h"

namespace rx::views {
namespace {

const CardWay kCopy{QObject::tr("Copy as text"), {"view.copyCard"}, false, true};

/// A symbol of the signature, as opposed to a sum of them.
bool isName(const QString& symbol) {
  return !symbol.isEmpty() &&
         std::all_of(symbol.begin(), symbol.end(), [](QChar c) { return c.isLetterOrNumber() || c == '_'; }) &&
         !symbol.front().isDigit();
}

bool hasVerdict(const RunFailure& failure, ParameterFit::Verdict verdict) {
  return std::any_of(failure.parameters.begin(), failure.parameters.end(),
                     [&](const ParameterFit& fit) { return fit.verdict == verdict; });
}

/// A part of an array that fits where the whole does not: "y[:, 0:3]". Longer than the array, it is zero behind its
/// end. Empty where another length would not help, or is none of a few numbers more.
QString fittingPart(const RunFailure& failure, const RunConfig& config) {
  bool wantedKnown = false, givenKnown = false;
  const qint64 wanted = failure.wanted.toLongLong(&wantedKnown), given = failure.given.toLongLong(&givenKnown);
  const auto fit = std::find_if(failure.parameters.begin(), failure.parameters.end(),
                                [&](const ParameterFit& f) { return f.name == failure.parameter; });
  if (!wantedKnown || !givenKnown || failure.axis < 0 || wanted < 1 || given < 1 || fit == failure.parameters.end())
    return {};
  if (fit->verdict != ParameterFit::Verdict::Axis || fit->file.startsWith("seed")) return {};
  QString array = failure.parameter;
  for (const QString& choice : config.choices)
    if (choice.section('=', 0, 0) == failure.parameter) array = choice.section('=', 1);
  if (array.startsWith('@') || array.contains('[')) return {};  // made, or a part already
  QStringList axes(failure.axis, QStringLiteral(":"));
  axes << QStringLiteral("0:%1").arg(wanted);
  return array + '[' + axes.join(QStringLiteral(", ")) + ']';
}

/// The ways on from arguments that do not fit: other files, or values that are made.
void addInputWays(const Desk& desk, const RunFailure& failure, std::vector<CardWay>* ways) {
  const RunConfig& config = desk.debug.config();
  const QString choose = !failure.parameter.isEmpty() ? QObject::tr("Choose another %1…").arg(failure.parameter)
                                                      : QObject::tr("Edit inputs…");
  ways->push_back({choose, {"debug.start"}, true});
  if (const QString part = fittingPart(failure, config); !part.isEmpty()) {
    const bool longer = failure.wanted.toLongLong() > failure.given.toLongLong();
    ways->push_back({longer ? QObject::tr("Use %1, padded with zeros").arg(part) : QObject::tr("Use %1").arg(part),
                     {"debug.retry", "map=" + failure.parameter + '=' + part}});
  }
  const bool missing = hasVerdict(failure, ParameterFit::Verdict::Missing);
  if (missing) ways->push_back({QObject::tr("Open parameters…"), {"debug.openParameters"}});
  const RunConfig usual = defaultRun(desk.document, config.function, config.stage);
  if (!usual.inputsFile.isEmpty() && usual.inputsFile != config.inputsFile)
    ways->push_back(
        {QObject::tr("Use %1").arg(QFileInfo(usual.inputsFile).fileName()), {"debug.start", config.function}});
  bool number = false;
  failure.given.toLongLong(&number);
  if (isName(failure.symbol) && number) {
    const QString value = failure.symbol + '=' + failure.given;
    ways->push_back({QObject::tr("Make inputs for %1 = %2").arg(failure.symbol, failure.given),
                     {"debug.start", config.function, "seed=0", value}});
  } else if (!config.inputsFile.isEmpty() || missing) {
    ways->push_back({QObject::tr("Make inputs from seed 0"), {"debug.start", config.function, "seed=0"}});
  }
}

}  // namespace

OutcomeCards::OutcomeCards(Desk& desk, Commands* commands, Ground ground)
    : QObject(ground.widget),
      desk_(desk),
      ground_(std::move(ground)),
      commands_(commands),
      card_(new Card(commands, ground_.widget)) {
  card_->setObjectName("outcomeCard");
  connect(card_, &Card::dismissed, this, [this] { closed_ = closed_ || kind_ == Kind::Result; });
  ground_.widget->installEventFilter(this);
  connect(&desk.debug, &DebugSession::outcomeChanged, this, &OutcomeCards::follow);
  connect(&desk.debug, &DebugSession::stateChanged, this, [this] {
    const RunState state = desk_.debug.state();
    if (kind_ != Kind::Refused && (state == RunState::Starting || state == RunState::Running)) dismiss();
    if (state == RunState::Starting) closed_ = false;
  });
  const auto refuse = [this](const QString& path, const QString& reason) {
    kind_ = Kind::Refused;
    refusedPath_ = path;
    refusedWhy_ = reason;
    // Its text is shown first, so that the card knows which line to keep clear of. Nobody waits for a file that was
    // read again by itself: its card opens when it is asked for.
    QTimer::singleShot(0, this, [this, open = !desk_.document.readUnasked()] {
      if (kind_ != Kind::Refused) return;
      fillRefused();
      if (open) card_->open(area(), clear(), CardSide::Middle, true);
    });
  };
  connect(&desk.document, &Document::openFailed, this, refuse);
  connect(&desk.debug, &DebugSession::tracedRefused, this, refuse);
  connect(&desk.document, &Document::opened, this, [this] {
    if (!desk_.document.fixesMade().isEmpty()) {
      kind_ = Kind::Fixed;
      QTimer::singleShot(0, this, &OutcomeCards::showFixed);
    } else if (kind_ == Kind::Refused || kind_ == Kind::Fixed) {
      forget();
    }
  });
}

void OutcomeCards::forget() {
  kind_ = Kind::None;
  dismiss();
}

void OutcomeCards::dismiss() {
  card_->dismiss();
  if (brief_) brief_->dismiss();
}

void OutcomeCards::follow() {
  if (desk_.debug.failure()) return showFailure(true);
  if (desk_.debug.result()) return showResult();
  if (kind_ != Kind::Refused && kind_ != Kind::Fixed) forget();
}

bool OutcomeCards::showAgain() {
  if (kind_ == Kind::None) return false;
  if (kind_ == Kind::Result) {
    if (brief_) brief_->dismiss();
    fillResult(card_);
  }
  card_->open(area(), clear(), kind_ == Kind::Result ? CardSide::Right : CardSide::Middle, true);
  return true;
}

QRect OutcomeCards::area() const { return kind_ == Kind::Result ? ground_.beside() : ground_.middle(); }

QRect OutcomeCards::clear() const {
  return kind_ == Kind::Result ? QRect() : ground_.line(kind_ == Kind::Refused ? "source" : "ir");
}

std::vector<CardWay> OutcomeCards::failureWays(const RunFailure& failure) const {
  std::vector<CardWay> ways;
  // What nobody gives is no matter of arguments.
  const QStringList missing = missingFunctions(failure);
  const bool misfit = missing.isEmpty() &&
                      std::any_of(failure.parameters.begin(), failure.parameters.end(), [](const ParameterFit& given) {
                        return given.verdict != ParameterFit::Verdict::Fits;
                      });
  if (!missing.isEmpty())
    ways.push_back({missing.size() == 1 ? QObject::tr("Stub it with zeros")
                                        : QObject::tr("Stub all %1 with zeros").arg(missing.size()),
                    {"pass.stub"},
                    true});
  if (failure.when == RunFailure::When::Start && misfit) addInputWays(desk_, failure, &ways);
  if (failure.when == RunFailure::When::Start && !misfit) {
    ways.push_back({QObject::tr("Edit the run…"), {"debug.start"}, missing.isEmpty()});
    ways.push_back({QObject::tr("Try again"), {"debug.restart"}});
  }
  if (failure.when == RunFailure::When::Death) ways.push_back({QObject::tr("Restart"), {"debug.restart"}, true});
  if (failure.when == RunFailure::When::Middle) {
    ways.push_back({QObject::tr("Step back"), {"debug.stepBack"}, true});
    if (misfit) ways.push_back({QObject::tr("Edit inputs…"), {"debug.start"}});
  }
  if (failure.rule.endsWith(QLatin1String("-budget")))
    ways.push_back({QObject::tr("Budgets…"), {"view.settings", "budgets"}});
  if (!failure.variable.isEmpty())
    ways.push_back(
        {QObject::tr("Go to %1").arg(failure.variable), {"select.binding", failure.variable, failure.function}});
  const auto& problems = desk_.document.problems();
  const auto places = std::count_if(problems.begin(), problems.end(), [](const ProblemRow& row) {
    return row.source == QLatin1String("run") && !row.context.isEmpty();
  });
  if (places > 1) ways.push_back({QObject::tr("All %1 places").arg(places), {"view.panel", "problems"}, false, true});
  if (failure.when == RunFailure::When::Death && desk_.debug.hasTrace())
    ways.push_back({QObject::tr("Step back"), {"debug.stepBack"}});
  if (isName(failure.symbol))
    ways.push_back({QObject::tr("Where %1 is used").arg(failure.symbol), {"view.panel", "symbols"}, false, true});
  if (!misfit) ways.push_back({QObject::tr("Log"), {"view.panel", "log"}, false, true});
  ways.push_back(kCopy);
  return ways;
}

void OutcomeCards::showFailure(bool focus) {
  if (brief_) brief_->dismiss();
  kind_ = Kind::Failure;
  const RunFailure& failure = *desk_.debug.failure();
  card_->begin(CardTone::Error, failureTitle(failure), failureProgress(failure));
  card_->setContent(makeFailureContent(failure, card_));
  card_->setWays(failureWays(failure));
  card_->setText(failureText(failure));
  card_->open(area(), clear(), CardSide::Middle, focus);
  // What it speaks of is selected and scrolled to by those who hear of it after this.
  QTimer::singleShot(0, this, &OutcomeCards::placeAgain);
}

/// What is compared comes behind the end: a card that is open then says so too, one that was closed stays closed.
void OutcomeCards::showResult() {
  kind_ = Kind::Result;
  const bool open = card_->isVisible();
  fillResult(card_);
  if (open) return card_->open(area(), clear(), CardSide::Right, false);
  if (!closed_) showBrief();
}

void OutcomeCards::fillResult(Card* card) {
  const RunResult& result = *desk_.debug.result();
  const bool differs = result.comparison && result.comparison->error.isEmpty() && !result.comparison->equal;
  const bool brief = card == brief_;
  const bool lost = !result.lost.isEmpty();
  const QString past = desk_.debug.pastOf();
  const CardTone tone = !past.isEmpty()            ? CardTone::Past
                        : differs                  ? CardTone::Error
                        : doubtful(result) || lost ? CardTone::Warning
                                                   : CardTone::Good;
  card->begin(tone, resultTitle(result),
              !past.isEmpty() ? tr("of %1").arg(past)
              : brief         ? QString()
                              : tr("F8 shows it again"));
  QWidget* content = brief ? makeResultBrief(result, card) : makeResultContent(result, card);
  if (!past.isEmpty())
    for (QLabel* label : content->findChildren<QLabel*>()) {
      QPalette ink = label->palette();
      ink.setColor(QPalette::WindowText, Palette::forQt(card->palette()).grey);
      label->setPalette(ink);
    }
  card->setContent(content);
  const CardWay back{tr("Step back"), {"debug.stepBack"}, !brief && past.isEmpty() && !doubtful(result)};
  std::vector<CardWay> ways;
  if (!past.isEmpty()) ways.push_back({tr("Run again"), {"debug.restart"}, true});
  if (lost) ways.push_back({tr("Budgets…"), {"view.settings", "budgets"}, !brief && past.isEmpty()});
  if (doubtful(result))
    ways.push_back(
        {tr("Go to %1").arg(result.bad->variable), {"select.binding", result.bad->variable}, !brief && past.isEmpty()});
  if (brief) {
    ways.insert(ways.end(), {{tr("Details"), {"view.card"}}, back});
  } else {
    ways.push_back(back);
    ways.push_back({tr("Profile"), {"profile.run"}});
    if (!lost) ways.push_back({tr("Save result…"), {"export.result"}});
    ways.insert(ways.end(), {{tr("Export package…"), {"export.package"}}, kCopy});
  }
  card->setWays(ways);
  card->setText(resultTitle(result) + pastText(desk_.debug) + '\n' + resultText(result));
}

void OutcomeCards::showBrief() {
  QWidget* inspector = ground_.inspector();
  if (brief_ && brief_->parentWidget() != inspector) delete brief_;
  if (!brief_) {
    brief_ = new Card(commands_, inspector);
    brief_->setObjectName("resultBrief");
    connect(brief_, &Card::dismissed, this, [this] { closed_ = true; });
  }
  fillResult(brief_);
  brief_->dock();
}

void OutcomeCards::fillRefused() {
  if (brief_) brief_->dismiss();
  const Refusal refusal = refusalOf(desk_.document, refusedPath_, refusedWhy_);
  card_->begin(CardTone::Error, refusal.title, refusal.aside);
  card_->setContent(makeRefusedContent(refusal, card_));
  std::vector<CardWay> ways;
  const bool exact = !refusal.write.isEmpty();
  if (exact) ways.push_back({tr("Write %1").arg(refusal.write), {"problem.fix"}, true});
  if (refusal.fixable > 1 || (refusal.fixable > 0 && !exact))
    ways.push_back({refusal.fixable == 1 ? refusal.later : tr("Apply all %1 fixes").arg(refusal.fixable),
                    {"problem.fix", "all"},
                    !exact});
  if (refusal.line > 0)
    ways.push_back({tr("Go to line %1").arg(refusal.line),
                    {"view.panelCommand", "source", "goToLine", QString::number(refusal.line)},
                    refusal.fixable == 0});
  if (!refusal.fix.isEmpty() && !exact) ways.push_back({tr("Copy the fix"), {"edit.copyText", refusal.fix}});
  if (!desk_.document.fixesMade().isEmpty()) ways.push_back({tr("Undo fix"), {"problem.undoFix"}});
  ways.push_back({tr("Open another…"), {"file.open"}, refusal.line <= 0});
  ways.push_back({tr("All problems"), {"view.panel", "problems"}, false, true});
  ways.push_back(kCopy);
  card_->setWays(ways);
  card_->setText(refusal.text);
}

void OutcomeCards::showFixed() {
  const QStringList made = desk_.document.fixesMade();
  if (kind_ != Kind::Fixed || made.isEmpty()) return;
  const QString name = QFileInfo(desk_.document.sourceFile()).fileName();
  const QString title = made.size() == 1 ? tr("%1 opens with a fix").arg(name)
                                         : tr("%1 opens with %2 fixes").arg(name, QString::number(made.size()));
  card_->begin(CardTone::Good, title, tr("F8 shows this again"));
  card_->setContent(makeFixedContent(made, card_));
  card_->setWays({{tr("Write to the file"), {"file.writeFixes"}, true},
                  {tr("Save as…"), {"file.saveFixed"}},
                  {tr("Undo"), {"problem.undoFix"}},
                  kCopy});
  card_->setText(title + '\n' + made.join('\n'));
  card_->open(area(), clear(), CardSide::Middle, true);
}

void OutcomeCards::placeAgain() {
  if (card_->isVisible()) card_->place(area(), clear());
}

bool OutcomeCards::eventFilter(QObject*, QEvent* event) {
  if (event->type() == QEvent::Resize) placeAgain();
  return false;
}

}  // namespace rx::views
