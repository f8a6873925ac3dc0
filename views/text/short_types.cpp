#include "views/text/short_types.h"

#include <algorithm>
#include <optional>
#include <string>

namespace rx {
namespace {

constexpr std::string_view kHead = "R.Tensor((";
constexpr std::string_view kType = ", dtype=\"";
constexpr std::string_view kTupleHead = ": R.Tuple(";
constexpr std::string_view kTuple = "R.Tuple(";
constexpr std::string_view kRankHead = "R.Tensor(dtype=\"";
constexpr std::string_view kRank = ", ndim=";

struct ShortName {
  std::string_view name;
  std::string_view brief;
};
/// Families whose name gives way to a letter before the number of bits.
constexpr ShortName kFamilies[] = {{"bfloat", "bf"}, {"float", "f"}, {"uint", "u"}, {"int", "i"}};

/// "f32" of "float32"; other types are their own name.
QString shortName(std::string_view type) {
  for (const ShortName& family : kFamilies) {
    const std::string_view bits = type.substr(std::min(family.name.size(), type.size()));
    const bool number =
        !bits.empty() && std::all_of(bits.begin(), bits.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (type.starts_with(family.name) && number) return shownText(family.brief) + shownText(bits);
  }
  return shownText(type);
}

// A language whose texts say types so: `%x: Tensor[(n, 32), float32]`, `exp(%x) /* ty=Tensor[(n, 32), float32] */`.
constexpr std::string_view kGraphHead = "Tensor[(";
constexpr std::string_view kComment = " /* ty=";
constexpr std::string_view kCommentEnd = " */";

/// The end of the parenthesis that is open at `from`; npos where the line ends before it does.
size_t closing(std::string_view line, size_t from) {
  int depth = 1;
  for (size_t i = from; i < line.size(); ++i) {
    if (line[i] == '(') ++depth;
    if (line[i] == ')' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// Buffers of kernels: `A: T.Buffer((T.int64(1), T.int64(784)), "float32")`.
constexpr std::string_view kBufferHead = "T.Buffer((";
constexpr std::string_view kBufferType = ", \"";

/// Whole numbers that say their type, `T.int64(784)`: `784`.
std::vector<Shortening> typedNumbers(std::string_view text) {
  static constexpr std::string_view kWrap = "T.int64(";
  std::vector<Shortening> found;
  for (size_t at = text.find(kWrap); at != std::string_view::npos; at = text.find(kWrap, at + 1)) {
    const size_t begin = at + kWrap.size();
    const size_t digits = begin + (text.substr(begin).starts_with('-') ? 1 : 0);
    const size_t end = text.find_first_not_of("0123456789", digits);
    if (end == std::string_view::npos || end == digits || text[end] != ')') continue;
    found.push_back(
        {static_cast<uint32_t>(at), static_cast<uint32_t>(end + 1), shownText(text.substr(begin, end - begin))});
  }
  return found;
}

QString plainNumbers(std::string_view text) {
  QString plain = shownText(text);
  const std::vector<Shortening> numbers = typedNumbers(text);
  for (auto part = numbers.rbegin(); part != numbers.rend(); ++part)
    plain.replace(static_cast<qsizetype>(part->begin), static_cast<qsizetype>(part->end - part->begin), part->text);
  return plain;
}

/// Types of buffers in the head of a kernel, "(1, 784) f32", and numbers elsewhere in it.
void addBufferTypes(std::string_view line, std::vector<Shortening>* found) {
  for (size_t at = line.find(kBufferHead); at != std::string_view::npos; at = line.find(kBufferHead, at + 1)) {
    const size_t shape = at + kBufferHead.size();
    const size_t end = closing(line, shape);
    if (end == std::string_view::npos) break;
    if (!line.substr(end + 1).starts_with(kBufferType)) continue;
    const size_t type = end + 1 + kBufferType.size();
    const size_t quote = line.find('"', type);
    // With strides, an offset or a scope it is more than a shape and a type of elements.
    if (quote == std::string_view::npos || line.substr(quote + 1, 1) != ")") continue;
    const QString text = plainNumbers(line.substr(shape - 1, end + 2 - shape)) + QLatin1Char(' ') +
                         shortName(line.substr(type, quote - type));
    found->push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(quote + 2), text});
  }
  std::vector<Shortening> numbers = typedNumbers(line);
  std::erase_if(numbers, [&](const Shortening& number) {
    return std::ranges::any_of(
        *found, [&](const Shortening& type) { return type.begin <= number.begin && number.end <= type.end; });
  });
  found->insert(found->end(), numbers.begin(), numbers.end());
  std::ranges::sort(*found, {}, &Shortening::begin);
}

/// Types of tensors between two places of a line.
void addGraphTypes(std::string_view line, size_t from, size_t to, std::vector<Shortening>* found) {
  for (size_t at = line.find(kGraphHead, from); at < to; at = line.find(kGraphHead, at + 1)) {
    const size_t shape = at + kGraphHead.size();
    const size_t end = closing(line, shape);
    if (end == std::string_view::npos || line.substr(end, 3) != "), ") continue;
    const size_t close = line.find(']', end);
    if (close >= to) continue;
    const QString text = shownText(line.substr(shape - 1, end + 2 - shape)) + QLatin1Char(' ') +
                         shortName(line.substr(end + 3, close - end - 3));
    found->push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(close + 1), text});
  }
}

/// The types of a line; comments that say one are left out: who points at what they stand behind is told it.
std::vector<Shortening> graphTypes(std::string_view line) {
  std::vector<Shortening> found;
  size_t from = 0;
  while (from < line.size()) {
    const size_t at = std::min(line.find(kComment, from), line.size());
    addGraphTypes(line, from, at, &found);
    const size_t end = line.find(kCommentEnd, at);
    if (end == std::string_view::npos) break;
    from = end + kCommentEnd.size();
    found.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(from), {}});
  }
  return found;
}

}  // namespace

