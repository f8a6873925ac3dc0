// Search over everything that the stages hold: functions, named blocks, bindings, operators, shapes, data types,
// symbols, constants and text. Plain functions over StageIndex rows, for worker threads; SearchJob runs them.
#pragma once

#include <QHash>
#include <QString>
#include <QStringList>
#include <functional>
#include <span>
#include <vector>

#include "core/support/cancel.h"
#include "views/models/stage_index.h"

namespace rx::views {

enum class HitKind : uint8_t { Function, Block, Binding, Operator, Shape, Type, Symbol, Constant, Text, Pattern };

/// What one search looks for: what was typed, without the prefix that chose a kind.
struct SearchQuery {
  QString text;
  uint32_t kinds = 0;  // bits of HitKind; 0 for all
  bool calls = false;  // exactly the calls of the operator, kernel or function named `text`
  bool empty() const { return text.trimmed().isEmpty(); }
  bool wants(HitKind kind) const { return kinds == 0 || (kinds >> static_cast<int>(kind)) & 1; }
  bool operator==(const SearchQuery&) const = default;
};

/// One thing that was found, in one stage or in a row of stages whose text is the same.
struct SearchHit {
  HitKind kind = HitKind::Text;
  int stage = 0;
  int lastStage = 0;
  QString function;
  int binding = -1;  // ordinal, -1 for what is no binding
  QString variable;
  int line = 0;         // 1-based, of the stage's text
  QString title;        // "scores", or the line that holds the text
  QString detail;       // "matmul  (4, n, n) f16"
  int score = 0;        // of the name against what was typed; 0 for what is found exactly
  QString called = {};  // of an operator: what all its calls are found by (calledName)

  /// "main, line 22"
  QString where() const;
  /// "0", or "0–3"
  QString stages() const;
};

/// What a binding calls, as SearchQuery::calls asks for it: the kernel or function, else the operator.
const QString& calledName(const BindingRow& binding);

/// Arguments of `search.reveal` for a hit, in the selected stage where it is one of the hit's, else in its first.
QStringList revealArguments(const SearchHit& hit, int selectedStage);

/// Hits of several stages as one list: the same thing in stages that follow each other is one row.
class HitList {
 public:
  void clear();
  void add(const std::vector<SearchHit>& hits);
  const std::vector<SearchHit>& rows() const { return rows_; }
  /// Hits that have no row: nobody walks through more rows than there are.
  qint64 left() const { return left_; }

 private:
  /// What makes hits of neighbouring stages one row.
  struct Thing {
    HitKind kind;
    int binding, line;
    QString function, title, detail;
    bool operator==(const Thing&) const = default;
    friend size_t qHash(const Thing& thing, size_t seed) {
      return qHashMulti(seed, static_cast<int>(thing.kind), thing.binding, thing.line, thing.function, thing.title);
    }
  };
  std::vector<SearchHit> rows_;
  QHash<Thing, qsizetype> places_;  // of the newest row of a thing in `rows_`
  qint64 left_ = 0;
};

/// A way to say which kinds are wanted: a chip of the search field, and the letter that one may type instead.
struct SearchFilter {
  const char* title;  // "Shapes"
  const char* prefix;
  uint32_t kinds;            // bits of HitKind; 0 for what stages do not hold (commands, passes, files)
  const char* help;          // an example
  bool keepsPrefix = false;  // the prefix belongs to what is looked for: "(*, 4096)"
};
/// The first row is "All" with an empty prefix.
std::span<const SearchFilter> searchFilters();
/// The row whose prefix a text begins with; the first row when there is none.
const SearchFilter& filterOf(const QString& typed);
/// What was typed with its prefix as a query: "(*, 4096)" asks for shapes, "!matmul" for calls of an operator.
SearchQuery readQuery(const QString& typed);
/// Why a stage can not look for what a query asks: its pattern does not read. Empty where it can.
QString refusalOf(const StageIndex& stage, const SearchQuery& query);
/// "function", "binding", …
QString hitKindName(HitKind kind);

/// True when a shape, as it is written in the IR, fits a pattern: "*" is any one dimension, "..." any number of them,
/// anything else a number or an expression as it is written. Behind the bracket a data type may stand: "(*, 4) f16".
bool shapeFits(const QString& pattern, const QString& shape, const QString& dtype);

/// Everything of one stage that fits, in text order by kind; ends early when cancelled. With `first`, that gets the
/// hits of the first kind that has any as soon as they are known, and the answer is the others.
std::vector<SearchHit> searchStage(const StageIndex& stage, const SearchQuery& query, const CancelToken& cancel,
                                   const std::function<void(std::vector<SearchHit>)>& first = {});

}  // namespace rx::views
