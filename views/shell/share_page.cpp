#include "views/shell/share_page.h"

#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QPalette>
#include <algorithm>
#include <cmath>

#include "views/models/numbers.h"
#include "views/panels/ir_text/run_notes.h"

namespace rx::views {
namespace {

constexpr uint32_t kContext = 3;   // equal lines around a change
constexpr qint64 kMostCells = 24;  // of an axis of a value's table
constexpr int kDigits = 5;

QString stageName(const PageFacts& facts, int stage) {
  return QStringLiteral("stage %1 %2").arg(stage).arg(facts.passes.value(stage));
}

QStringList aboutLines(const PageFacts& facts, const QString& command) {
  QStringList lines{facts.title + (facts.dialect.isEmpty() ? QString() : ", " + facts.dialect)};
  if (!command.isEmpty()) lines << command;
  lines << facts.link << QStringLiteral("both for the folder that holds %1").arg(facts.title.section('/', 0, 0))
        << QStringLiteral("relaxscope ") + QApplication::applicationVersion();
  return lines;
}

QByteArray cell(const QString& text, const QString& style) {
  return "<td style=\"padding:2px 8px;text-align:right;" + style.toUtf8() + "\">" + text.toHtmlEscaped().toUtf8() +
         "</td>";
}

QByteArray factsTable(const ValueSummary& value) {
  const QString bad =
      value.bad() ? QStringLiteral("%1 NaN, %2 Inf of %3").arg(value.nan).arg(value.inf).arg(grouped(value.count))
                  : QStringLiteral("none");
  const std::pair<QString, QString> rows[] = {
      {"value", value.text},
      {"bytes", bytesText(value.bytes)},
      {"smallest, largest", shortNumber(value.min) + QStringLiteral(" … ") + shortNumber(value.max)},
      {"mean of the finite", shortNumber(value.mean)},
      {"NaN and Inf", bad},
      {"made by step", QString::number(value.step)},
  };
  QByteArray out = "<table style=\"border-collapse:collapse;font-size:13px\">";
  for (const auto& [name, text] : rows) {
    out += "<tr><td style=\"padding:2px 16px 2px 0\">" + name.toUtf8() + "</td><td style=\"font-family:monospace\">" +
           text.toHtmlEscaped().toUtf8() + "</td></tr>";
    if (!value.isTensor) break;  // the rest are numbers of tensors
  }
  return out + "</table>";
}

/// Larger numbers lie on more of the accent; what is not finite on the colour of errors, with its word.
QString groundOf(double number, double most, const Palette& theme) {
  if (!std::isfinite(number))
    return QStringLiteral("background:%1;color:%2;font-weight:bold").arg(theme.errorFill.name(), theme.error.name());
  constexpr double kStrongest = 0.35;
  const double part = most > 0 ? kStrongest * std::fabs(number) / most : 0;
  const auto mix = [part](int a, int b) { return static_cast<int>(a + (b - a) * part); };
  const QColor ground(mix(theme.base.red(), theme.accent.red()), mix(theme.base.green(), theme.accent.green()),
                      mix(theme.base.blue(), theme.accent.blue()));
  return QStringLiteral("background:%1").arg(ground.name());
}

QString windowText(const TensorSlice& slice) {
  QStringList axes;
  for (size_t i = 0; i < slice.shape.size(); ++i) {
    const qint64 end = slice.begin[i] + slice.extent[i];
    axes << (slice.extent[i] == 1 ? QString::number(slice.begin[i])
                                  : QStringLiteral("%1:%2").arg(slice.begin[i]).arg(end));
  }
  return '[' + axes.join(", ") + ']';
}

QByteArray numbersTable(const TensorSlice& slice, const Palette& theme) {
  if (slice.values.empty()) return {};
  const size_t columns = slice.extent.empty() ? 1 : static_cast<size_t>(std::max<qint64>(1, slice.extent.back()));
  const qint64 firstColumn = slice.begin.empty() ? 0 : slice.begin.back();
  const qint64 firstRow = slice.begin.size() < 2 ? 0 : slice.begin[slice.begin.size() - 2];
  double most = 0;
  for (const double number : slice.values)
    if (std::isfinite(number)) most = std::max(most, std::fabs(number));
  const QString head = QStringLiteral("color:%1").arg(theme.grey.name());
  QByteArray out = "<p>elements " + windowText(slice).toUtf8() +
                   "</p>\n<table style=\"border-collapse:collapse;font-family:monospace;font-size:13px\"><tr>" +
                   cell({}, {});
  for (size_t column = 0; column < columns; ++column)
    out += cell(QString::number(firstColumn + static_cast<qint64>(column)), head);
  out += "</tr>\n";
  for (size_t at = 0; at < slice.values.size(); ++at) {
    if (at % columns == 0)
      out +=
          (at > 0 ? "</tr>\n<tr>" : "<tr>") + cell(QString::number(firstRow + static_cast<qint64>(at / columns)), head);
    out += cell(shortNumber(slice.values[at], kDigits), groundOf(slice.values[at], most, theme));
  }
  return out + "</tr></table>";
}

}  // namespace

PageFacts pageFacts(const Desk& desk) {
  const Place& place = desk.selection.place();
  PageFacts facts;
  // Others read the page: it says nothing of where the folder of the module lies on this machine.
  QDir above = QFileInfo(desk.document.sourceFile()).absoluteDir();
  above.cdUp();
  const QString around = above.absolutePath() + '/';
  const auto shared = [&around](QString text) { return text.remove(around); };
  facts.title = desk.document.title();
  facts.dialect = desk.document.dialect();
  facts.command = shared(desk.document.commandLine(place.stage));
  facts.link = linkOf(place, shared(QFileInfo(desk.document.path()).absoluteFilePath()));
  if (desk.debug.hasTrace()) facts.run = shared(desk.debug.commandLine());
  facts.function = place.function;
  facts.step = desk.debug.stop().step;
  for (const StepRow& step : desk.document.steps()) facts.passes << step.name;
  facts.theme = &Palette::forQt(QApplication::palette());
  return facts;
}

ValueWindow windowOf(const ValueSummary& value) {
  // The shape is known as text, "(4, 6, 6)"; the slice clips what reaches beyond it.
  const qsizetype axes = value.shape.count(',') + (value.shape.contains(",)") ? 0 : value.shape.contains(',') ? 1 : 0);
  const size_t rank = value.shape == "()" ? 0 : static_cast<size_t>(std::max<qsizetype>(axes, 1));
  ValueWindow window{std::vector<qint64>(rank, 0), std::vector<qint64>(rank, 1)};
  for (size_t i = 0; i < rank; ++i) {
    const bool shown = i + 2 >= rank;
    const qint64 bad = i < value.firstBad.size() ? value.firstBad[i] : 0;
    window.begin[i] = shown ? std::max<qint64>(0, bad - kMostCells / 2) : bad;
    window.extent[i] = shown ? kMostCells : 1;
  }
  return window;
}

HtmlNotes valuesBeside(const Desk& desk, const StageIndexPtr& stage) {
  constexpr size_t kMostValues = 5000;  // each is asked for here, on the thread of the window
  const LineNotes values = runNotes(stage, desk.debug);
  HtmlNotes notes;
  for (size_t i = 0; i < std::min(values.lines().size(), kMostValues); ++i) {
    const LineNote* note = values.of(values.lines()[i]);
    if (!note) continue;
    HtmlNote& beside = notes[note->line];
    QStringList words;
    for (const NotePiece& piece : note->pieces) {
      words << piece.text;
      beside.bad |= piece.role == NoteRole::Error;
    }
    beside.text = words.join(QStringLiteral("  "));
  }
  return notes;
}

std::function<QByteArray()> stagePage(const PageFacts& facts, const StageIndexPtr& stage, const HtmlNotes& values) {
  return [facts, stage, values] {
    const TextBuffer text(stage->text.toStdString());
    QStringList about = aboutLines(facts, facts.command);
    if (!values.empty()) about << QStringLiteral("values after step %1 of %2").arg(facts.step).arg(facts.run);
    return htmlPage({facts.title + ", " + stageName(facts, stage->stage), about}, htmlText(text, *facts.theme, values),
                    *facts.theme);
  };
}

std::function<QByteArray()> diffPage(const PageFacts& facts, const StageIndexPtr& before, const StageIndexPtr& after) {
  return [facts, before, after] {
    const TextBuffer left(before->text.toStdString());
    const TextBuffer right(after->text.toStdString());
    const std::optional<TextDiff> diff = diffTexts(left, right, CancelToken());
    QStringList about = aboutLines(facts, facts.command);
    about << QStringLiteral("%1 lines added, %2 removed, %3 changed")
                 .arg(diff->added)
                 .arg(diff->removed)
                 .arg(diff->edited);
    return htmlPage({stageName(facts, before->stage) + " and " + stageName(facts, after->stage), about},
                    htmlDiff(left, right, *diff, kContext, *facts.theme), *facts.theme);
  };
}

std::function<QByteArray()> valuePage(const PageFacts& facts, const ValueSummary& value, const TensorSlice& slice) {
  return [facts, value, slice] {
    const QString name = value.variable.isEmpty() ? QStringLiteral("value") : value.variable;
    return htmlPage({name + " of " + facts.function, aboutLines(facts, facts.run)},
                    factsTable(value) + numbersTable(slice, *facts.theme), *facts.theme);
  };
}

}  // namespace rx::views
