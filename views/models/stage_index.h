// A stage of the module as the views see it: its text, and rows for functions, blocks, bindings and symbols with their
// place in that text. Built once a stage on a worker thread, immutable afterwards, shared by all views.
#pragma once

#include <QByteArray>
#include <QString>
#include <compare>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/support/cancel.h"
#include "views/models/prim_summary.h"
#include "views/models/shared_rows.h"
#include "views/theme/palette.h"

namespace rx::views {

/// A half-open byte range of StageIndex::text.
struct TextRange {
  int begin = 0;
  int end = 0;
  bool empty() const { return end <= begin; }
  bool contains(int offset) const { return begin <= offset && offset < end; }
  bool operator==(const TextRange&) const = default;
};

enum class BindingForm : uint8_t { Var, MatchCast, If, Function };

/// What a row of a module is. Graph: a function of another language whose text binds names to nodes.
enum class FunctionKind : uint8_t { Relax, Prim, Extern, Graph, Type };

/// What a binding reads. `index` is an ordinal for Binding and a position for Param, else -1.
struct OperandRow {
  enum class Kind : uint8_t { Binding, Param, Global, Constant, Symbol };
  Kind kind = Kind::Binding;
  int index = -1;
  QString name;
  bool operator==(const OperandRow&) const = default;
};

/// One source binding that a binding comes from. `line` is 1-based in the source file, 0 when unknown.
struct OriginRow {
  QString function;
  QString variable;
  QString file;
  int line = 0;
  uint64_t key = 0;  // of the source binding: the same in every stage, never 0
};

/// What a binding does to the values of the program: a view of the dataflow shows who makes a value, not who holds it.
enum class FlowRole : uint8_t {
  Computes,  ///< makes a value: its own, or in the buffers that it writes
  Buffer,    ///< a tensor that waits for the call that writes it
  Names,     ///< another name of what is there: an alias, an element of a tuple
  Tuple,     ///< several values under one name
  View,      ///< the same memory in another shape
  Machine,   ///< storage, kills, the shape heap: no value of the program
};

/// A constant that a binding reads; of a large one a sample was looked at. Numbers are those of the finite elements.
struct ConstantRow {
  QString info;  // StructInfo as written in the IR
  qint64 count = 0;
  qint64 looked = 0;  // 0 where its data is not there
  double min = 0;
  double max = 0;
  double mean = 0;
  qint64 nan = 0;
  qint64 inf = 0;
};

struct BindingRow {
  int ordinal = 0;  // position in FunctionRow::bindings
  int block = 0;    // index in FunctionRow::blocks
  int parent = -1;  // ordinal of the enclosing `if` or local function binding
  int branch = 0;   // 0 the true branch (or the local function's body), 1 the false branch
  QString name;     // the variable's name
  QString called;   // what people know it by: its name, that of what a call without a result writes, or its label
  QString label;    // operator or callee without its namespace: "matmul", "call_tir fused_add"
  QString op;       // full name of the operator: "relax.matmul"; empty for calls of functions and others
  QString callee;   // the kernel, packed function or function of the module that is called; empty for operators
  QString info;     // StructInfo as written in the IR
  QString shape;    // the shape alone, as written in the IR: "(n, 512)"; empty if not a tensor
  QString dtype;    // "float32"; empty if not a tensor
  OpKind kind = OpKind::Other;
  BindingForm form = BindingForm::Var;
  bool impure = false;
  bool dataflowVar = false;
  std::vector<OperandRow> operands;
  std::vector<int> usedBy;        // ordinals; of a call that writes into buffers, who reads what it wrote
  int line = 0;                   // 1-based first line in the text
  int lastLine = 0;               // and the last, that of what stands inside included
  TextRange range;                // the whole binding
  QString pass;                   // the pass that made it; empty for the import
  SharedRows<OriginRow> origins;  // bindings from the same source bindings share them
  FlowRole role = FlowRole::Computes;
  int item = -1;                       // index of the element that `Names` takes of a tuple
  std::vector<int> writes;             // ordinals of what a call writes into: buffers, or values changed in place
  std::vector<OperandRow> yields;      // of an `if`: what its branches give
  int storage = -1;                    // of a buffer: ordinal of the storage that it lies in
  qint64 byteCount = -1;               // of a tensor or a storage; -1 where the size is symbolic or unknown
  std::vector<ConstantRow> constants;  // in text order
  QString bytes;                       // the same as text: "288 B", "16 * n * n B"; empty where unknown
};

struct BlockRow {
  int index = 0;
  int parent = -1;  // ordinal of the enclosing binding, see BindingRow::parent
  int branch = 0;
  bool dataflow = false;
  int firstLine = 0;  // lines of the block, first to last, 1-based, `with R.dataflow():` and R.output included
  int lastLine = 0;
  std::vector<int> bindings;  // ordinals of this block's own bindings
  std::vector<int> outputs;   // ordinals of a dataflow block's outputs
  QString title = {};         // what a branch is for, where its language says it: "true", "Cons(%h, %t)"
};

/// A field of a parameter that is a tuple; no texts where it is no tensor.
struct FieldRow {
  QString shape;
  QString dtype;
};

struct ParamRow {
  QString name;
  QString info;
  QString shape;
  QString dtype;
  std::vector<FieldRow> fields;
  TextRange nameRange;
  std::vector<int> usedBy;
};

/// One place where a symbolic variable is used.
struct SymbolUseRow {
  QString variable;  // the binding or parameter; empty for the annotation of the result
  QString text;      // "n * 4"
};

/// A symbolic variable and who gives it its value: "x axis 0", "match_cast lv1".
struct SymbolRow {
  QString name;
  QString boundBy;
  int line = 0;
  QString binder = {};  // the parameter or binding that binds it
  QString bounds = {};  // "0 ≤ n ≤ 2,048"; empty when nothing is known
  std::vector<SymbolUseRow> uses = {};
};

/// A block of a function that comes again, or what stands before and behind all of these.
struct OutlineRow {
  QString name;    // "layer2.0", "layers.7", "stem", "head"
  QString kind;    // "residual block with projection", "layer"; empty of what stands at the ends
  int block = 0;   // index in FunctionRow::blocks
  int first = -1;  // its bindings are those of the block between two ordinals, both its own
  int last = -1;
};

/// A name in the text of a function: of what can be gone to, or of an operator.
struct NameRow {
  enum class Kind : uint8_t { Function, Param, Binding, Operator };
  TextRange range;
  int target = -1;  // index in StageIndex::functions, position of the parameter, ordinal of the binding
  Kind kind = Kind::Binding;
  bool defines = false;
  OpKind color = OpKind::Other;  // of an operator or a function: what the binding is that calls it
  bool isCallee() const { return !defines && (kind == Kind::Function || kind == Kind::Operator); }
  bool isVariable() const { return kind == Kind::Param || kind == Kind::Binding; }
};

struct FunctionRow {
  QString name;
  FunctionKind kind = FunctionKind::Relax;
  QString language;   // what it is written in: "Relax"
  QString signature;  // short: "(n, 512) f16"
  QString result;     // StructInfo of the result
  bool isPrivate = false;
  bool pure = true;
  int numInput = -1;  // parameters behind that many first ones are weights; -1 where the function does not say it
  std::vector<ParamRow> params;
  std::vector<BlockRow> blocks;
  std::vector<BindingRow> bindings;
  std::vector<SymbolRow> symbols;
  std::vector<OperandRow> results;  // what the body returns
  int firstLine = 0;                // decorator
  int headLine = 0;                 // `def`
  int lastLine = 0;
  std::shared_ptr<const PrimSummary> prim;  // of a TIR function
  std::shared_ptr<const PrimBadge> badge;   // of a TIR function for a device; null where it is for none
  std::vector<OutlineRow> outline;          // in text order, none over another
  std::vector<NameRow> names;               // in text order, its own behind `def` first

