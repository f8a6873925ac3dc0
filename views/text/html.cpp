#include "views/text/html.h"

#include <algorithm>

#include "views/text/text_painter.h"
#include "views/text/tokenizer.h"

namespace rx {
namespace {

QByteArray escaped(std::string_view text) {
  QByteArray out;
  out.reserve(static_cast<qsizetype>(text.size()));
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

QByteArray colored(const QByteArray& html, const QColor& ink) {
  return "<span style=\"color:" + ink.name().toLatin1() + "\">" + html + "</span>";
}

/// Lines of a text as HTML.
class Lines {
 public:
  Lines(const TextBuffer& text, const Palette& theme) : text_(text), theme_(theme) {}

  QByteArray html(uint32_t line) {
    const std::string_view bytes = text_.line(line);
    tokenizeLine(bytes, text_.beginsInString(line), tokens_);
    QByteArray out;
    size_t at = 0;
    for (const Token& token : tokens_) {
      out += escaped(bytes.substr(at, token.begin - at));
      out += colored(escaped(bytes.substr(token.begin, token.end - token.begin)), tokenColor(theme_, token.kind));
      at = token.end;
    }
    return out + escaped(bytes.substr(at));
  }

 private:
  const TextBuffer& text_;
  const Palette& theme_;
  std::vector<Token> tokens_;
};

QByteArray numberCell(int64_t line, const Palette& theme) {
  const QByteArray number = line < 0 ? QByteArray() : QByteArray::number(static_cast<qlonglong>(line + 1));
  return "<td style=\"color:" + theme.lineNumber.name().toLatin1() +
         ";text-align:right;padding:0 8px;user-select:none;vertical-align:top\">" + number + "</td>";
}

/// What of a long line stands in further lines is indented deeper than its beginning.
QByteArray hanging(std::string_view line) {
  constexpr size_t kDeeper = 4, kMost = 40;
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const QByteArray letters = QByteArray::number(static_cast<qulonglong>(std::min(indent, kMost) + kDeeper));
  return "white-space:pre-wrap;vertical-align:top;padding-left:" + letters + "ch;text-indent:-" + letters + "ch";
}

/// A line of one side of a difference; nothing where the side has none.
QByteArray textCell(const TextBuffer& text, Lines& lines, int64_t line, const QColor& ground) {
  const auto number = static_cast<uint32_t>(line);
  return "<td style=\"" + (line < 0 ? QByteArray() : hanging(text.line(number)) + ';') +
         "width:50%;background:" + ground.name().toLatin1() + "\">" + (line < 0 ? QByteArray() : lines.html(number)) +
         "</td>";
}

constexpr const char* kTable =
    "<table style=\"border-collapse:collapse;font-family:monospace;font-size:13px;line-height:1.45;width:100%\">\n";

}  // namespace

QByteArray htmlPage(const HtmlPage& page, const QByteArray& body, const Palette& theme) {
  const QByteArray title = escaped(page.title.toStdString());
  QByteArray about;
  for (const QString& line : page.about) about += escaped(line.toStdString()) + "<br/>\n";
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"/><title>" + title +
         "</title></head>\n<body style=\"margin:16px;font-family:sans-serif;font-size:14px;color:" +
         theme.text.name().toLatin1() + ";background:" + theme.base.name().toLatin1() +
         "\">\n<h1 style=\"font-size:1.2em\">" + title + "</h1>\n<p style=\"color:" + theme.grey.name().toLatin1() +
         "\">" + about + "</p>\n" + body + "\n</body>\n</html>\n";
}

QByteArray htmlText(const TextBuffer& text, const Palette& theme, const HtmlNotes& notes) {
  Lines lines(text, theme);
  QByteArray out = kTable;
  for (uint32_t line = 0; line < text.lineCount(); ++line) {
    out += "<tr>" + numberCell(line, theme) + "<td style=\"" + hanging(text.line(line)) + "\">" + lines.html(line) +
           "</td>";
    if (const auto note = notes.find(line); note != notes.end())
      out += "<td style=\"white-space:pre;text-align:right;vertical-align:top;padding:0 8px;color:" +
             (note->second.bad ? theme.error : theme.grey).name().toLatin1() + "\">" +
             escaped(note->second.text.toStdString()) + "</td>";
    out += "</tr>\n";
  }
  return out + "</table>";
}

QByteArray htmlDiff(const TextBuffer& left, const TextBuffer& right, const TextDiff& diff, uint32_t context,
                    const Palette& theme) {
  const size_t count = diff.rows.size();
  std::vector<bool> shown(count, false);
  for (size_t row = 0; row < count; ++row) {
    if (!diff.rows[row].changed) continue;
    const size_t last = std::min(row + context, count - 1);
    for (size_t near = row - std::min<size_t>(row, context); near <= last; ++near) shown[near] = true;
  }
  Lines lefts(left, theme);
  Lines rights(right, theme);
  QByteArray out = kTable;
  size_t hidden = 0;
  const auto gap = [&] {
    if (hidden > 0)
      out += "<tr><td colspan=\"4\" style=\"color:" + theme.grey.name().toLatin1() + ";padding:4px 8px\">" +
             QByteArray::number(static_cast<qlonglong>(hidden)) + (hidden == 1 ? " equal line" : " equal lines") +
             "</td></tr>\n";
    hidden = 0;
  };
  for (size_t row = 0; row < count; ++row) {
    if (!shown[row]) {
      ++hidden;
      continue;
    }
    gap();
    const DiffRow& at = diff.rows[row];
    const bool both = at.left >= 0 && at.right >= 0;
    const QColor& gone = !at.changed ? theme.base : at.left < 0 ? theme.filler : both ? theme.changed : theme.removed;
    const QColor& come = !at.changed ? theme.base : at.right < 0 ? theme.filler : both ? theme.changed : theme.added;
    out += "<tr>" + numberCell(at.left, theme) + textCell(left, lefts, at.left, gone) + numberCell(at.right, theme) +
           textCell(right, rights, at.right, come) + "</tr>\n";
  }
  gap();
  return out + "</table>";
}

}  // namespace rx
