#include "core/relay/op_table.h"

#include <unordered_map>

#include "core/ir/structural_equal.h"
#include "core/relay/literal.h"
#include "core/relay/relations.h"

namespace rx::relay {

namespace {

FieldForm formOf(char letter) {
  switch (letter) {
    case 'i':
      return FieldForm::Int;
    case 'b':
      return FieldForm::Bool;
    case 'd':
      return FieldForm::Real;
    case 's':
      return FieldForm::Text;
    default:
      return FieldForm::Type;
  }
}

/// The default of a field that texts state even where it is None, but for those of before there was the field.
const NodeRef& laterNone() {
  static const NodeRef kNone = make<ir::NullAttr>();
  return kNone;
}

/// Reads `name:i=1; other=None; younger=later`.
AttrSchema readSchema(std::string_view name, std::string_view fields) {
  AttrSchema schema{name, {}};
  while (!fields.empty()) {
    const size_t end = std::min(fields.find("; "), fields.size());
    std::string_view field = fields.substr(0, end);
    fields.remove_prefix(std::min(end + 2, fields.size()));
    AttrField row{{}, FieldForm::Node, nullptr};
    const size_t equals = field.find('=');
    const std::string_view fallback = equals == std::string_view::npos ? "" : field.substr(equals + 1);
    if (!fallback.empty()) row.fallback = fallback == "later" ? laterNone() : readLiteral(fallback);
    field = field.substr(0, equals);
    const size_t colon = field.find(':');
    if (colon != std::string_view::npos) row.form = formOf(field[colon + 1]);
    row.name = field.substr(0, colon);
    schema.fields.push_back(std::move(row));
  }
  return schema;
}

struct Tables {
  std::vector<AttrSchema> schemas;
  std::unordered_map<std::string_view, const AttrSchema*> schemaOf;
  std::vector<OpRow> ops;
  std::unordered_map<std::string_view, uint32_t> opOf;

  Tables() {
    schemas = {
#define RX_RELAY_ATTRS(Name, fields) readSchema(#Name, fields),
#include "core/relay/op_attrs.def"
    };
    for (const AttrSchema& schema : schemas) schemaOf.emplace(schema.name, &schema);
#define RX_RELAY_OP(name, inputs, Attrs, Relation, Pattern, stateful) \
  add({name, inputs, schemaOf.at(#Attrs), relation::Relation, OpPattern::Pattern, stateful, nullptr});
#include "core/relay/ops.def"
  }

 private:
  void add(OpRow row) {
    const auto index = static_cast<uint32_t>(ops.size());
    row.op = make<Op>(Str(row.name), index);
    opOf.emplace(row.name, index);
    ops.push_back(std::move(row));
  }
};

const Tables& tables() {
  static const Tables kTables;
  return kTables;
}

}  // namespace

const AttrField* AttrSchema::find(std::string_view field) const {
  for (const AttrField& row : fields) {
    if (row.name == field) return &row;
  }
  return nullptr;
}

const AttrSchema* findAttrSchema(std::string_view name) {
  if (name == "TopkAttrs") name = "TopKAttrs";  // TVM spells its key so
  const auto hit = tables().schemaOf.find(name);
  return hit == tables().schemaOf.end() ? nullptr : hit->second;
}

std::span<const OpRow> operators() { return tables().ops; }

const OpRow* findOperator(std::string_view name) {
  const auto hit = tables().opOf.find(name);
  return hit == tables().opOf.end() ? nullptr : &tables().ops[hit->second];
}

const OpRow& rowOf(const Op& op) { return tables().ops[op.row]; }

Expr operatorNamed(std::string_view name) {
  const OpRow* row = findOperator(name);
  RX_ASSERT(row, "no operator '{}'", name);
  return row->op;
}

const OpRow* calledOperator(const Expr& expr) {
  const auto* call = as<Call>(expr);
  const auto* op = call ? as<Op>(call->op) : nullptr;
  return op ? &rowOf(*op) : nullptr;
}

bool isCallOf(const Expr& expr, std::string_view name) {
  const OpRow* row = calledOperator(expr);
  return row && row->name == name;
}

NodeRef attrOf(const Call& call, std::string_view name) {
  if (NodeRef given = ir::attrOf(call.attrs, name)) return given;
  const auto* op = as<Op>(call.op);
  const AttrField* field = op ? rowOf(*op).attrs->find(name) : nullptr;
  return field ? field->fallback : nullptr;
}

std::optional<int64_t> wholeOf(const NodeRef& value) {
  if (const auto* number = as<ir::IntAttr>(value)) return number->value;
  const auto* imm = as<tir::IntImm>(value);
  return imm ? std::optional(imm->value) : std::nullopt;
}

int64_t intAttrOf(const Call& call, std::string_view name, int64_t fallback) {
  const NodeRef value = attrOf(call, name);
  if (const auto* number = as<ir::IntAttr>(value)) return number->value;
  const auto* truth = as<ir::BoolAttr>(value);
  return truth ? truth->value : fallback;
}

std::string_view textAttrOf(const Call& call, std::string_view name) {
  // Either the call or the table holds the text.
  const NodeRef value = attrOf(call, name);
  const auto* text = as<ir::StrAttr>(value);
  return text ? text->value.view() : std::string_view();
}

ir::Attrs withoutDefaults(const AttrSchema& schema, const ir::Attrs& attrs) {
  std::vector<std::pair<Str, NodeRef>> kept;
  for (size_t i = 0; attrs && i < attrs->size(); ++i) {
    NodeRef value = attrs->values[i];
    const AttrField* field = schema.find(attrs->keys[i]);
    const NodeRef fallback = field ? field->fallback : nullptr;
    if (isa<ir::BoolAttr>(fallback) && isa<ir::IntAttr>(value)) {
      value = ir::boolAttr(as<ir::IntAttr>(value)->value != 0);
    }
    if (!fallback || fallback == laterNone() || !structuralEqual(value, fallback))
      kept.emplace_back(attrs->keys[i], value);
  }
  for (const AttrField& field : schema.fields) {
    const bool isMissing = field.fallback == laterNone() && !kept.empty() && !ir::attrOf(attrs, field.name);
    if (isMissing) kept.emplace_back(Str(field.name), field.fallback);
  }
  return kept.empty() ? nullptr : make<ir::DictAttrs>(kept);
}

}  // namespace rx::relay
