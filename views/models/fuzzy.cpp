#include "views/models/fuzzy.h"

namespace rx::views {
namespace {

constexpr int kStart = 12;     // a match at the very start
constexpr int kWordStart = 8;  // at the start of a word, or of a camelCase part
constexpr int kRow = 6;        // right after the match before
constexpr int kSomewhere = 1;
constexpr int kWhole = 8;       // all letters in one piece
constexpr int kWholeWord = 30;  // at the start of a word

bool startsWord(const QString& text, qsizetype at) {
  if (at == 0) return true;
  const QChar before = text[at - 1];
  return !before.isLetterOrNumber() || (text[at].isUpper() && before.isLower());
}

}  // namespace

int fuzzyScore(const QString& typed, const QString& text) {
  int score = 0;
  qsizetype at = 0;
  qsizetype last = -2;
  for (const QChar letter : typed) {
    if (letter.isSpace()) continue;
    const QChar wanted = letter.toLower();
    // A later start of a word beats a nearer letter inside one, unless the nearer one continues a match.
    qsizetype found = -1;
    for (qsizetype i = at; i < text.size(); ++i) {
      if (text[i].toLower() != wanted) continue;
      if (found < 0) found = i;
      if (i == last + 1 || startsWord(text, i)) {
        found = i;
        break;
      }
    }
    if (found < 0) return -1;
    score += found == 0 ? kStart : found == last + 1 ? kRow : startsWord(text, found) ? kWordStart : kSomewhere;
    last = found;
    at = found + 1;
  }
  // Letters in one piece are what most people type: they stand above letters that are scattered.
  const qsizetype whole = text.indexOf(typed.trimmed(), 0, Qt::CaseInsensitive);
  if (whole >= 0 && !typed.trimmed().isEmpty()) score += startsWord(text, whole) ? kWholeWord : kWhole;
  return score * 100 - static_cast<int>(std::min<qsizetype>(text.size(), 99));
}

}  // namespace rx::views
