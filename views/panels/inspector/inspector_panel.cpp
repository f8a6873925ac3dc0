#include "views/panels/inspector/inspector_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPalette>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "views/models/document.h"
#include "views/models/known_sizes.h"
#include "views/models/lit_query.h"
#include "views/models/selection.h"
#include "views/models/worker.h"
#include "views/panels/bare_scroll_area.h"
#include "views/panels/binding_menu.h"
#include "views/panels/inspector/bar_list.h"
#include "views/panels/inspector/inspection_html.h"
#include "views/panels/inspector/inspector_parts.h"
#include "views/panels/inspector/value_pictures.h"
#include "views/panels/rich_label.h"
#include "views/panels/run_theme.h"
#include "views/panels/run_watch.h"
#include "views/panels/values/selected_value.h"

namespace rx::views {

InspectorPanel::InspectorPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      scroll_(bareScrollArea(this)),
      content_(new ScrolledContent(scroll_)),
      columns_(new QHBoxLayout(content_)),
      column_(new QVBoxLayout),
      side_(new QVBoxLayout),
      pictures_(new ValuePictures(context.debug, content_)),
      root_(new QPushButton(content_)),
      filter_(new QLineEdit(content_)),
      bars_(new BarList(content_)) {
  if (context.sizes) wish_.files = &context.sizes->files();
  wish_.calls = [this](const StageIndexPtr& stage, const FunctionRow& function) {
    return callsOfShown(stage, function);
  };
  columns_->addLayout(column_, 1);
  columns_->addLayout(side_, 0);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(scroll_);
  scroll_->setMinimumHeight(fontMetrics().height());  // what stands above it is whole where there is little room
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  // One that comes and goes makes every text break its lines for two widths.
  scroll_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  scroll_->setWidget(content_);
  scroll_->setAccessibleName(tr("Inspector"));
  content_->setAutoFillBackground(true);
  content_->setBackgroundRole(QPalette::Base);
  setFocusProxy(scroll_);
  root_->setProperty("primary", true);
  filter_->setPlaceholderText(tr("Filter parameters by name or type"));
  filter_->setClearButtonEnabled(true);
  connect(root_, &QPushButton::clicked, this, [this] { command("root", {}); });
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) { command("filter", {text}); });
  connect(bars_, &BarList::picked, this, &InspectorPanel::lightOperator);
  const auto soon = [this] { want(); };
  connect(context.selection, &Selection::changed, this, soon);
  connect(context.document, &Document::opened, this, soon);
  for (auto signal : {&Document::stateChanged, &Document::problemsChanged})
    connect(context.document, signal, this, soon);
  connect(context.document, &Document::stageReady, this, soon);
  watchRun(context.debug, this, soon);
  if (context.sizes)
    connect(context.sizes, &KnownSizes::changed, this, [this] {
      refresh();
      if (!busy()) Q_EMIT settled();
    });
  connect(pictures_->study(), &TensorStudy::changed, this, [this] {
    if (!busy()) Q_EMIT settled();
  });
  pictures_->setTheme(runTheme(*context_.debug, *this));
  refresh();
}

void InspectorPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  const Palette& theme = Palette::forQt(palette());
  pictures_->setTheme(runTheme(*context_.debug, *this));
  bars_->setTheme(theme);
  marks_.clear();
  render(shown_);
}

void InspectorPanel::catchUp(unsigned) { refresh(); }

void InspectorPanel::refresh() {
  const int wanted = context_.selection->place().stage;
  // The stage is being made: what was shown stays until it is there.
  if (context_.document->lastStage() >= 0 && !context_.document->stage(wanted, false) && !shown_.name.isEmpty()) return;
  if (const bool past = !context_.debug->pastOf().isEmpty(); std::exchange(past_, past) != past)
    pictures_->setTheme(runTheme(*context_.debug, *this));
  pictures_->setValue(selectedValue(context_).value);
  if (context_.document->lastStage() < 0) counted_ = {};
  const Inspection made = inspect(context_, wish_);
  // So it is where the calls of the function are counted.
  if (!made.waits || shown_.name.isEmpty()) render(made);
}

