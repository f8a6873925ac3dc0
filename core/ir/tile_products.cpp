#include "core/ir/tile_products.h"

#include "core/ir/all_nodes.h"

namespace rx::tir {

namespace {

constexpr size_t kArguments = 8;
constexpr DataType kTypes[] = {DataType::Int(8), DataType::UInt(8), DataType::BFloat16()};

std::optional<DataType> typeOf(const PrimExpr& name) {
  const auto* text = as<StringImm>(name);
  for (const DataType type : kTypes)
    if (text && text->value.view() == type.str()) return type;
  return std::nullopt;
}

}  // namespace

std::optional<TileProducts> tileProductsOf(const Call& call) {
  const auto* op = as<relax::Op>(call.op);
  if (!op || !op->name.view().ends_with(".rx_tile_products") || call.args.size() != kArguments) return std::nullopt;
  const auto rows = typeOf(call.args[0]), across = typeOf(call.args[1]);
  const auto rowTiles = asInt(call.args[5]), columnTiles = asInt(call.args[6]), steps = asInt(call.args[7]);
  for (const auto& number : {rowTiles, columnTiles, steps})
    if (!number || *number < 1 || *number > TileProducts::kMost) return std::nullopt;
  if (!rows || !across) return std::nullopt;
  const TileProducts made{*rows, *across, *rowTiles, *columnTiles, *steps};
  const bool bothHalves = rows == DataType::BFloat16() && across == rows;
  return made.ofHalves() == bothHalves && (bothHalves || across != DataType::BFloat16()) ? std::optional(made)
                                                                                         : std::nullopt;
}

}  // namespace rx::tir
