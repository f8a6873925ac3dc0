#include "views/models/search.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "views/models/fuzzy.h"
#include "views/models/numbers.h"

namespace rx::views {
namespace {

constexpr size_t kMostOfAKind = 20000;  // of one stage: more than anybody walks through
constexpr qsizetype kLongestLine = 400;

constexpr uint32_t bit(HitKind kind) { return 1U << static_cast<int>(kind); }

constexpr SearchFilter kFilters[] = {
    {"All", "", 0, "names, operators, shapes such as (*, 4096), types, constants, text of every stage"},
    {"Commands", ">", 0, "> step over"},
    {"Names", "@", bit(HitKind::Function) | bit(HitKind::Block) | bit(HitKind::Binding), "@ scores"},
    {"Operators", "!", bit(HitKind::Operator), "! matmul"},
    {"Shapes", "(", bit(HitKind::Shape), "(*, 4096), (n, ...) f16", true},
    {"Types", "~", bit(HitKind::Type), "~ float16"},
    {"Symbols", "$", bit(HitKind::Symbol), "$ n"},
    {"Constants", "=", bit(HitKind::Constant), "= 0.3535"},
    {"Text", "/", bit(HitKind::Text), "/ any text of any stage"},
    {"Patterns", "?", bit(HitKind::Pattern),
     "? is_op(\"relax.nn.relu\")(is_op(\"relax.add\")(wildcard(), is_const()))"},
    {"Passes", "#", 0, "# LegalizeOps"},
    {"Line", ":", 0, ": 120"},
};

/// What matchers write to, with the state that all of them share.
struct Search {
  const StageIndex& stage;
  const SearchQuery& query;
  const CancelToken& cancel;
  QString text;  // trimmed
  std::vector<SearchHit> hits;
  size_t ofKind = 0;

