#include "core/op/tir_intrinsics.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace rx::op {

namespace {
struct Renamed {
  std::string_view name, text;
};
constexpr Renamed kRenamed[] = {
#define RX_TIR(name, least, most, type, place, effect)
#define RX_TIR_TEXT(name, text) {#name, #text},
#include "core/op/tir_intrinsics.def"
};

struct Table {
  std::vector<TirIntrinsic> rows;
  std::unordered_map<std::string_view, uint32_t> byName;

  Table() {
    auto row = [&](std::string_view name, int least, int most, TirType type, TirTypePlace place, TirEffect effect) {
      auto index = static_cast<uint32_t>(rows.size());
      rows.push_back({name, name, static_cast<int8_t>(least), static_cast<int8_t>(most), type, place, effect,
                      make<relax::Op>(Str("tirx." + std::string(name)), index)});
    };
#define RX_TIR(name, least, most, type, place, effect) \
  row(#name, least, most, TirType::type, TirTypePlace::place, TirEffect::effect);
#include "core/op/tir_intrinsics.def"
    for (const Renamed& renamed : kRenamed) {
      for (TirIntrinsic& r : rows) {
        if (r.name == renamed.name) r.text = renamed.text;
      }
    }
    for (uint32_t i = 0; i < rows.size(); ++i) byName.emplace(rows[i].name, i);
  }
};

const Table& table() {
  static const Table kTable;  // made once, never changed
  return kTable;
}
}  // namespace

std::span<const TirIntrinsic> tirIntrinsics() { return table().rows; }

const TirIntrinsic* findTirIntrinsic(std::string_view name) {
  for (std::string_view prefix : {"tirx.", "tir."}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  auto found = table().byName.find(name);
  return found == table().byName.end() ? nullptr : &table().rows[found->second];
}

const TirIntrinsic* tirIntrinsicOf(const relax::Op* op) {
  if (!op || op->row >= table().rows.size()) return nullptr;
  const TirIntrinsic& row = table().rows[op->row];
  return row.op.get() == op ? &row : nullptr;
}

relax::OpRef tirOp(std::string_view name) {
  const TirIntrinsic* row = findTirIntrinsic(name);
  RX_ASSERT(row, "intrinsic {} is not in the table", name);
  return row->op;
}

}  // namespace rx::op
