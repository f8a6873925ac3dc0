#include "views/panels/pipeline/context_panel.h"

#include <QComboBox>
#include <QCompleter>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/compile/request/passes.h"
#include "core/pass/config.h"
#include "views/models/document.h"
#include "views/models/near_texts.h"
#include "views/panels/bare_scroll_area.h"
#include "views/panels/flow_layout.h"
#include "views/panels/rich_label.h"
#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

constexpr int kLevels = 4;

const pass::ConfigKey* keyNamed(const QString& name) {
  const auto keys = pass::configKeys();
  const auto at = std::find_if(keys.begin(), keys.end(), [&](const auto& key) { return name == key.spec.name; });
  return at == keys.end() ? nullptr : &*at;
}

QStringList keyNames() {
  QStringList names;
  for (const pass::ConfigKey& key : pass::configKeys()) names << QString::fromUtf8(key.spec.name);
  return names;
}

/// Keys that one may have meant.
QStringList nearKeys(const QString& written) {
  constexpr size_t kMostNear = 3;
  return nearTexts(written, keyNames(), kMostNear);
}

QStringList namesOfPasses() {
  QStringList names;
  for (const pass::PassRow& row : compile::passTable().rows())
    if (!*row.expandsTo) names << QString::fromUtf8(row.name);
  names.removeDuplicates();
  return names;
}

/// What a key gets that is added without a value: a flag the other one, else its default.
QString firstValue(const pass::ConfigKey* key) {
  const QString usual = key ? QString::fromUtf8(key->spec.fallback) : QString();
  if (key && key->spec.kind == pass::OptionKind::Bool)
    return usual == QLatin1String("True") ? QStringLiteral("False") : QStringLiteral("True");
  if (key && key->spec.kind == pass::OptionKind::Dict) return QStringLiteral("{}");
  return usual.isEmpty() || usual == QLatin1String("None") ? QStringLiteral("0") : usual;
}

QLabel* heading(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  QFont font = label->font();
  font.setBold(true);
  label->setFont(font);
  return label;
}

QLineEdit* fieldWithNames(const QStringList& names, QWidget* parent) {
  auto* edit = new QLineEdit(parent);
  auto* completer = new QCompleter(names, edit);
  completer->setCaseSensitivity(Qt::CaseInsensitive);
  completer->setFilterMode(Qt::MatchContains);
  edit->setCompleter(completer);
  return edit;
}

QToolButton* crossButton(const QString& tip, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setIcon(icon("close"));
  button->setAutoRaise(true);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  return button;
}

void clear(QWidget* holder) {
  const QList<QWidget*> parts = holder->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
  for (QWidget* part : parts) part->hide(), part->deleteLater();
  delete holder->layout();
}

}  // namespace

ContextPanel::ContextPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      names_(new QWidget(this)),
      keys_(new QWidget(this)),
      addName_(fieldWithNames(namesOfPasses(), this)),
      addKey_(fieldWithNames(keyNames(), this)),
      wrong_(new RichLabel(this)) {
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  QScrollArea* area = bareScrollArea(this);
  area->setAccessibleName(tr("What passes run under"));
  auto* body = new QWidget(area);
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(8, 6, 8, 6);
  column->setSpacing(4);
  column->addWidget(heading(tr("opt_level"), body));
  auto* levels = new QHBoxLayout;
  levels->setSpacing(0);
  for (int i = 0; i < kLevels; ++i) {
    auto* button = new QToolButton(body);
    button->setText(QString::number(i));
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setAccessibleName(tr("Level %1").arg(i));
    button->setToolTip(tr("Passes of a level above %1 are left out").arg(i));
    connect(button, &QToolButton::clicked, this,
            [this, i] { context_.commands->run("pass.level", {QString::number(i)}); });
    levels->addWidget(button);
    levels_.push_back(button);
  }
  levels->addStretch();
  column->addLayout(levels);
  column->addWidget(heading(tr("Required, disabled passes"), body));
  column->addWidget(names_);
  addName_->setPlaceholderText(tr("a pass to disable; ! before it: to require"));
  addName_->setAccessibleName(tr("Disable or require a pass"));
  column->addWidget(addName_);
  column->addWidget(heading(tr("Config"), body));
  column->addWidget(keys_);
  addKey_->setPlaceholderText(tr("add a key: relax.FuseOps.max_depth=64"));
  addKey_->setAccessibleName(tr("Add a key of the config"));
  addKey_->setFont(fixedFont(addKey_->font()));
  column->addWidget(addKey_);
  wrong_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  column->addWidget(wrong_);
  column->addStretch();
  area->setWidget(body);
  whole->addWidget(area);
  setFocusProxy(area);
  connect(addName_, &QLineEdit::returnPressed, this, [this] {
    const bool required = addName_->text().startsWith('!');
    addTypedName(required ? "pass.required" : "pass.disabled");
  });
  connect(addKey_, &QLineEdit::returnPressed, this, &ContextPanel::addTypedKey);
  connect(wrong_, &QLabel::linkActivated, this, &ContextPanel::follow);
  connect(context.document, &Document::stepsChanged, this, &ContextPanel::refresh);
  connect(context.document, &Document::opened, this, &ContextPanel::refresh);
  connect(context.document, &Document::stateChanged, this, &ContextPanel::refresh);
  pipeline_ = QStringLiteral("?");  // none is shown yet
  refresh();
}