  bool full() const { return ofKind >= kMostOfAKind; }
  void add(HitKind kind, const FunctionRow& function, const BindingRow* binding, int line, QString title,
           QString detail, int score = 0) {
    ++ofKind;
    hits.push_back({kind, stage.stage, stage.stage, function.name, binding ? binding->ordinal : -1,
                    binding ? binding->name : QString(), line, std::move(title), std::move(detail), score});
  }
};

QString typeOf(const QString& shape, const QString& dtype) {
  return shape.isEmpty() ? QString() : dtype.isEmpty() ? shape : shape + ' ' + shortDtype(dtype);
}

QString detailOf(const BindingRow& binding) {
  const QString type = typeOf(binding.shape, binding.dtype);
  return type.isEmpty() ? binding.label : binding.label + QStringLiteral("  ") + type;
}

bool holds(const QString& text, const QString& wanted) { return text.contains(wanted, Qt::CaseInsensitive); }

/// Calls `take` for every binding of the stage until it is full or cancelled.
template <class Take>
void eachBinding(Search& search, Take take) {
  for (const FunctionRow& function : search.stage.functions) {
    if (search.cancel.cancelled() || search.full()) return;
    for (const BindingRow& binding : function.bindings) {
      if (search.full() || ((binding.ordinal & 1023) == 0 && search.cancel.cancelled())) return;
      take(function, binding);
    }
  }
}

void findFunctions(Search& search) {
  for (const FunctionRow& function : search.stage.functions) {
    const int score = fuzzyScore(search.text, function.name);
    if (score < 0) continue;
    search.add(HitKind::Function, function, nullptr, function.headLine, function.name, function.signature, score);
  }
}

/// By their names; by what they are only with enough letters, which is in every block of a network.
void findBlocks(Search& search) {
  constexpr qsizetype kLettersOfKind = 4;
  const bool byKind = search.text.size() >= kLettersOfKind;
  for (const FunctionRow& function : search.stage.functions) {
    for (const OutlineRow& block : function.outline) {
      if (!holds(block.name, search.text) && !(byKind && holds(block.kind, search.text))) continue;
      const BindingRow* first = function.binding(block.first);
      search.add(HitKind::Block, function, first, first->line, block.name, block.kind,
                 std::max(0, fuzzyScore(search.text, block.name)));
    }
  }
}

void findBindings(Search& search) {
  for (const FunctionRow& function : search.stage.functions) {
    for (const ParamRow& param : function.params) {
      if (!holds(param.name, search.text)) continue;
      search.add(HitKind::Binding, function, nullptr, function.headLine, param.name,
                 QStringLiteral("parameter  ") + typeOf(param.shape, param.dtype), fuzzyScore(search.text, param.name));
      search.hits.back().variable = param.name;
    }
  }
  eachBinding(search, [&](const FunctionRow& function, const BindingRow& binding) {
    // Letters in one piece: scattered ones would make a list of thousands out of any short word.
    if (!holds(binding.name, search.text)) return;
    search.add(HitKind::Binding, function, &binding, binding.line, binding.name, detailOf(binding),
               fuzzyScore(search.text, binding.name));
  });
}

/// What is called, in every form that one may name it: "relax.nn.relu", "R.nn.relu", "nn.relu", "relu"; of a call_tir
/// its kernel, of a packed call the name of the function.
bool isCallOf(const BindingRow& binding, const QString& name) {
  const QString op = QStringLiteral("relax.") + (name.startsWith(QLatin1String("R.")) ? name.mid(2) : name);
  if (binding.op == name || binding.label == name || binding.op == op || binding.callee == name) return true;
  if (!binding.op.isEmpty() && binding.op.section('.', -1) == name) return true;
  return std::any_of(binding.operands.begin(), binding.operands.end(), [&](const OperandRow& operand) {
    return operand.kind == OperandRow::Kind::Global && operand.name == name;
  });
}

/// What is called, and which binding has its result.
void addCall(Search& search, const FunctionRow& function, const BindingRow& binding) {
  search.add(HitKind::Operator, function, &binding, binding.line, binding.label,
             binding.called + QStringLiteral("  ") + typeOf(binding.shape, binding.dtype));
  search.hits.back().called = calledName(binding);
}

void findOperators(Search& search) {
  eachBinding(search, [&](const FunctionRow& function, const BindingRow& binding) {
    if (holds(binding.label, search.text) || holds(binding.op, search.text)) addCall(search, function, binding);
  });
}

void findCalls(Search& search) {
  eachBinding(search, [&](const FunctionRow& function, const BindingRow& binding) {
    if (isCallOf(binding, search.text)) addCall(search, function, binding);
  });
}

/// The parts of "(n, T.max(a, b)) f16": its dimensions without blanks, and what stands behind the bracket.
struct ShapeText {
  QStringList dims;
  QString dtype;
  bool closed = false;
};

ShapeText readShape(const QString& text) {
  ShapeText read;
  QString part;
  int depth = 0;
  qsizetype at = 0;
  const auto end = [&] {
    if (!part.isEmpty()) read.dims << part;
    part.clear();
  };
  for (; at < text.size() && !read.closed; ++at) {
    const QChar c = text[at];
    if (c == '(' && depth++ == 0) continue;
    if (c == ')' && --depth == 0) {
      read.closed = true;
      end();
    } else if (c == ',' && depth == 1) {
      end();
    } else if (!c.isSpace()) {
      part += c;
    }
  }
  end();
  read.dtype = text.mid(at).trimmed();
  return read;
}

bool shapeFits(const ShapeText& pattern, const QString& shape, const QString& dtype) {
  if (!pattern.dtype.isEmpty() && !dtype.startsWith(pattern.dtype) && !shortDtype(dtype).startsWith(pattern.dtype))
    return false;
  const QStringList dims = readShape(shape).dims;
  const QStringList& wanted = pattern.dims;
  // The usual walk for patterns with one kind of wildcard: after "..." fails later, it takes one dimension more.
  qsizetype p = 0;
  qsizetype star = -1;
  qsizetype starAt = 0;
  for (qsizetype d = 0; d < dims.size();) {
    if (p < wanted.size() && wanted[p] == QLatin1String("...")) {
      star = p++;
      starAt = d;
    } else if (p < wanted.size() && (wanted[p] == QLatin1String("*") || wanted[p] == dims[d])) {
      ++p;
      ++d;
    } else if (star >= 0) {
      p = star + 1;
      d = ++starAt;
    } else {
      return !pattern.closed && p == wanted.size();  // still being typed: the first dimensions fit
    }
  }
  while (p < wanted.size() && wanted[p] == QLatin1String("...")) ++p;
  return p == wanted.size();
}

void findShapes(Search& search) {
  const ShapeText pattern = readShape(search.text);
  if (!search.text.startsWith('(') || pattern.dims.isEmpty()) return;
  for (const FunctionRow& function : search.stage.functions) {
    for (const ParamRow& param : function.params) {
      if (param.shape.isEmpty() || !shapeFits(pattern, param.shape, param.dtype)) continue;
      search.add(HitKind::Shape, function, nullptr, function.headLine, param.name,
                 QStringLiteral("parameter  ") + typeOf(param.shape, param.dtype));
      search.hits.back().variable = param.name;
    }
  }
  eachBinding(search, [&](const FunctionRow& function, const BindingRow& binding) {
    if (binding.shape.isEmpty() || !shapeFits(pattern, binding.shape, binding.dtype)) return;
    search.add(HitKind::Shape, function, &binding, binding.line, binding.name, detailOf(binding));
  });
}

void findTypes(Search& search) {
  const QString wanted = search.text.toLower();
  eachBinding(search, [&](const FunctionRow& function, const BindingRow& binding) {
    if (binding.dtype.isEmpty()) return;
    // Among everything else only a whole name of a type is one: the letter f is in most words.
    const bool begins = search.query.kinds != 0 && binding.dtype.startsWith(wanted);
    if (!begins && binding.dtype != wanted && shortDtype(binding.dtype) != wanted) return;
    search.add(HitKind::Type, function, &binding, binding.line, binding.name, detailOf(binding));
  });
}

void findSymbols(Search& search) {
  for (const FunctionRow& function : search.stage.functions) {
    for (const SymbolRow& symbol : function.symbols) {
      if (!holds(symbol.name, search.text)) continue;
      const BindingRow* binder = function.bindingNamed(symbol.binder);
      search.add(HitKind::Symbol, function, binder, symbol.line > 0 ? symbol.line : function.headLine, symbol.name,
                 QStringLiteral("bound by %1, %2 uses").arg(symbol.boundBy, QString::number(symbol.uses.size())));
      if (!binder) search.hits.back().variable = symbol.binder;
    }
  }
}

/// The line of a binding without its indentation, cut where it is very long.
QString lineText(const StageIndex& stage, int line) {
  const QString text = QString::fromUtf8(stage.line(line)).trimmed();
  return text.size() > kLongestLine ? text.left(kLongestLine) + QStringLiteral("…") : text;
}

void findConstants(Search& search) {
  eachBinding(search, [&](const FunctionRow& function, const BindingRow& binding) {
    const bool reads = std::any_of(binding.operands.begin(), binding.operands.end(), [](const OperandRow& operand) {
      return operand.kind == OperandRow::Kind::Constant;
    });
    if (!reads && binding.kind != OpKind::Constant) return;
    // The value stands in the text between "const(" and its bracket; a large one is a line of the metadata.
    const QString text = lineText(search.stage, binding.line);
    const qsizetype from = std::max<qsizetype>(0, std::max(text.indexOf("const("), text.indexOf("metadata[")));
    if (text.indexOf(search.text, from, Qt::CaseInsensitive) < 0 && !holds(binding.name, search.text)) return;
    search.add(HitKind::Constant, function, &binding, binding.line, binding.name, text);
  });
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The first place from `at` on that holds `wanted` (in lower case), whatever the case; -1 for none.
qsizetype findBytes(const QByteArray& text, const QByteArray& wanted, qsizetype at) {
  const char first = wanted[0];
  const char other = first >= 'a' && first <= 'z' ? static_cast<char>(first - 'a' + 'A') : first;
  const char* data = text.constData();
  const qsizetype last = text.size() - wanted.size();
  for (; at <= last; ++at) {
    if (data[at] != first && data[at] != other) continue;
    qsizetype i = 1;
    while (i < wanted.size() && lower(data[at + i]) == wanted[i]) ++i;
    if (i == wanted.size()) return at;
  }
  return -1;
}

void findText(Search& search) {
  const QByteArray wanted = search.text.toLower().toUtf8();
  if (wanted.isEmpty()) return;
  const StageIndex& stage = search.stage;
  qsizetype at = 0;
  while ((at = findBytes(stage.text, wanted, at)) >= 0 && !search.full() && !search.cancel.cancelled()) {
    const int line = stage.lineOf(static_cast<int>(at));
    static const FunctionRow kNone;
    const FunctionRow* function = stage.functionAtLine(line);
    const BindingRow* binding = function ? function->bindingAtLine(line) : nullptr;
    search.add(HitKind::Text, function ? *function : kNone, binding, line, lineText(stage, line), {});
    if (line >= stage.lineCount()) return;
    at = stage.lineStarts[static_cast<size_t>(line)];  // one hit a line
  }
}

/// Only where patterns are asked for: most texts are none.
void findPatterns(Search& search) {
  if (search.query.kinds == 0 || !search.stage.patterns) return;
  for (const SitePlace& place : search.stage.patterns->find(search.text, search.cancel)) {
    const FunctionRow& function = search.stage.functions[static_cast<size_t>(place.function)];
    const BindingRow* binding = function.binding(place.ordinal);
    if (binding && !search.full())
      search.add(HitKind::Pattern, function, binding, binding->line, binding->name, detailOf(*binding));
  }
}

struct Matcher {
  HitKind kind;
  void (*find)(Search& search);
};
constexpr Matcher kMatchers[] = {
    {HitKind::Function, findFunctions}, {HitKind::Block, findBlocks},       {HitKind::Binding, findBindings},
    {HitKind::Operator, findOperators}, {HitKind::Shape, findShapes},       {HitKind::Type, findTypes},
    {HitKind::Symbol, findSymbols},     {HitKind::Constant, findConstants}, {HitKind::Text, findText},
    {HitKind::Pattern, findPatterns},
};

}  // namespace

QString SearchHit::where() const {
  return function.isEmpty() ? QStringLiteral("line %1").arg(line)
                            : QStringLiteral("%1, line %2").arg(function, QString::number(line));
}

QString SearchHit::stages() const {
  return lastStage > stage ? QStringLiteral("%1–%2").arg(stage).arg(lastStage) : QString::number(stage);
}

const QString& calledName(const BindingRow& binding) {
  return binding.callee.isEmpty() ? binding.label : binding.callee;
}

QStringList revealArguments(const SearchHit& hit, int selectedStage) {
  const int stage = hit.stage <= selectedStage && selectedStage <= hit.lastStage ? selectedStage : hit.stage;
  return {QString::number(stage), QString::number(hit.line), hit.function, QString::number(hit.binding), hit.variable};
}

void HitList::clear() {
  rows_.clear();
  places_.clear();
  left_ = 0;
}

void HitList::add(const std::vector<SearchHit>& hits) {
  constexpr size_t kMostRows = 50000;
  for (const SearchHit& hit : hits) {
    Thing thing{hit.kind, hit.binding, hit.line, hit.function, hit.title, hit.detail};
    const auto known = places_.constFind(thing);
    SearchHit* row = known == places_.constEnd() ? nullptr : &rows_[static_cast<size_t>(*known)];
    if (row && row->lastStage + 1 == hit.stage) {
      row->lastStage = hit.lastStage;
    } else if (row && hit.lastStage + 1 == row->stage) {
      row->stage = hit.stage;
    } else if (rows_.size() == kMostRows) {
      ++left_;
    } else {
      places_.insert(std::move(thing), static_cast<qsizetype>(rows_.size()));
      rows_.push_back(hit);
    }
  }
}

std::span<const SearchFilter> searchFilters() { return kFilters; }

const SearchFilter& filterOf(const QString& typed) {
  for (const SearchFilter& filter : kFilters) {
    if (*filter.prefix && typed.startsWith(QLatin1String(filter.prefix))) return filter;
  }
  return kFilters[0];
}

SearchQuery readQuery(const QString& typed) {
  const SearchFilter& filter = filterOf(typed);
  const qsizetype skipped = filter.keepsPrefix ? 0 : static_cast<qsizetype>(qstrlen(filter.prefix));
  return {typed.mid(skipped).trimmed(), filter.kinds};
}

QString hitKindName(HitKind kind) {
  static constexpr const char* kNames[] = {"function", "block",  "binding",  "operator", "shape",
                                           "type",     "symbol", "constant", "text",     "pattern"};
  return QString::fromLatin1(kNames[static_cast<size_t>(kind)]);
}

QString refusalOf(const StageIndex& stage, const SearchQuery& query) {
  const bool asked = query.kinds == bit(HitKind::Pattern) && !query.calls && !query.empty();
  return asked && stage.patterns ? stage.patterns->refusal(query.text.trimmed()) : QString();
}

bool shapeFits(const QString& pattern, const QString& shape, const QString& dtype) {
  return shapeFits(readShape(pattern), shape, dtype);
}

std::vector<SearchHit> searchStage(const StageIndex& stage, const SearchQuery& query, const CancelToken& cancel,
                                   const std::function<void(std::vector<SearchHit>)>& first) {
  Search search{stage, query, cancel, query.text.trimmed(), {}, 0};
  if (search.text.isEmpty()) return {};
  if (query.calls) {
    findCalls(search);
    return std::move(search.hits);
  }
  bool told = !first;
  for (const Matcher& matcher : kMatchers) {
    if (!query.wants(matcher.kind) || cancel.cancelled()) continue;
    search.ofKind = 0;
    matcher.find(search);
    if (told || search.hits.empty()) continue;
    told = true;
    first(std::exchange(search.hits, {}));
  }
  return std::move(search.hits);
}

}  // namespace rx::views
