#include "views/models/profile_board.h"

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>
#include <algorithm>

#include "views/models/document.h"
#include "views/models/numbers.h"

namespace rx::views {
namespace {

/// Kinds by what they say of a kernel that does several things, most of all first.
constexpr OpKind kTelling[] = {OpKind::Compute, OpKind::Reduction, OpKind::Movement, OpKind::Elementwise};

bool holds(const std::vector<ProfileSource>& sources, const QString& function, const QString& variable) {
  return std::ranges::any_of(
      sources, [&](const ProfileSource& source) { return source.function == function && source.variable == variable; });
}

}  // namespace

ProfileBoard::ProfileBoard(Document* document, QObject* parent) : QObject(parent), document_(document) {
  connect(document, &Document::opened, this, [this] {
    textHash_.clear();
    Q_EMIT changed();
  });
  connect(document, &Document::stepsChanged, this, [this, was = QString()]() mutable {
    if (const QString now = staleness(); std::exchange(was, now) != now) Q_EMIT changed();
  });
}

ProfilePtr ProfileBoard::at(int number) const {
  return number >= 0 && static_cast<size_t>(number) < entries_.size() ? entries_[static_cast<size_t>(number)].profile
                                                                      : nullptr;
}

const QByteArray& ProfileBoard::textHash() const {
  if (textHash_.isEmpty())
    textHash_ = QCryptographicHash::hash(document_->sourceText().toUtf8(), QCryptographicHash::Sha256);
  return textHash_;
}

bool ProfileBoard::load(const QString& file, const QString& title, const QString& input, QString* problem) {
  QFile in(file);
  if (!in.open(QIODevice::ReadOnly)) {
    *problem = in.errorString();
  } else if (QFileInfo(file).isFile() && in.size() <= kMostProfileBytes) {
    QByteArray json = in.readAll();
    if (const ProfilePtr profile = readProfile(json, problem)) {
      const QString name = title.isEmpty() ? QFileInfo(file).fileName() : tr("%1 · %2").arg(++made_).arg(title);
      entries_.push_back({profile, name, std::move(json), input, !title.isEmpty(), textHash(), document_->pipeline()});
    }
  } else {
    *problem = tr("it is no file of at most %1").arg(bytesText(kMostProfileBytes));
  }
  if (!problem->isEmpty()) return false;
  // What was shown is what the new one is held against.
  against_ = std::exchange(shown_, static_cast<int>(entries_.size()) - 1);
  choice_ = {};
  scope_ = {};
  Q_EMIT changed();
  return true;
}

/// -1 for one that is not kept.
int ProfileBoard::numberOf(const ProfilePtr& profile) const {
  const auto found = std::ranges::find(entries_, profile, &ProfileEntry::profile);
  return found == entries_.end() || !profile ? -1 : static_cast<int>(found - entries_.begin());
}

bool ProfileBoard::rename(int number, const QString& name) {
  if (!at(number) || name.trimmed().isEmpty()) return false;
  entries_[static_cast<size_t>(number)].name = name.trimmed();
  Q_EMIT changed();
  return true;
}

bool ProfileBoard::remove(int number) {
  if (!at(number)) return false;
  const ProfilePtr shown = this->shown(), against = this->against(), gone = at(number);
  entries_.erase(entries_.begin() + number);
  against_ = numberOf(against);
  shown_ = numberOf(shown);
  // The one that it was held against stands in for it, else the last.
  if (shown_ < 0) shown_ = against_ >= 0 ? std::exchange(against_, -1) : static_cast<int>(entries_.size()) - 1;
  if (gone == shown) choice_ = {}, scope_ = {};
  Q_EMIT changed();
  return true;
}

bool ProfileBoard::show(int number) {
  if (!at(number)) return false;
  if (number == shown_) return true;
  before_ = shown();
  if (number == against_) against_ = shown_;
  shown_ = number;
  choice_ = {};
  Q_EMIT changed();
  return true;
}

bool ProfileBoard::holdAgainst(int number) {
  if (number >= 0 && !at(number)) return false;
  if (number == against_) return true;
  if (number >= 0 && number == shown_) {
    const int before = numberOf(before_.lock());
    shown_ = before >= 0 && before != number ? before : against_;
    if (shown_ < 0) {
      shown_ = number;
      return false;
    }
    choice_ = {};
  }
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

void ProfileBoard::setScope(const ProfileScope& scope) {
  if (scope == scope_) return;
  scope_ = scope;
  Q_EMIT changed();
}

QString ProfileBoard::kindNameOf(const ProfileRow& row) const {
  if (!row.kernel) return tr("the machine");
  const std::string_view name = opKindName(kindOf(row));
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

/// Of a row of calls; of one of kernels by its kind.
bool ProfileBoard::inScope(const ProfileRow& call) const {
  if (scope_.all()) return true;
  if (scope_.kind) return kindNameOf(call) == scope_.name;
  return (call.sources.empty() ? tr("the machine") : layerOf(call.sources.front())) == scope_.name;
}

bool ProfileBoard::matches(const ProfileRow& row) const {
  if (!holdsText(row)) return false;
  // Rows that were made of the calls of what is looked at, and those of calls.
  if (scope_.all() || !row.only.empty()) return true;
  if (!row.callee.isEmpty() || !row.kernel || scope_.kind) return inScope(row);
  return std::ranges::any_of(row.sources, [this](const ProfileSource& from) { return layerOf(from) == scope_.name; });
}

bool ProfileBoard::holdsText(const ProfileRow& row) const {
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
  const std::vector<ProfileRow> kernels =
      scope_.all() ? now->kernels : kernelsOf(*now, [this](const ProfileRow& call) { return inScope(call); });
  for (const ProfileRow& row : kernels)
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
  const auto belongs = [this](const ProfileRow& call) { return inScope(call); };
  if (by_ == ProfileBy::Call) return profile.calls;
  if (scope_.all()) return by_ == ProfileBy::Layer ? layersHere(profile) : profile.kernels;
  if (by_ == ProfileBy::Layer) {
    Profile part;
    std::ranges::copy_if(profile.calls, std::back_inserter(part.calls), belongs);
    return layersHere(part);
  }
  std::vector<ProfileRow> kernels = kernelsOf(profile, belongs);
  for (ProfileRow& row : kernels)
    if (row.name.isEmpty()) row.name = tr("the machine");
  return kernels;
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
  if (shown_ < 0 || !entries_[static_cast<size_t>(shown_)].here) return {};
  const ProfileEntry& made = entries_[static_cast<size_t>(shown_)];
  if (made.text != textHash()) return tr("Of an earlier text. ");
  return made.pipeline != document_->pipeline() ? tr("Of another pipeline than the present one. ") : QString();
}

}  // namespace rx::views
