#include "views/panels/inspector/inspection_html.h"

#include <QBuffer>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QUrl>
#include <algorithm>
#include <cmath>

#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/kind_mark.h"

namespace rx::views {
namespace {

constexpr qsizetype kWhole = 24;        // letters of a piece that is never broken
constexpr qsizetype kWholeNumber = 48;  // and of numbers; more are words that stand where there is no number

bool isWhole(const InspectionPiece& piece) {
  return piece.text.size() <= (piece.role == InkRole::Number ? kWholeNumber : kWhole);
}

/// Between pieces of a row: the line breaks behind it, so that the next one begins where the first did.
const QString kBetween = QStringLiteral("&nbsp; ");

QString mono() { return fixedFont({}).family(); }

QString pieceHtml(const InspectionPiece& piece, const Palette& theme) {
  const QColor* const kInks[] = {&theme.text, &theme.grey,  &theme.type,   &theme.text,
                                 &theme.good, &theme.error, &theme.warning};
  QString text = piece.text.toHtmlEscaped();
  // What is read as one stays on one line.
  if (isWhole(piece)) text.replace(QLatin1Char(' '), QChar::Nbsp);
  if (piece.role == InkRole::Code || piece.role == InkRole::Number || piece.role == InkRole::Good)
    text = QStringLiteral("<span style=\"font-family:'%1'\">%2</span>").arg(mono(), text);
  if (!piece.target.isEmpty())
    return QStringLiteral("<a href='%1' style='color:%2;text-decoration:none'>%3</a>")
        .arg(QString::fromLatin1(QUrl::toPercentEncoding(piece.target)), theme.link.name(), text);
  QString style = QStringLiteral("color:%1").arg(kInks[static_cast<size_t>(piece.role)]->name());
  if (piece.role == InkRole::Good) style += QStringLiteral(";background-color:%1").arg(theme.goodFill.name());
  if (piece.role == InkRole::Error) style += QStringLiteral(";font-weight:600");
  return QStringLiteral("<span style='%1'>%2</span>").arg(style, text);
}

/// A place, "main · dataflow 1 · line 19", broken between its parts alone.
QString whole(const QString& place) {
  QStringList parts = place.toHtmlEscaped().split(QStringLiteral(" · "));
  for (QString& part : parts) part.replace(QLatin1Char(' '), QChar::Nbsp);
  return parts.join(QStringLiteral("&nbsp;· "));
}

/// A picture in the text, drawn by `draw` into a box as high as the letters.
template <class Draw>
QString imageHtml(int em, Draw draw) {
  constexpr int kScale = 3;  // drawn larger, for screens of any density
  const int size = em * 3 / 4;
  QImage image(size * kScale, size * kScale, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  draw(painter, image.rect().adjusted(kScale, kScale, -kScale, -kScale));
  painter.end();
  QByteArray png;
  QBuffer buffer(&png);
  buffer.open(QIODevice::WriteOnly);
  image.save(&buffer, "PNG");
  return QStringLiteral("<img src='data:image/png;base64,%1' width='%2' height='%2'>&nbsp;")
      .arg(QString::fromLatin1(png.toBase64()))
      .arg(size);
}

QString markHtml(const InspectionRow& row, const Palette& theme, int em, MarkPictures* pictures) {
  if (!row.mark && !row.icon) return {};
  QString& html = (*pictures)[row.mark ? QString::number(static_cast<int>(*row.mark)) : QString::fromLatin1(row.icon)];
  if (!html.isEmpty()) return html;
  if (row.mark)
    html = imageHtml(em, [&](QPainter& painter, const QRect& box) { drawKindMark(painter, *row.mark, theme, box); });
  else
    html = imageHtml(em, [&](QPainter& painter, const QRect& box) {
      const QColor& ink = QLatin1String(row.icon) == QLatin1String("cross") ? theme.error : theme.good;
      icon(row.icon, ink).paint(&painter, box);
    });
  return html;
}

QString rowHtml(const InspectionRow& row, bool table, const Palette& theme, int em, MarkPictures* pictures) {
  QStringList pieces;
  for (const InspectionPiece& piece : row.pieces) pieces += pieceHtml(piece, theme);
  const QString mark = markHtml(row, theme, em, pictures);
  if (table && row.pieces.size() > 1)
    return QStringLiteral("<tr><td>%1%2</td></tr>")
        .arg(mark, pieces.join(QStringLiteral("</td><td style='padding-left:%1px'>").arg(em / 2)));
  const QString body = mark + pieces.join(kBetween);
  if (row.label.isEmpty()) return QStringLiteral("<div>%1</div>").arg(body);
  return QStringLiteral("<tr><td style='color:%1;white-space:nowrap;padding-right:%2px'>%3</td><td>%4</td></tr>")
      .arg(theme.grey.name())
      .arg(em)
      .arg(row.label.toHtmlEscaped(), body);
}

/// The widest part of a piece that is never broken.
double unbroken(const InspectionPiece& piece, const QFont& font) {
  const bool fixed = piece.role == InkRole::Code || piece.role == InkRole::Number || piece.role == InkRole::Good;
  QFont drawn = fixed ? fixedFont(font) : font;
  if (piece.role == InkRole::Error) drawn.setBold(true);
  const QFontMetricsF metrics(drawn);
  if (isWhole(piece)) return metrics.horizontalAdvance(piece.text);
  double widest = 0;
  for (const QString& word : piece.text.split(QLatin1Char(' ')))
    widest = std::max(widest, metrics.horizontalAdvance(word));
  return widest;
}

}  // namespace

int leastWidth(const InspectionSection& section, const QFont& font) {
  if (!section.table) return 0;
  std::vector<double> columns;
  const double em = QFontMetricsF(font).height();
  for (const InspectionRow& row : section.rows) {
    columns.resize(std::max(columns.size(), row.pieces.size()));
    for (size_t i = 0; i < row.pieces.size() && row.pieces.size() > 1; ++i)
      columns[i] = std::max(columns[i], unbroken(row.pieces[i], font) + (i == 0 && (row.mark || row.icon) ? em : 0));
  }
  double width = 0;
  for (const double column : columns) width += column + em / 2 + 2;
  return static_cast<int>(std::ceil(width));
}

InspectionSection flowing(const InspectionSection& section) {
  InspectionSection flows = section;
  flows.table = false;
  if (section.rows.empty()) return flows;
  const InspectionRow& head = section.rows.front();
  if (head.pieces.size() < 2 || !head.pieces.front().text.isEmpty()) return flows;
  flows.rows.erase(flows.rows.begin());
  for (InspectionRow& row : flows.rows) {
    std::vector<InspectionPiece> named;
    for (size_t i = 0; i < row.pieces.size(); ++i) {
      if (i > 0 && i < head.pieces.size()) named.push_back({head.pieces[i].text, InkRole::Grey});
      named.push_back(std::move(row.pieces[i]));
    }
    row.pieces = std::move(named);
  }
  return flows;
}

QString headHtml(const Inspection& inspection, const Palette& theme) {
  if (inspection.name.isEmpty()) return {};
  return QStringLiteral(
             "<b style=\"font-family:'%1';font-size:large\">%2</b>&nbsp; <span style='background-color:%3'>&nbsp;"
             "%4&nbsp;</span>&nbsp; <span style='color:%5'>%6</span>")
      .arg(mono(), inspection.name.toHtmlEscaped(), theme.hover.name(), inspection.kind.toHtmlEscaped(),
           theme.grey.name(), whole(inspection.where));
}

QString sectionHtml(const InspectionSection& section, const Palette& theme, int em, MarkPictures* pictures) {
  QString html;
  if (!section.title.isEmpty()) {
    html += QStringLiteral("<div><b>%1</b>").arg(section.title.toHtmlEscaped());
    if (!section.link.text.isEmpty()) html += kBetween + pieceHtml(section.link, theme);
    html += QStringLiteral("</div>");
  }
  if (section.rows.empty()) return html;
  bool inTable = false;
  for (const InspectionRow& row : section.rows) {
    const QString text = rowHtml(row, section.table, theme, em, pictures);
    const bool cells = text.startsWith(QLatin1String("<tr>"));
    if (cells != inTable)
      html += cells ? QStringLiteral("<table cellspacing='0' cellpadding='1'>") : QStringLiteral("</table>");
    inTable = cells;
    html += text;
  }
  return inTable ? html + QStringLiteral("</table>") : html;
}

QString targetOfLink(const QString& link) { return QUrl::fromPercentEncoding(link.toLatin1()); }

}  // namespace rx::views
