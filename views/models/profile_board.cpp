#include "views/models/profile_board.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>

#include "views/models/document.h"
#include "views/models/numbers.h"

namespace rx::views {
namespace {

/// More than a profile has: 20,000 events are some two megabytes.
constexpr qint64 kMostBytes = 64 << 20;

/// Kinds by what they say of a kernel that does several things, most of all first.
constexpr OpKind kTelling[] = {OpKind::Compute, OpKind::Reduction, OpKind::Movement, OpKind::Elementwise};

bool holds(const std::vector<ProfileSource>& sources, const QString& function, const QString& variable) {
  return std::ranges::any_of(
      sources, [&](const ProfileSource& source) { return source.function == function && source.variable == variable; });
}

}  // namespace

ProfileBoard* ProfileBoard::of(Document* document) {
  auto* known = document->findChild<ProfileBoard*>(QString(), Qt::FindDirectChildrenOnly);
  return known ? known : new ProfileBoard(document);
}

ProfileBoard::ProfileBoard(Document* document) : QObject(document), document_(document) {
  connect(document, &Document::opened, this, [this] {
    ++texts_;
    Q_EMIT changed();
  });
  connect(document, &Document::stepsChanged, this, [this, was = QString()]() mutable {
    if (const QString now = staleness(); std::exchange(was, now) != now) Q_EMIT changed();
  });
}

ProfilePtr ProfileBoard::at(int number) const {
  return number >= 0 && static_cast<size_t>(number) < profiles_.size() ? profiles_[static_cast<size_t>(number)]
                                                                       : nullptr;
}

bool ProfileBoard::load(const QString& file, const QString& title, QString* problem) {
  QFile in(file);
  if (!in.open(QIODevice::ReadOnly)) {
    *problem = in.errorString();
  } else if (QFileInfo(file).isFile() && in.size() <= kMostBytes) {
    const QString name = title.isEmpty() ? QFileInfo(file).fileName() : title;
    if (const ProfilePtr made = readProfile(in.readAll(), tr("%1 · %2").arg(profiles_.size() + 1).arg(name), problem)) {
      profiles_.push_back(made);
      made_.push_back({!title.isEmpty(), texts_, document_->pipeline()});
    }
  } else {
    *problem = tr("it is no file of at most %1").arg(bytesText(kMostBytes));
  }
  if (!problem->isEmpty()) return false;
  // What was shown is what the new one is held against.
  against_ = std::exchange(shown_, static_cast<int>(profiles_.size()) - 1);
  choice_ = {};
  Q_EMIT changed();
  return true;
}

bool ProfileBoard::show(int number) {
  if (!at(number)) return false;
  if (number == shown_) return true;
  shown_ = number;
  choice_ = {};
  Q_EMIT changed();
  return true;
}

bool ProfileBoard::holdAgainst(int number) {
  if (number >= 0 && !at(number)) return false;
  if (number == against_) return true;
  against_ = number;
  Q_EMIT changed();
  return true;
}

void ProfileBoard::setBy(ProfileBy by) {
  by_ = by;
  Q_EMIT changed();
}

void ProfileBoard::setFilter(const QString& text) {
  if (text == filter_) return;
  filter_ = text;
  Q_EMIT changed();
}

bool ProfileBoard::matches(const ProfileRow& row) const {
  if (filter_.isEmpty()) return true;
  QStringList texts{row.name, row.callee, nameOf(row), layersOfRow(row), row.limitedBy};
  for (const ProfileSource& source : row.sources) texts << source.variable;
  return std::ranges::any_of(texts,
                             [this](const QString& text) { return text.contains(filter_, Qt::CaseInsensitive); });
}

void ProfileBoard::choose(const ProfileChoice& choice) {
  if (choice == choice_) return;
  choice_ = choice;
  Q_EMIT chosen();
}

std::optional<ProfileRow> ProfileBoard::chosenRow() const {
  const ProfilePtr now = shown();
  if (!now) return std::nullopt;
  if (choice_.call >= 0 && static_cast<size_t>(choice_.call) < now->calls.size() && by_ == ProfileBy::Call)
    return now->calls[static_cast<size_t>(choice_.call)];
  for (const ProfileRow& row : now->kernels)
    if (!choice_.kernel.isEmpty() && row.name == choice_.kernel) return row;
  return std::nullopt;
}

bool ProfileBoard::isChosen(const ProfileRow& call, int number) const {
  if (!choice_.layer.isEmpty()) return !call.sources.empty() && layerOf(call.sources.front()) == choice_.layer;
  if (choice_.call >= 0 && number >= 0 && by_ == ProfileBy::Call) return number == choice_.call;
  return !choice_.kernel.isEmpty() && call.callee == choice_.kernel;
}

void ProfileBoard::follow(int stage, const QString& function, int binding) {
  const ProfilePtr now = shown();
  const StageIndexPtr index = now && binding >= 0 ? document_->stage(stage, false) : nullptr;
  const FunctionRow* where = index ? index->function(function) : nullptr;
  const BindingRow* row = where ? where->binding(binding) : nullptr;
  if (!row) return;
  const auto does = [&](const ProfileRow& call) {
    if (holds(call.sources, function, row->name) || holds(call.parts, function, row->name)) return stage == 0;
    return stage != 0 && std::ranges::any_of(row->origins, [&](const OriginRow& origin) {
             return holds(call.sources, origin.function, origin.variable);
           });
  };
  for (size_t i = 0; i < now->calls.size(); ++i)
    if (isChosen(now->calls[i], static_cast<int>(i)) && does(now->calls[i])) return;
  int found = -1;
  for (size_t i = 0; i < now->calls.size(); ++i) {
    if (!now->calls[i].kernel || !does(now->calls[i])) continue;
    const bool quicker = found >= 0 && now->calls[static_cast<size_t>(found)].nanoseconds >= now->calls[i].nanoseconds;
    if (!quicker) found = static_cast<int>(i);
  }
  if (found < 0) return;
  const ProfileRow& call = now->calls[static_cast<size_t>(found)];
  choose(by_ == ProfileBy::Layer ? ProfileChoice{.layer = layerOf(call.sources.front())}
                                 : ProfileChoice{.kernel = call.callee, .call = found});
}

QString ProfileBoard::layerOf(const ProfileSource& source) const {
  const StageIndexPtr imported = document_->stage(0, false);
  const FunctionRow* function = imported ? imported->function(source.function) : nullptr;
  const OutlineRow* block = function ? function->outlineAt(source.binding) : nullptr;
  return block ? block->name : source.variable;
}

QString ProfileBoard::layersOfRow(const ProfileRow& row) const {
  QStringList names;
  for (const ProfileSource& source : row.sources)
    if (const QString name = layerOf(source); !name.isEmpty() && !names.contains(name)) names += name;
  if (names.size() < 2) return names.value(0);
  const auto stem = [](const QString& name) { return name.section(QLatin1Char('.'), 0, -2); };
  const bool alike = std::ranges::all_of(names, [&](const QString& name) { return stem(name) == stem(names[0]); });
  return alike && !stem(names[0]).isEmpty() ? stem(names[0]) : tr("%n layers", nullptr, static_cast<int>(names.size()));
}

/// By the blocks of the imported function; bindings that stand in none are layers of their own.
std::vector<ProfileRow> ProfileBoard::layersHere(const Profile& profile) const {
  std::vector<ProfileRow> rows = layersOf(profile, [this](const ProfileSource& source) { return layerOf(source); });
  for (ProfileRow& row : rows)
    if (row.name.isEmpty()) row.name = tr("the machine");
  return rows;
}

std::vector<ProfileRow> ProfileBoard::rowsOf(const Profile& profile) const {
  return by_ == ProfileBy::Layer ? layersHere(profile) : by_ == ProfileBy::Call ? profile.calls : profile.kernels;
}

/// Null where the binding is not in what is open: then the profile is of another text.
const BindingRow* ProfileBoard::imported(const ProfileSource& source) const {
  const StageIndexPtr first = document_->stage(0, false);
  const FunctionRow* function = first ? first->function(source.function) : nullptr;
  const BindingRow* row = function ? function->binding(source.binding) : nullptr;
  return row && row->name == source.variable ? row : nullptr;
}

QString ProfileBoard::nameOf(const ProfileRow& row) const {
  constexpr qsizetype kMostNamed = 4;
  const QString name = row.callee.isEmpty() ? row.name : row.callee;
  if (!row.kernel) return name;
  QStringList operators;
  for (const ProfileSource& part : row.parts) {
    const BindingRow* binding = imported(part);
    if (!binding) return name;
    if (binding->role != FlowRole::Computes || binding->label.isEmpty()) continue;
    operators << binding->label.section(QLatin1Char('.'), -1);
  }
  if (operators.isEmpty()) return name;
  const qsizetype more = operators.size() - kMostNamed;
  if (more > 0) operators = operators.mid(0, kMostNamed) << tr("%1 more").arg(more);
  const QString joined = operators.join(QStringLiteral(" + "));
  return row.weightsOnly ? tr("weights of %1").arg(joined) : joined;
}

OpKind ProfileBoard::kindOf(const ProfileRow& row) const {
  if (!row.kernel) return OpKind::Memory;
  if (row.weightsOnly) return OpKind::Movement;
  auto best = std::end(kTelling);
  for (const ProfileSource& part : row.parts) {
    const BindingRow* binding = imported(part);
    if (!binding) continue;
    best = std::min(best, std::ranges::find(kTelling, binding->kind));
  }
  return best == std::end(kTelling) ? OpKind::Compute : *best;
}

QString ProfileBoard::staleness() const {
  if (shown_ < 0 || !made_[static_cast<size_t>(shown_)].here) return {};
  const Made& made = made_[static_cast<size_t>(shown_)];
  if (made.text != texts_) return tr("Of an earlier text. ");
  return made.pipeline != document_->pipeline() ? tr("Of another pipeline than the present one. ") : QString();
}

}  // namespace rx::views