/// Fields are made anew only where something is another: what is typed into stays.
void ContextPanel::refresh() {
  const bool usable = context_.document->canRunPasses();
  setEnabled(usable);
  const QString pipeline = usable ? context_.document->pipeline() : QString();
  if (pipeline == pipeline_) return;
  pipeline_ = pipeline;
  settings_ = contextSettings(pipelineRows(pipeline, context_.document->language()));
  showLevel();
  showNames();
  showKeys();
  Q_EMIT titleChanged(settings_.problems.empty() ? tr("Context") : tr("Context · wrong"));
}

void ContextPanel::showLevel() {
  for (size_t i = 0; i < levels_.size(); ++i) levels_[i]->setChecked(static_cast<int>(i) == settings_.level);
}

/// A chip a name; its cross takes it off the list.
void ContextPanel::showNames() {
  clear(names_);
  auto* line = new FlowLayout(names_);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(3);
  const auto add = [&](const QString& name, const QString& text, const char* command) {
    auto* chip = new QToolButton(names_);
    chip->setText(text);
    chip->setIcon(icon("close"));
    chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    chip->setToolTip(tr("Take %1 off the list").arg(name));
    connect(chip, &QToolButton::clicked, this, [this, name, command] { context_.commands->run(command, {name}); });
    line->addWidget(chip);
  };
  for (const QString& name : settings_.disabled) add(name, tr("%1 off").arg(name), "pass.disabled");
  for (const QString& name : settings_.required) add(name, tr("%1 always").arg(name), "pass.required");
  names_->setVisible(line->count() > 0);
}

void ContextPanel::showKeys() {
  clear(keys_);
  auto* grid = new QGridLayout(keys_);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setVerticalSpacing(3);
  grid->setColumnStretch(0, 1);
  for (const auto& [key, value] : settings_.config) addKeyRow(key);
  keys_->setVisible(!settings_.config.empty());
  const Palette& theme = Palette::forQt(palette());
  QStringList lines;
  for (const Diagnostic& problem : settings_.problems) lines << QString::fromStdString(problem.message).toHtmlEscaped();
  for (const auto& [key, value] : settings_.config) {
    if (keyNamed(key)) continue;
    QStringList links;
    for (const QString& near : nearKeys(key))
      links << QStringLiteral("<a href=\"%1\t%2\">%2</a>").arg(key.toHtmlEscaped(), near.toHtmlEscaped());
    if (!links.isEmpty()) lines << tr("Near: %1").arg(links.join(QStringLiteral(", ")));
  }
  if (!lines.isEmpty()) lines << tr("No pass behind it runs until this is right or removed.");
  wrong_->setVisible(!lines.isEmpty());
  wrong_->setHtml(
      QStringLiteral("<span style=\"color:%1\">%2</span>").arg(theme.error.name(), lines.join(QStringLiteral("<br>"))));
}

