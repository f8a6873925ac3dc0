// Algebraic data in Relax: a value is the tuple of its fields with the number of its constructor, an object of the
// runtime.
#include <fmt/format.h>

#include <algorithm>

#include "core/ir/constructors.h"
#include "core/relay/passes/to_relax_function.h"
#include "core/relay/passes/to_relax_types.h"
#include "core/relay/text.h"

namespace rx::relay {

namespace {
relax::Expr number(int64_t value) { return make<relax::PrimValue>(tir::intImm(value)); }
}  // namespace

int64_t FunctionTranslation::tagOf(const Constructor& constructor) const {
  const std::vector<const Constructor*> all = ir::constructorsOf(module_.source);
  const auto found = std::find_if(all.begin(), all.end(), [&](const Constructor* one) {
    return one->name == constructor.name && one->belongTo->name == constructor.belongTo->name;
  });
  return found == all.end() ? -1 : found - all.begin();
}

relax::Expr FunctionTranslation::construct(const Constructor& constructor, const std::vector<relax::Expr>& fields) {
  std::vector<relax::Expr> args = {number(tagOf(constructor))};
  args.insert(args.end(), fields.begin(), fields.end());
  return packed("rx.variant.make", std::move(args), relax::objectSinfo(), true);
}

relax::Expr FunctionTranslation::field(const relax::Expr& data, size_t index, const Type& type) {
  return emit(packed("vm.builtin.tuple_getitem", {data, number(static_cast<int64_t>(index))}, infoOf(type), true));
}

void FunctionTranslation::appendShape(const PatternNode& pattern, std::vector<tir::PrimExpr>& out) const {
  // Anything is -1, a tuple -2 and its length; a constructor its number and how many fields it has.
  std::vector<const PatternNode*> waiting{&pattern};
  while (!waiting.empty()) {
    const PatternNode* now = waiting.back();
    waiting.pop_back();
    const auto* made = as<PatternConstructor>(now);
    const auto* tuple = as<PatternTuple>(now);
    if (!made && !tuple) {
      out.push_back(tir::intImm(-1));
      continue;
    }
    const Array<Pattern>& parts = made ? made->patterns : tuple->patterns;
    out.push_back(tir::intImm(made ? tagOf(*made->constructor) : -2));
    out.push_back(tir::intImm(static_cast<int64_t>(parts.size())));
    for (size_t i = parts.size(); i-- > 0;) waiting.push_back(parts[i].get());
  }
}

relax::Expr FunctionTranslation::matchValue(const Match& match, size_t first, const relax::Expr& data) {
  if (first == match.clauses.size()) {
    span_ = match.span;
    auto never = make<relax::PrimValue>(tir::intImm(0, DataType::Bool()));
    emit(op::makeCall("relax.assert_op", {never, make<relax::StringImm>(Str("no clause of the match fits"))}));
    return op::makeCall("relax.null_value", {});
  }
  const Clause& clause = *match.clauses[first];
  const bool last = match.complete && first + 1 == match.clauses.size();
  std::vector<tir::PrimExpr> wanted;
  appendShape(*clause.pattern, wanted);
  const bool anything = isa<PatternVar>(clause.pattern) || isa<PatternWildcard>(clause.pattern);
  if (anything || last) {
    bindPattern(*clause.pattern, data);
    return inside([&] { return body(clause.value); });
  }
  const relax::Expr asked = make<relax::ShapeExpr>(Array<tir::PrimExpr>(std::move(wanted)));
  const relax::Expr fits =
      emit(packed("rx.variant.fits", {data, asked}, relax::tensorSinfo({}, DataType::Bool()), true));
  const relax::SeqRef yes = inside([&] {
    builder_.beginSeq();
    bindPattern(*clause.pattern, data);
    return builder_.endSeq(body(clause.value));
  });
  const relax::SeqRef no = inside([&] {
    builder_.beginSeq();
    return builder_.endSeq(matchValue(match, first + 1, data));
  });
  return make<relax::If>(fits, yes, no);
}

void FunctionTranslation::bindPattern(const PatternNode& pattern, const relax::Expr& data) {
  struct Part {
    const PatternNode* pattern;
    relax::Expr data;
  };
  std::vector<Part> waiting{{&pattern, data}};
  while (!waiting.empty()) {
    const Part now = std::move(waiting.back());
    waiting.pop_back();
    if (const auto* var = as<PatternVar>(now.pattern)) values_[var->var.get()] = now.data;
    const auto* made = as<PatternConstructor>(now.pattern);
    const auto* tuple = as<PatternTuple>(now.pattern);
    if (!made && !tuple) continue;
    const Array<Pattern>& parts = made ? made->patterns : tuple->patterns;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (isa<PatternWildcard>(parts[i])) continue;
      const auto* bound = as<PatternVar>(parts[i]);
      const bool known = tuple && isa<relax::TupleStructInfo>(now.data->sinfo);
      waiting.push_back({parts[i].get(), known ? emit(make<relax::TupleGetItem>(now.data, static_cast<int64_t>(i)))
                                               : field(now.data, i, bound ? typeOf(bound->var) : nullptr)});
    }
  }
}

}  // namespace rx::relay
