#include "core/relay/metadata_forms.h"

#include "core/ir/all_nodes.h"

namespace rx::relay {

namespace {

struct Arithmetic {
  Kind kind;
  std::string_view key;
};
constexpr Arithmetic kArithmetic[] = {
    {Kind::tir_Add, "tir.Add"},           {Kind::tir_Sub, "tir.Sub"}, {Kind::tir_Mul, "tir.Mul"},
    {Kind::tir_Div, "tir.Div"},           {Kind::tir_Mod, "tir.Mod"}, {Kind::tir_FloorDiv, "tir.FloorDiv"},
    {Kind::tir_FloorMod, "tir.FloorMod"}, {Kind::tir_Min, "tir.Min"}, {Kind::tir_Max, "tir.Max"},
};

}  // namespace

const AttrSchema* findRecord(std::string_view key) {
  using F = FieldForm;
  static const AttrSchema kRecords[] = {
      {"VirtualDevice",
       {{"device_type_int", F::Int, nullptr},
        {"memory_scope", F::Node, nullptr},
        {"target", F::Node, nullptr},
        {"virtual_device_id", F::Int, nullptr}}},
      {"Target",
       {{"attrs", F::Node, nullptr},
        {"features", F::Node, nullptr},
        {"host", F::Node, nullptr},
        {"keys", F::Node, nullptr},
        {"kind", F::Node, nullptr},
        {"tag", F::Node, nullptr}}},
      {"DictAttrs", {{"__dict__", F::Node, nullptr}}},
  };
  for (const AttrSchema& row : kRecords) {
    if (row.name == key) return &row;
  }
  return nullptr;
}

std::string_view arithmeticKey(Kind kind) {
  for (const Arithmetic& row : kArithmetic) {
    if (row.kind == kind) return row.key;
  }
  return {};
}

std::optional<Kind> arithmeticKind(std::string_view key) {
  for (const Arithmetic& row : kArithmetic) {
    if (row.key == key) return row.kind;
  }
  return std::nullopt;
}

tir::PrimExpr makeBinary(Kind kind, tir::PrimExpr a, tir::PrimExpr b) {
  return withNodeType(kind, [&]<class T>() -> tir::PrimExpr {
    if constexpr (std::is_base_of_v<tir::BinaryNode, T>) {
      return make<T>(std::move(a), std::move(b));
    } else {
      invariantBroken("a binary node", __FILE__, __LINE__, "the kind is none of arithmetic");
    }
  });
}

}  // namespace rx::relay