std::shared_ptr<const FunctionCalls> InspectorPanel::callsOfShown(const StageIndexPtr& stage,
                                                                  const FunctionRow& function) {
  if (counted_.function == &function && counted_.calls) return counted_.calls;
  if (counted_.function == &function) return nullptr;
  counted_ = {stage, &function, nullptr};
  size_t bindings = 0;
  for (const FunctionRow& one : stage->functions) bindings += one.bindings.size();
  const auto count = [stage, &function] {
    return std::make_shared<const FunctionCalls>(callsOf(*stage, function, kMostInspected + 1));
  };
  constexpr size_t kFew = 5000;  // are counted in a moment
  if (bindings <= kFew) return counted_.calls = count();
  runOnWorker(*QThreadPool::globalInstance(), this, count,
              [this, counted = counted_.function](std::shared_ptr<const FunctionCalls> calls) {
                if (counted_.function != counted) return;
                counted_.calls = std::move(calls);
                refresh();
                if (!busy()) Q_EMIT settled();
              });
  return nullptr;
}

RichLabel* InspectorPanel::textBlock(size_t number) {
  while (texts_.size() <= number) {
    auto* label = new RichLabel(content_);
    connect(label, &QLabel::linkActivated, this, [this](const QString& link) { follow(targetOfLink(link)); });
    texts_.push_back(label);
  }
  return texts_[number];
}

void InspectorPanel::place(QWidget* part, bool beside) {
  (beside ? side_ : column_)->addWidget(part, 0, part == root_ ? Qt::AlignLeft : Qt::Alignment());
  part->show();
}

bool InspectorPanel::isWide() const {
  constexpr int kLetters = 84;
  return width() >= kLetters * fontMetrics().averageCharWidth();
}

void InspectorPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  if (isWide() != (columns_->stretch(1) > 0)) want();
}

namespace {

/// About how many lines a section takes.
qsizetype linesOf(const InspectionSection& section) {
  constexpr qsizetype kPictures = 10;
  return static_cast<qsizetype>(section.rows.size() + section.bars.size()) + 2 +
         (section.part == InspectionSection::Part::Pictures ? kPictures : 0);
}

/// The section that begins the second of two columns, so that the longer of both is as short as it can be; null for
/// none.
const InspectionSection* firstOfSide(const std::vector<InspectionSection>& sections) {
  qsizetype rest = 0, first = 0;
  for (const InspectionSection& section : sections) rest += linesOf(section);
  const InspectionSection* best = nullptr;
  qsizetype least = rest;
  for (const InspectionSection& section : sections) {
    if (std::max(first, rest) < least) {
      least = std::max(first, rest);
      best = &section;
    }
    first += linesOf(section);
    rest -= linesOf(section);
  }
  return best;
}

}  // namespace

