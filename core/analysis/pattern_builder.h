// The functions and methods that patterns are written with, each as what it makes.
#pragma once

#include <span>

#include "core/analysis/pattern_arguments.h"
#include "core/analysis/pattern_reader.h"

namespace rx::analysis {

/// Makes patterns, and what the text calls by name.
class PatternBuilder {
 public:
  explicit PatternBuilder(const PatternOperators& operators) : operators_(operators) {}

  /// A function of the language, as `is_op`; refused with near names where there is none.
  Result<PatternValue> call(std::string_view function, const std::vector<PatternArgument>& args, Span place);
  /// A method of a pattern, as `has_dtype`.
  Result<PatternValue> callMethod(const PatternValue& self, std::string_view method,
                                  const std::vector<PatternArgument>& args, Span place);
  /// A pattern that is called with patterns as arguments.
  Result<PatternValue> apply(const PatternValue& callee, const std::vector<PatternArgument>& args, Span place);
  Result<PatternValue> combine(PatternKind kind, const PatternValue& a, const PatternValue& b, Span place);
  Result<PatternValue> negate(const PatternValue& value, Span place);
  Result<PatternValue> field(const PatternValue& tuple, int64_t index, Span place);
  static PatternValue link(const PatternValue& a, const PatternValue& b, PatternLink link);

  DataflowPattern pattern;

 private:
  struct Row;
  static std::span<const Row> functions();
  static std::span<const Row> methods();
  Result<PatternValue> run(std::span<const Row> rows, const PatternValue* self, std::string_view name,
                           const std::vector<PatternArgument>& args, Span place);

  PatternId add(PatternNode node);
  PatternValue made(PatternNode node) { return {{add(std::move(node))}, {}}; }
  PatternId wildcard() { return add({PatternKind::Wildcard}); }

  Result<PatternId> single(const PatternValue& value, Span place);
  Result<PatternId> patternOf(const PatternArgument* arg);
  Result<std::vector<PatternId>> patternsOf(const PatternArgument& arg);
  static Result<Str> textOf(const PatternArgument& arg);
  static Result<std::vector<int64_t>> dimsOf(const PatternArgument& arg);
  Result<PatternId> opOf(const PatternArgument& arg);
  Result<PatternId> tupleOr(const PatternArgument* arg);

  // One for each row; `self` is null for functions.
  using Arguments = PatternArguments;
  Result<PatternValue> isOp(const PatternValue* self, const Arguments& args);
  Result<PatternValue> isConst(const PatternValue* self, const Arguments& args);
  Result<PatternValue> isAnything(const PatternValue* self, const Arguments& args);
  template <PatternKind K>
  Result<PatternValue> isNamed(const PatternValue* self, const Arguments& args);
  Result<PatternValue> isTuple(const PatternValue* self, const Arguments& args);
  Result<PatternValue> isField(const PatternValue* self, const Arguments& args);
  Result<PatternValue> isShape(const PatternValue* self, const Arguments& args);
  Result<PatternValue> isCallTir(const PatternValue* self, const Arguments& args);
  Result<PatternValue> isCallDpsPacked(const PatternValue* self, const Arguments& args);
  Result<PatternValue> isCallPacked(const PatternValue* self, const Arguments& args);
  Result<PatternValue> reject(const PatternValue* self, const Arguments& args);
  Result<PatternValue> fusedBiasActivation(const PatternValue* self, const Arguments& args);
  Result<PatternValue> hasType(const PatternValue* self, const Arguments& args);
  Result<PatternValue> hasAttrs(const PatternValue* self, const Arguments& args);
  Result<PatternValue> hasShape(const PatternValue* self, const Arguments& args);
  template <bool Only>
  Result<PatternValue> usedBy(const PatternValue* self, const Arguments& args);
  Result<PatternValue> duplicate(const PatternValue* self, const Arguments& args);
  PatternId copyOf(PatternId id);

  const PatternOperators& operators_;
};

}  // namespace rx::analysis
