#include "views/models/size_sum.h"

#include <algorithm>
#include <map>
#include <vector>

#include "views/models/numbers.h"

namespace rx::views {
namespace {

constexpr size_t kMostTerms = 12;
const QLatin1String kUnit(" B");

/// The factors of a term in order, each as often as it comes; the empty one is a number.
using Factors = std::vector<QString>;
using Polynomial = std::map<Factors, qint64>;

bool add(Polynomial* sum, const Factors& factors, qint64 times) {
  qint64& coefficient = (*sum)[factors];
  if (__builtin_add_overflow(coefficient, times, &coefficient)) return false;
  if (coefficient == 0) sum->erase(factors);
  return sum->size() <= kMostTerms;
}

std::optional<Polynomial> product(const Polynomial& a, const Polynomial& b) {
  Polynomial made;
  for (const auto& [left, m] : a)
    for (const auto& [right, n] : b) {
      Factors factors = left;
      factors.insert(factors.end(), right.begin(), right.end());
      std::sort(factors.begin(), factors.end());
      qint64 times = 0;
      if (__builtin_mul_overflow(m, n, &times) || !add(&made, factors, times)) return std::nullopt;
    }
  return made;
}

/// Reads sums, differences and products with a stack of its own: texts may nest as deep as they like.
class Reader {
 public:
  std::optional<Polynomial> read(const QString& text) {
    for (qsizetype at = 0; at < text.size();) {
      const QChar c = text[at];
      if (c.isSpace()) {
        ++at;
      } else if (c.isLetterOrNumber() || c == '_') {
        qsizetype end = at;
        while (end < text.size() && (text[end].isLetterOrNumber() || text[end] == '_')) ++end;
        if (!operand(text.mid(at, end - at))) return std::nullopt;
        at = end;
      } else {
        if (!sign(c)) return std::nullopt;
        ++at;
      }
    }
    while (!signs_.empty())
      if (signs_.back() == '(' || !apply()) return std::nullopt;
    if (values_.size() != 1 || !operandBefore_) return std::nullopt;
    return std::move(values_.back());
  }

 private:
  static int level(QChar sign) { return sign == '(' ? 0 : sign == '*' ? 2 : 1; }

  bool operand(const QString& word) {
    if (operandBefore_) return false;
    bool number = word.front().isDigit();
    const qint64 value = number ? word.toLongLong(&number) : 1;
    if (word.front().isDigit() && !number) return false;
    Polynomial made;
    add(&made, number ? Factors() : Factors{word}, value);
    values_.push_back(std::move(made));
    return operandBefore_ = true;
  }

  bool sign(QChar c) {
    if (c == '(') {
      if (operandBefore_) return false;  // a call
      signs_.push_back(c);
      return true;
    }
    if (!operandBefore_ || !QStringLiteral("+-*)").contains(c)) return false;
    if (c == ')') {
      while (!signs_.empty() && signs_.back() != '(')
        if (!apply()) return false;
      if (signs_.empty()) return false;
      signs_.pop_back();
      return true;
    }
    while (!signs_.empty() && level(signs_.back()) >= level(c))
      if (!apply()) return false;
    signs_.push_back(c);
    operandBefore_ = false;
    return true;
  }

  bool apply() {
    const QChar c = signs_.back();
    signs_.pop_back();
    if (values_.size() < 2) return false;
    const Polynomial right = std::move(values_.back());
    values_.pop_back();
    Polynomial& left = values_.back();
    if (c == '*') {
      std::optional<Polynomial> made = product(left, right);
      if (made) left = std::move(*made);
      return made.has_value();
    }
    return std::all_of(right.begin(), right.end(),
                       [&](const auto& term) { return add(&left, term.first, c == '-' ? -term.second : term.second); });
  }

  std::vector<Polynomial> values_;
  std::vector<QChar> signs_;
  bool operandBefore_ = false;
};

/// "n² m"
QString factorsText(const Factors& factors) {
  QStringList words;
  for (size_t i = 0; i < factors.size();) {
    const auto times =
        static_cast<size_t>(std::count(factors.begin() + static_cast<qsizetype>(i), factors.end(), factors[i]));
    const QString power = times == 1   ? QString()
                          : times == 2 ? QString(QChar(0x00b2))
                          : times == 3 ? QString(QChar(0x00b3))
                                       : QStringLiteral("^%1").arg(times);
    words << factors[i] + power;
    i += times;
  }
  return words.join(' ');
}

}  // namespace

std::optional<QString> bytesSum(const QStringList& sizes) {
  Polynomial sum;
  for (const QString& size : sizes) {
    bool number = false;
    const qint64 count = size.toLongLong(&number);
    if (!number && !size.endsWith(kUnit)) return std::nullopt;
    const QString text = size.chopped(kUnit.size());
    std::optional<Polynomial> read = number ? Polynomial{{{}, count}} : Reader().read(text);
    if (!read) read = Polynomial{{Factors{'(' + text + ')'}, 1}};
    for (const auto& [factors, times] : *read)
      if (!add(&sum, factors, times)) return std::nullopt;
  }
  std::vector<std::pair<Factors, qint64>> terms(sum.begin(), sum.end());
  std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.size(), a.first) < std::pair(b.first.size(), b.first);
  });
  QString text;
  for (const auto& [factors, times] : terms) {
    const qint64 size = std::abs(times);
    if (!text.isEmpty()) text += times < 0 ? QStringLiteral(" − ") : QStringLiteral(" + ");
    if (text.isEmpty() && times < 0) text += QChar(0x2212);
    if (factors.empty() || size != 1) text += grouped(size);
    if (!factors.empty()) text += (size != 1 ? QStringLiteral(" ") : QString()) + factorsText(factors);
  }
  return (text.isEmpty() ? QStringLiteral("0") : text) + kUnit;
}

}  // namespace rx::views