void InspectorPanel::render(const Inspection& inspection) {
  const bool same = inspection.name == shown_.name && inspection.where == shown_.where;
  shown_ = inspection;
  const Palette& theme = Palette::forQt(palette());
  const int em = fontMetrics().height();
  const int scroll = scroll_->verticalScrollBar()->value();
  columns_->setContentsMargins(em / 2, em / 2, em / 2, em / 2);
  for (QVBoxLayout* column : {column_, side_}) {
    column->setSpacing(em / 2);
    while (QLayoutItem* item = column->takeAt(0)) delete item;
  }
  const bool wide = isWide();
  columns_->setStretch(1, wide ? 1 : 0);
  columns_->setSpacing(wide ? em : 0);
  const InspectionSection* const firstBeside = wide ? firstOfSide(shown_.sections) : nullptr;
  QSet<QWidget*> used;
  size_t texts = 0;
  bool beside = false;
  const auto add = [&](QWidget* part) {
    used += part;
    place(part, beside);
  };
  const auto addText = [&](const QString& html, const QString& narrow = {}, int least = 0) {
    if (html.isEmpty()) return;
    RichLabel* label = textBlock(texts++);
    label->setHtml(html, narrow, least);
    add(label);
  };
  const auto addSection = [&](const InspectionSection& section) {
    addText(sectionHtml(section, theme, em, &marks_),
            section.table ? sectionHtml(flowing(section), theme, em, &marks_) : QString(), leastWidth(section, font()));
  };
  addText(headHtml(inspection, theme));
  for (const InspectionSection& section : shown_.sections) {
    const bool filters = section.part == InspectionSection::Part::Filter;
    beside = beside || &section == firstBeside;
    addSection(filters ? InspectionSection{section.title} : section);
    switch (section.part) {
      case InspectionSection::Part::Pictures:
        add(pictures_);
        break;
      case InspectionSection::Part::Root:
        root_->setText(tr("Go to root: %1").arg(inspection.root));
        add(root_);
        break;
      case InspectionSection::Part::Bars:
        bars_->setBars(section.bars);
        add(bars_);
        break;
      case InspectionSection::Part::Filter: {
        add(filter_);
        InspectionSection rows = section;
        rows.title.clear();
        addSection(rows);
        break;
      }
      case InspectionSection::Part::None:
        break;
    }
  }
  column_->addStretch(1);
  side_->addStretch(1);
  for (QWidget* part : content_->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
    if (!used.contains(part)) part->hide();
  scroll_->verticalScrollBar()->setValue(same ? scroll : 0);
}

bool InspectorPanel::goTo(const QStringList& parts) {
  const bool inStage = parts[0] == QLatin1String("stage") && parts.size() == 5;
  const bool inFunction = parts[0] == QLatin1String("binding") && (parts.size() == 3 || parts.size() == 4);
  if (!inStage && !inFunction) return false;
  Place place = context_.selection->place();
  if (inStage) place.stage = parts[1].toInt();
  place.function = parts[inStage ? 2 : 1];
  place.variable = parts[inStage ? 3 : 2];
  const int ordinal = inStage || parts.size() == 4 ? parts.last().toInt() : -1;
  const StageIndexPtr stage = context_.document->stage(place.stage);
  const BindingRow* binding = bindingOf(functionOf(stage.get(), place.function), ordinal, place.variable);
  place.binding = binding ? binding->ordinal : -1;
  context_.selection->select(place);
  return true;
}

bool InspectorPanel::follow(const QString& target) {
  const QString kind = target.section(QLatin1Char(':'), 0, 0), rest = target.section(QLatin1Char(':'), 1);
  if (rest.isEmpty()) return false;
  if (kind == QLatin1String("function")) {
    context_.selection->selectFunction(rest);
    return true;
  }
  if (kind == QLatin1String("fold")) {
    if (!wish_.unfolded.remove(rest)) wish_.unfolded += rest;
    refresh();
    return true;
  }
  if (kind == QLatin1String("element")) {
    std::vector<qint64> index;
    for (const QString& part : rest.split(QLatin1Char(','), Qt::SkipEmptyParts)) index.push_back(part.toLongLong());
    pictures_->study()->setCurrent(index);
    return pictures_->study()->current() == index;
  }
  if (kind == QLatin1String("run")) {
    const QStringList words = rest.split(QLatin1Char(' '));
    return context_.commands && context_.commands->run(words[0], words.mid(1));
  }
  return goTo(target.split(QLatin1Char(':')));
}

/// The text lights the calls as matches of a search, the graph by a halo round each.
bool InspectorPanel::lightOperator(const QString& name) {
  SearchQuery calls{name, 0, true};
  if (context_.lit) context_.lit->set(calls);
  return context_.commands && context_.commands->run(QStringLiteral("view.panelCommand"), {"ir", "find", name});
}

bool InspectorPanel::obey(const QString& name, const QStringList& arguments) {
  if (name == QLatin1String("root")) return !shown_.root.isEmpty() && follow(shown_.rootTarget);
  if (arguments.size() != 1) return false;
  if (name == QLatin1String("follow")) return follow(arguments[0]);
  if (name == QLatin1String("operator")) return lightOperator(arguments[0]);
  if (name != QLatin1String("filter")) return false;
  wish_.filter = arguments[0];
  const QSignalBlocker quiet(filter_);
  if (filter_->text() != arguments[0]) filter_->setText(arguments[0]);
  refresh();
  return true;
}

QStringList InspectorPanel::menuCommands() const { return bindingMenu("inspector") + QStringList{"-", "export.value"}; }

bool InspectorPanel::busy() const {
  return Panel::busy() || (counted_.function && !counted_.calls) || pictures_->study()->busy() ||
         (wish_.files && wish_.files->busy());
}

QString InspectorPanel::html() const {
  QString all;
  for (const RichLabel* text : texts_)
    if (!text->isHidden()) all += text->text();
  return all;
}

QString InspectorPanel::dump() const { return inspectionText(shown_) + pictures_->dump(); }

}  // namespace rx::views