  /// Whether it binds values, so that it can be run, drawn and stepped.
  bool binds() const { return kind == FunctionKind::Relax || kind == FunctionKind::Graph; }
  const BindingRow* binding(int ordinal) const;
  const BindingRow* bindingNamed(const QString& name) const;
  /// The innermost binding whose text covers a 1-based line; null when none does (`def`, `R.output`, `return`).
  const BindingRow* bindingAtLine(int line) const;
  /// The block of the outline that a binding stands in; null when it stands in none.
  const OutlineRow* outlineAt(int ordinal) const;
};

/// A binding of a stage that comes from the source binding of that key.
struct SitePlace {
  uint64_t key = 0;
  int function = -1;  // index in StageIndex::functions
  int ordinal = -1;
  bool known() const { return ordinal >= 0; }
  auto operator<=>(const SitePlace&) const = default;
};

/// Finds dataflow patterns in the module that a stage shows, in the language of `rxs find`. Any thread may ask.
class PatternSource {
 public:
  virtual ~PatternSource() = default;
  /// Bindings whose value a pattern matches, in text order; none where the text is no pattern.
  virtual std::vector<SitePlace> find(const QString& pattern, const CancelToken& cancel) const = 0;
  /// Why a text is no pattern, in a sentence; empty where it is one.
  virtual QString refusal(const QString& pattern) const = 0;
};

struct StageIndex {
  int stage = 0;
  QString title;                                  // "imported" or the pass's name
  QByteArray text;                                // UTF-8, as the v0.25 printer writes it
  std::vector<int> lineStarts;                    // byte offset of each line
  SharedRows<FunctionRow> functions;              // of stages with the same module the same rows
  QString hash;                                   // structural hash of the imported module, hexadecimal; else empty
  std::vector<SitePlace> sites;                   // ordered by key, then in text order
  std::shared_ptr<const PatternSource> patterns;  // null where there is no module
  /// 1-based line of the first error of a stage that could not be read: its text is then that of its file and there are
  /// no functions. 0 for all others.
  int errorLine = 0;

  const FunctionRow* function(const QString& name) const;
  const FunctionRow* functionAtLine(int line) const;
  const BindingRow* binding(const SitePlace& place) const;
  /// The bindings that come from a source binding, in text order.
  std::span<const SitePlace> placesOf(uint64_t key) const;
  /// The binding that best stands here for a binding of another stage: shares most of its source bindings relative to
  /// all that either has, then lies in the function of that name, then has its name, then comes last. Unknown where
  /// nothing comes from any of them.
  SitePlace counterpart(const BindingRow& binding, const QString& function) const;
  int lineCount() const { return static_cast<int>(lineStarts.size()); }
  /// 1-based line of a byte offset.
  int lineOf(int offset) const;
  /// Text of a 1-based line without its break.
  QByteArray line(int number) const;
};

using StageIndexPtr = std::shared_ptr<const StageIndex>;

/// Fills lineStarts from text.
void findLines(StageIndex* index);
/// Fills sites from the bindings' origins.
void indexOrigins(StageIndex* index);
/// Key of the source binding with a number in a block with a number of a function, for OriginRow::key.
uint64_t originKeyOf(std::string_view function, uint32_t block, uint32_t binding);

}  // namespace rx::views