namespace {

/// "ndim 2 f32" of the `R.Tensor(dtype="float32", ndim=2)` that begins at `at`; nothing where it says something else.
std::optional<Shortening> rankType(std::string_view line, size_t at) {
  const size_t type = at + kRankHead.size();
  const size_t quote = line.find('"', type);
  if (quote == std::string_view::npos || !line.substr(quote + 1).starts_with(kRank)) return std::nullopt;
  const size_t digits = quote + 1 + kRank.size();
  const size_t end = line.find_first_not_of("0123456789", digits);
  if (end == std::string_view::npos || end == digits || line[end] != ')') return std::nullopt;
  return Shortening{static_cast<uint32_t>(at), static_cast<uint32_t>(end + 1),
                    QStringLiteral("ndim %1 %2")
                        .arg(shownText(line.substr(digits, end - digits)), shortName(line.substr(type, quote - type)))};
}

/// The annotation of a line that binds a name, from its colon to the blank before its `=`; empty where there is none.
Shortening annotationOf(std::string_view line) {
  const auto isName = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  size_t colon = std::min(line.find_first_not_of(' '), line.size());
  while (colon < line.size() && isName(line[colon])) ++colon;
  if (line.substr(colon, 2) != ": ") return {};
  int depth = 0;
  bool quoted = false;
  for (size_t i = colon + 1; i + 2 < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (depth == 0 && line.substr(i, 3) == " = ") return {static_cast<uint32_t>(colon), static_cast<uint32_t>(i), {}};
  }
  return {};
}

/// Equal neighbours of a long tuple together: "(40 × (2, 24) f32)" for forty of them.
QString equalTogether(const QString& tuple) {
  constexpr int kMany = 4;
  if (!tuple.startsWith('(') || !tuple.endsWith(')')) return tuple;
  QStringList members{QString()};
  int depth = 0;
  for (const QChar c : tuple.mid(1, tuple.size() - 2)) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      members << QString();
    else
      members.back() += c;
  }
  QStringList shown;
  for (qsizetype i = 0; i < members.size();) {
    const QString member = members[i].trimmed();
    qsizetype end = i + 1;
    while (end < members.size() && members[end].trimmed() == member) ++end;
    if (end - i >= kMany) {
      shown << QStringLiteral("%1 × %2").arg(QString::number(end - i), member);
    } else {
      for (qsizetype k = i; k < end; ++k) shown << member;
    }
    i = end;
  }
  return '(' + shown.join(QStringLiteral(", ")) + ')';
}

}  // namespace

