#include "core/schedule/intrinsics.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/script/parse.h"
#include "core/support/nearest.h"

namespace rx::schedule {

namespace {

#define RX_HEAD(tiles)                                                            \
  "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\ndef step(" tiles \
  "):\n"                                                                          \
  "    with T.sblock(\"root\"):"
constexpr IntrinsicRow kRows[] = {
#define RX_INTRINSIC(name, help, tiles, description, implementation) \
  {name, help, RX_HEAD(tiles) description, RX_HEAD(tiles) implementation},
#include "core/schedule/intrinsics.def"
};
#undef RX_HEAD

Result<tir::PrimFuncRef> read(const IntrinsicRow& row, const char* text) {
  RX_TRY(module, script::parseModule(make<SourceFile>(row.name, text)));
  return cast<tir::PrimFunc>(module->functions[0]);
}

}  // namespace

std::span<const IntrinsicRow> intrinsicRows() { return kRows; }

Result<Intrinsic> intrinsicNamed(std::string_view name) {
  const auto row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const auto& each) { return each.name == name; });
  if (row == std::end(kRows)) {
    Nearest nearest(name);
    for (const IntrinsicRow& each : kRows) nearest.offer(each.name);
    Failure none = fail("schedule.no-intrinsic", fmt::format("there is no intrinsic '{}'", name));
    none.diagnostics.front().fix = nearest.fix();
    return none;
  }
  RX_TRY(description, read(*row, row->description));
  RX_TRY(implementation, read(*row, row->implementation));
  return Intrinsic{description, implementation};
}

}  // namespace rx::schedule