void ContextPanel::addKeyRow(const QString& key) {
  auto* grid = static_cast<QGridLayout*>(keys_->layout());
  const int row = grid->rowCount();
  const pass::ConfigKey* known = keyNamed(key);
  auto* name = new QLabel(known ? key : tr("%1 is unknown").arg(key), keys_);
  name->setFont(fixedFont(name->font()));
  name->setTextFormat(Qt::PlainText);
  name->setToolTip(known ? QString::fromUtf8(known->spec.help) : tr("Passes have no such key"));
  name->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  if (!known) {
    QPalette red = name->palette();
    red.setColor(QPalette::WindowText, Palette::forQt(palette()).error);
    name->setPalette(red);
  }
  QWidget* field = makeField(key);
  field->setAccessibleName(key);
  field->setObjectName(key);
  field->setToolTip(name->toolTip());
  name->setBuddy(field);
  auto* cross = crossButton(tr("Remove %1").arg(key), keys_);
  connect(cross, &QToolButton::clicked, this, [this, key] { context_.commands->run("pass.config", {key}); });
  // Keys are longer than a narrow dock is wide with their fields beside them.
  grid->addWidget(name, row, 0, 1, 2);
  grid->addWidget(field, row + 1, 0);
  grid->addWidget(cross, row + 1, 1);
}

/// A choice for a flag, else a field of text.
QWidget* ContextPanel::makeField(const QString& key) {
  const pass::ConfigKey* known = keyNamed(key);
  const QString value = settings_.valueOf(key);
  if (known && known->spec.kind == pass::OptionKind::Bool) {
    auto* choice = new QComboBox(keys_);
    choice->addItems({QStringLiteral("True"), QStringLiteral("False")});
    choice->setCurrentText(value);
    connect(choice, &QComboBox::textActivated, this, [this, key](const QString& text) {
      context_.commands->run("pass.config", {key, text});
    });
    return choice;
  }
  auto* edit = new QLineEdit(value, keys_);
  edit->setFont(fixedFont(edit->font()));
  if (known) edit->setPlaceholderText(QString::fromUtf8(known->spec.fallback));
  // The field is replaced by what the change brings.
  connect(
      edit, &QLineEdit::editingFinished, this,
      [this, edit, key, value] {
        if (edit->text() != value) context_.commands->run("pass.config", {key, edit->text()});
      },
      Qt::QueuedConnection);
  return edit;
}

void ContextPanel::addTypedKey() {
  const QString typed = addKey_->text().trimmed();
  const QString key = typed.section('=', 0, 0).trimmed();
  if (key.isEmpty()) return;
  const QString value = typed.contains('=') ? typed.section('=', 1).trimmed() : firstValue(keyNamed(key));
  if (context_.commands->run("pass.config", {key, value})) addKey_->clear();
}

void ContextPanel::addTypedName(const char* command) {
  QString name = addName_->text().trimmed();
  if (name.startsWith('!')) name.remove(0, 1);
  if (!name.trimmed().isEmpty() && context_.commands->run(command, {name.trimmed()})) addName_->clear();
}

/// "WRONG\tNEAR": the value goes to the key that was meant.
void ContextPanel::follow(const QString& link) {
  const QString wrong = link.section('\t', 0, 0), meant = link.section('\t', 1);
  const QString value = settings_.valueOf(wrong);
  context_.commands->run("pass.config", {wrong});
  context_.commands->run("pass.config", {meant, value});
}

bool ContextPanel::obey(const QString& name, const QStringList& arguments) {
  if (name == QLatin1String("follow") && arguments.size() == 2) return follow(arguments.join('\t')), true;
  if (name != QLatin1String("add") || arguments.isEmpty()) return false;
  addKey_->setText(arguments.join(' '));
  return addTypedKey(), true;
}

QStringList ContextPanel::menuCommands() const { return {"pipeline.undo", "pipeline.redo", "pipeline.copy"}; }

QString ContextPanel::dump() const {
  QString text = tr("opt_level %1\n").arg(settings_.level);
  for (const QString& name : settings_.disabled) text += tr("disabled %1\n").arg(name);
  for (const QString& name : settings_.required) text += tr("required %1\n").arg(name);
  for (const auto& [key, value] : settings_.config)
    text += QStringLiteral("%1%2 = %3\n").arg(keyNamed(key) ? QString() : tr("unknown: "), key, value);
  if (wrong_->isVisibleTo(this)) text += QTextDocumentFragment::fromHtml(wrong_->text()).toPlainText() + '\n';
  return text;
}

}  // namespace rx::views
