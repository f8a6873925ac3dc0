#include "core/analysis/pattern_builder.h"

#include <fmt/format.h>

#include <span>

#include "core/op/op_table.h"
#include "core/support/nearest.h"
#include "core/support/stack.h"

namespace rx::analysis {

struct PatternBuilder::Row {
  PatternForm form;
  Result<PatternValue> (PatternBuilder::*make)(const PatternValue* self, const PatternArguments& args);
};

std::span<const PatternBuilder::Row> PatternBuilder::functions() {
  static constexpr Row kRows[] = {
      {{"is_op", "op_name"}, &PatternBuilder::isOp},
      {{"is_const", ""}, &PatternBuilder::isConst},
      {{"wildcard", ""}, &PatternBuilder::isAnything},
      {{"is_var", "name?"}, &PatternBuilder::isNamed<PatternKind::Var>},
      {{"is_dfv", "name?"}, &PatternBuilder::isNamed<PatternKind::DataflowVar>},
      {{"is_gv", "name?"}, &PatternBuilder::isNamed<PatternKind::GlobalVar>},
      {{"ExternFuncPattern", "global_symbol?"}, &PatternBuilder::isNamed<PatternKind::ExternFunc>},
      {{"is_tuple", "fields, unordered?"}, &PatternBuilder::isTuple},
      {{"is_tuple_get_item", "tuple_value, index?"}, &PatternBuilder::isField},
      {{"is_shape", "shape"}, &PatternBuilder::isShape},
      {{"is_call_tir", "func_name, args?, tir_vars?"}, &PatternBuilder::isCallTir},
      {{"is_call_dps_packed", "func_name, args?"}, &PatternBuilder::isCallDpsPacked},
      {{"is_call_packed", "func_name, args?"}, &PatternBuilder::isCallPacked},
      {{"reject", "pattern"}, &PatternBuilder::reject},
      {{"has_dtype", "dtype, pattern?"}, &PatternBuilder::hasType},
      {{"has_attr", "attrs, pattern?"}, &PatternBuilder::hasAttrs},
      {{"make_fused_bias_activation_pattern", "op_name, with_bias?, activation?, allow_reshape?"},
       &PatternBuilder::fusedBiasActivation},
  };
  return kRows;
}

std::span<const PatternBuilder::Row> PatternBuilder::methods() {
  static constexpr Row kRows[] = {
      {{"has_dtype", "dtype"}, &PatternBuilder::hasType},
      {{"has_attr", "attrs"}, &PatternBuilder::hasAttrs},
      {{"has_shape", "shape"}, &PatternBuilder::hasShape},
      {{"used_by", "other, index?"}, &PatternBuilder::usedBy<false>},
      {{"only_used_by", "other, index?"}, &PatternBuilder::usedBy<true>},
      {{"dup", ""}, &PatternBuilder::duplicate},
  };
  return kRows;
}

Result<PatternValue> PatternBuilder::run(std::span<const Row> rows, const PatternValue* self, std::string_view name,
                                         const std::vector<PatternArgument>& args, Span place) {
  Nearest nearest(name);
  for (const Row& row : rows) {
    nearest.offer(row.form.name);
    if (row.form.name != name) continue;
    RX_TRY(assigned, assignArguments(row.form, args, place));
    return (this->*row.make)(self, assigned);
  }
  Diagnostic unknown = errorAt(place, "pattern.unknown-name",
                               fmt::format("{} is no {} of dataflow patterns", name, self ? "method" : "function"));
  unknown.fix = nearest.fix();
  return fail(std::move(unknown));
}

Result<PatternValue> PatternBuilder::call(std::string_view function, const std::vector<PatternArgument>& args,
                                          Span place) {
  return run(functions(), nullptr, function, args, place);
}

Result<PatternValue> PatternBuilder::callMethod(const PatternValue& self, std::string_view method,
                                                const std::vector<PatternArgument>& args, Span place) {
  return run(methods(), &self, method, args, place);
}

Result<PatternValue> PatternBuilder::apply(const PatternValue& callee, const std::vector<PatternArgument>& args,
                                           Span place) {
  PatternNode node{PatternKind::Call};
  RX_TRY(called, single(callee, place));
  node.parts.push_back(called);
  for (const PatternArgument& arg : args) {
    const auto* truth = as<ir::BoolAttr>(arg.literal);
    if (truth && arg.keyword == "varg_default_wildcard") {
      node.moreArgs = truth->value;
    } else if (!truth || arg.keyword != "add_constraint") {
      if (!arg.keyword.empty()) return fail(errorAt(arg.span, "pattern.argument", "a call has no such argument"));
      RX_TRY(part, patternOf(&arg));
      node.parts.push_back(part);
    }
  }
  return made(std::move(node));
}

Result<PatternValue> PatternBuilder::combine(PatternKind kind, const PatternValue& a, const PatternValue& b,
                                             Span place) {
  RX_TRY(left, single(a, place));
  RX_TRY(right, single(b, place));
  return made({kind, {}, {left, right}});
}

Result<PatternValue> PatternBuilder::negate(const PatternValue& value, Span place) {
  RX_TRY(part, single(value, place));
  return made({PatternKind::Not, {}, {part}});
}

Result<PatternValue> PatternBuilder::field(const PatternValue& tuple, int64_t index, Span place) {
  RX_TRY(part, single(tuple, place));
  const PatternNode& node = pattern.nodes[part];
  const auto size = static_cast<int64_t>(node.parts.size());
  if (node.kind != PatternKind::Tuple || index < -size || index >= size) {
    return fail(errorAt(place, "pattern.argument", "only a tuple has fields by number, and only as many as it has"));
  }
  return made({PatternKind::Field, {}, {part}, index < 0 ? index + size : index});
}

PatternValue PatternBuilder::link(const PatternValue& a, const PatternValue& b, PatternLink link) {
  PatternValue out = a;
  out.links.push_back(link);
  out.sequence.insert(out.sequence.end(), b.sequence.begin(), b.sequence.end());
  out.links.insert(out.links.end(), b.links.begin(), b.links.end());
  return out;
}

PatternId PatternBuilder::add(PatternNode node) {
  pattern.nodes.push_back(std::move(node));
  return static_cast<PatternId>(pattern.nodes.size() - 1);
}

// Arguments as what they have to be.

Result<PatternId> PatternBuilder::single(const PatternValue& value, Span place) {
  if (value.sequence.size() == 1) return value.sequence[0];
  return fail(errorAt(place, "pattern.argument", "one pattern is needed here, and this is a sequence of them"));
}

Result<PatternId> PatternBuilder::patternOf(const PatternArgument* arg) {
  if (!arg) return wildcard();
  if (arg->isList || arg->values.size() != 1) return fail(errorAt(arg->span, "pattern.argument", "this is no pattern"));
  return single(arg->values[0], arg->span);
}

Result<std::vector<PatternId>> PatternBuilder::patternsOf(const PatternArgument& arg) {
  const auto* empty = as<ir::ArrayAttr>(arg.literal);
  if (!arg.isList && !(empty && empty->items.empty())) {
    return fail(errorAt(arg.span, "pattern.argument", "this is no list of patterns"));
  }
  std::vector<PatternId> out;
  for (const PatternValue& value : arg.values) {
    RX_TRY(part, single(value, arg.span));
    out.push_back(part);
  }
  return out;
}

Result<Str> PatternBuilder::textOf(const PatternArgument& arg) {
  const auto* text = as<ir::StrAttr>(arg.literal);
  if (!text) return fail(errorAt(arg.span, "pattern.argument", "this is no text in quotes"));
  return text->value;
}

Result<std::vector<int64_t>> PatternBuilder::dimsOf(const PatternArgument& arg) {
  std::vector<int64_t> out;
  const auto* list = as<ir::ArrayAttr>(arg.literal);
  for (size_t i = 0; list && i < list->items.size(); ++i) {
    const auto* dim = as<ir::IntAttr>(list->items[i]);
    if (dim) out.push_back(dim->value);
  }
  if (!list || out.size() != list->items.size()) {
    return fail(errorAt(arg.span, "pattern.argument", "a shape is a list of numbers"));
  }
  return out;
}

const PatternOperators& relaxOperators() {
  static constexpr PatternOperators kRelax = {
      [](std::string_view name) {
        const op::OpRow* row = op::findOp(name);
        return row && row->name() == name;
      },
      [](std::string_view name, Nearest& nearest) {
        if (const op::OpRow* row = op::findOp(name)) nearest.offer(row->name());
        for (const op::OpRow& known : op::allOps()) nearest.offer(known.name());
      },
  };
  return kRelax;
}

Result<PatternId> PatternBuilder::opOf(const PatternArgument& arg) {
  RX_TRY(name, textOf(arg));
  if (operators_.knows(name.view())) return add({PatternKind::Op, name});
  Diagnostic unknown = errorAt(arg.span, "pattern.unknown-name", fmt::format("there is no operator {}", name.view()));
  Nearest nearest(name.view());
  operators_.offer(name.view(), nearest);
  unknown.fix = nearest.fix();
  return fail(std::move(unknown));
}

/// A list of patterns is the tuple of them; nothing is anything.
Result<PatternId> PatternBuilder::tupleOr(const PatternArgument* arg) {
  const bool empty = arg && isa<ir::ArrayAttr>(arg->literal);
  if (!arg || isa<ir::NullAttr>(arg->literal)) return wildcard();
  if (!arg->isList && !empty) return patternOf(arg);
  RX_TRY(fields, patternsOf(*arg));
  return add({PatternKind::Tuple, {}, std::move(fields)});
}

// The functions and methods.

Result<PatternValue> PatternBuilder::isOp(const PatternValue*, const Arguments& args) {
  RX_TRY(op, opOf(*args[0]));
  return PatternValue{{op}, {}};
}
Result<PatternValue> PatternBuilder::isConst(const PatternValue*, const Arguments&) {
  return made({PatternKind::Constant});
}
Result<PatternValue> PatternBuilder::isAnything(const PatternValue*, const Arguments&) {
  return made({PatternKind::Wildcard});
}
template <PatternKind K>
Result<PatternValue> PatternBuilder::isNamed(const PatternValue*, const Arguments& args) {
  Str name;
  if (args[0]) {
    RX_TRY(text, textOf(*args[0]));
    name = text;
  }
  return made({K, name});
}
Result<PatternValue> PatternBuilder::isTuple(const PatternValue*, const Arguments& args) {
  RX_TRY(fields, patternsOf(*args[0]));
  const auto* unordered = args[1] ? as<ir::BoolAttr>(args[1]->literal) : nullptr;
  return made(
      {unordered && unordered->value ? PatternKind::UnorderedTuple : PatternKind::Tuple, {}, std::move(fields)});
}
Result<PatternValue> PatternBuilder::isField(const PatternValue*, const Arguments& args) {
  RX_TRY(tuple, patternOf(args[0]));
  const auto* index = args[1] ? as<ir::IntAttr>(args[1]->literal) : nullptr;
  if (args[1] && !index && !isa<ir::NullAttr>(args[1]->literal)) {
    return fail(errorAt(args[1]->span, "pattern.argument", "the index of a field is a number"));
  }
  return made({PatternKind::Field, {}, {tuple}, index ? index->value : -1});
}
Result<PatternValue> PatternBuilder::isShape(const PatternValue*, const Arguments& args) {
  PatternNode node{PatternKind::ShapeValue};
  RX_TRY(dims, dimsOf(*args[0]));
  node.dims = std::move(dims);
  return made(std::move(node));
}
Result<PatternValue> PatternBuilder::isCallTir(const PatternValue*, const Arguments& args) {
  RX_TRY(name, textOf(*args[0]));
  RX_TRY(inputs, tupleOr(args[1]));
  PatternNode node{PatternKind::Call};
  node.parts = {add({PatternKind::Op, Str("relax.call_tir")}), add({PatternKind::GlobalVar, name}), inputs};
  if (args[2]) {
    RX_TRY(symbols, patternOf(args[2]));
    node.parts.push_back(symbols);
  }
  return made(std::move(node));
}
Result<PatternValue> PatternBuilder::isCallDpsPacked(const PatternValue*, const Arguments& args) {
  RX_TRY(name, textOf(*args[0]));
  RX_TRY(inputs, tupleOr(args[1]));
  PatternNode node{PatternKind::Call};
  node.parts = {add({PatternKind::Op, Str("relax.call_dps_packed")}), add({PatternKind::ExternFunc, name}), inputs};
  return made(std::move(node));
}
Result<PatternValue> PatternBuilder::isCallPacked(const PatternValue*, const Arguments& args) {
  RX_TRY(name, textOf(*args[0]));
  PatternNode node{PatternKind::Call};
  node.parts = {add({PatternKind::ExternFunc, name})};
  node.moreArgs = !args[1];
  if (args[1]) {
    RX_TRY(inputs, patternsOf(*args[1]));
    node.parts.insert(node.parts.end(), inputs.begin(), inputs.end());
  }
  return made(std::move(node));
}
Result<PatternValue> PatternBuilder::reject(const PatternValue*, const Arguments& args) {
  RX_TRY(part, patternOf(args[0]));
  return made({PatternKind::Not, {}, {part}});
}
Result<PatternValue> PatternBuilder::fusedBiasActivation(const PatternValue*, const Arguments& args) {
  auto flag = [&](size_t i) {
    const auto* truth = args[i] ? as<ir::BoolAttr>(args[i]->literal) : nullptr;
    return truth && truth->value;
  };
  RX_TRY(op, opOf(*args[0]));
  PatternId out = add({PatternKind::Call, {}, {op, wildcard(), wildcard()}});
  if (flag(1)) {
    PatternNode sum{PatternKind::Call, {}, {add({PatternKind::Op, Str("relax.add")}), out, wildcard()}};
    if (flag(3)) {
      const PatternId reshape = add({PatternKind::Op, Str("relax.reshape")});
      sum.parts[2] = add({PatternKind::Call, {}, {reshape, sum.parts[2], wildcard()}, -1, true});
      sum.moreArgs = true;
    }
    out = add(std::move(sum));
  }
  if (args[2] && !isa<ir::NullAttr>(args[2]->literal)) {
    RX_TRY(activation, opOf(*args[2]));
    out = add({PatternKind::Call, {}, {activation, out}});
  }
  return PatternValue{{out}, {}};
}
Result<PatternValue> PatternBuilder::hasType(const PatternValue* self, const Arguments& args) {
  RX_TRY(part, self ? single(*self, args[0]->span) : patternOf(args[1]));
  RX_TRY(name, textOf(*args[0]));
  const std::optional<DataType> dtype = DataType::parse(name.view());
  if (!dtype) return fail(errorAt(args[0]->span, "pattern.argument", fmt::format("{} is no type", name.view())));
  PatternNode node{PatternKind::Type, {}, {part}};
  node.dtype = *dtype;
  return made(std::move(node));
}
Result<PatternValue> PatternBuilder::hasAttrs(const PatternValue* self, const Arguments& args) {
  RX_TRY(part, self ? single(*self, args[0]->span) : patternOf(args[1]));
  const auto* attrs = as<ir::DictAttrs>(args[0]->literal);
  if (!attrs) return fail(errorAt(args[0]->span, "pattern.argument", "attributes are a dictionary"));
  PatternNode node{PatternKind::Attrs, {}, {part}};
  node.attrs = ir::Attrs(attrs);
  return made(std::move(node));
}
Result<PatternValue> PatternBuilder::hasShape(const PatternValue* self, const Arguments& args) {
  PatternNode node{PatternKind::Shape};
  RX_TRY(part, single(*self, args[0]->span));
  RX_TRY(dims, dimsOf(*args[0]));
  node.parts = {part};
  node.dims = std::move(dims);
  return made(std::move(node));
}
template <bool Only>
Result<PatternValue> PatternBuilder::usedBy(const PatternValue* self, const Arguments& args) {
  if (args[0]->isList || args[0]->values.size() != 1) {
    return fail(errorAt(args[0]->span, "pattern.argument", "this is no pattern"));
  }
  const auto* index = args[1] ? as<ir::IntAttr>(args[1]->literal) : nullptr;
  return link(*self, args[0]->values[0], {Only, index ? index->value : -1});
}
Result<PatternValue> PatternBuilder::duplicate(const PatternValue* self, const Arguments&) {
  PatternValue out{{}, self->links};
  for (PatternId id : self->sequence) out.sequence.push_back(copyOf(id));
  return out;
}

PatternId PatternBuilder::copyOf(PatternId id) {
  PatternNode node = pattern.nodes[id];
  for (PatternId& part : node.parts) withStack([&] { part = copyOf(part); });
  return add(std::move(node));
}

}  // namespace rx::analysis