QString shortType(const QString& info) {
  const std::string line = info.toStdString();
  const bool graph = line.find(kGraphHead) != std::string::npos;
  std::vector<Shortening> parts = graph ? graphTypes(line) : shortTypes(line);
  for (size_t at = line.find(kTuple); at != std::string::npos; at = line.find(kTuple, at + 1))
    parts.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(at + kTuple.size()), QStringLiteral("(")});
  for (size_t at = line.find(kRankHead); at != std::string::npos; at = line.find(kRankHead, at + 1))
    if (std::optional<Shortening> part = rankType(line, at)) parts.push_back(std::move(*part));
  std::ranges::sort(parts, {}, &Shortening::begin);
  QString text;
  size_t from = 0;
  for (const Shortening& part : parts) {
    text += shownText(std::string_view(line).substr(from, part.begin - from)) + part.text;
    from = part.end;
  }
  text += shownText(std::string_view(line).substr(from));
  return line.starts_with(kTuple) ? equalTogether(text) : text;
}

std::vector<Shortening> typesAs(TypeForm form, std::string_view line) {
  if (form == TypeForm::Whole) return {};
  const bool graph = line.find(kGraphHead) != std::string_view::npos || line.find(kComment) != std::string_view::npos;
  if (graph) return graphTypes(line);
  std::vector<Shortening> found = shortTypes(line);
  Shortening annotation = annotationOf(line);
  // The type of a tuple pushes the operator out of sight, and says nothing that the items taken out of it do not.
  const bool tuple = line.substr(annotation.begin).starts_with(kTupleHead);
  if (annotation.end == annotation.begin || (form == TypeForm::Short && !tuple)) return found;
  if (form == TypeForm::Short) {
    annotation.begin += static_cast<uint32_t>(kTupleHead.size()) - 1;
    annotation.text = QStringLiteral("(…)");
  }
  std::erase_if(found, [&](const Shortening& part) { return part.begin < annotation.end; });
  found.insert(found.begin(), annotation);
  return found;
}

QString shapeOf(std::string_view line) {
  const Shortening annotation = annotationOf(line);
  if (annotation.end == annotation.begin) return {};
  const std::vector<Shortening> types = shortTypes(line);
  // The type and nothing else: items of a tuple have none of their own here.
  const bool whole = !types.empty() && types[0].begin == annotation.begin + 2 && types[0].end == annotation.end;
  return whole ? types[0].text.left(types[0].text.lastIndexOf(QLatin1Char(')')) + 1) : QString();
}

std::vector<Shortening> shortTypes(std::string_view line) {
  std::vector<Shortening> found;
  for (size_t at = line.find(kHead); at != std::string_view::npos; at = line.find(kHead, at + 1)) {
    const size_t shape = at + kHead.size();
    const size_t end = closing(line, shape);
    if (end == std::string_view::npos) break;
    std::string_view rest = line.substr(end + 1);
    QString text = shownText(line.substr(shape - 1, end + 2 - shape)).remove(QLatin1Char('"'));
    if (rest.starts_with(kType)) {
      rest.remove_prefix(kType.size());
      const size_t quote = rest.find('"');
      if (quote == std::string_view::npos) break;
      text += QLatin1Char(' ') + shortName(rest.substr(0, quote));
      rest.remove_prefix(quote + 1);
    }
    if (!rest.starts_with(')')) continue;
    const auto last = static_cast<uint32_t>(line.size() - rest.size() + 1);
    found.push_back({static_cast<uint32_t>(at), last, text});
  }
  // A line has types of one of both: the one binds tensors, the other is the head of a kernel.
  if (found.empty()) addBufferTypes(line, &found);
  return found;
}

}  // namespace rx
