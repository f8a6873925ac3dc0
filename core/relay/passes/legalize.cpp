#include "core/relay/passes/legalize.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/relay/passes/pass_functions.h"
#include "core/support/nearest.h"

namespace rx::relay {

namespace {

struct Row {
  std::string_view map, op;
  LegalizeRule rule;
};
constexpr std::array kRows = {
#define RX_RELAY_LEGALIZE(map, op, function) Row{map, op, legalize::function},
#include "core/relay/passes/legalize_rules.def"
};

LegalizeRule ruleOf(std::string_view map, std::string_view op) {
  const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.map == map && r.op == op; });
  return row == kRows.end() ? nullptr : row->rule;
}

}  // namespace

/// Data of unknown size is not computed where it is taken from: that would be once for each index.
Expr legalize::takeOfDynamic(const Legalized& call) {
  const TensorType* data = call.type(0);
  if (!data || std::all_of(data->shape.begin(), data->shape.end(), known)) return nullptr;
  return callAgain(call.now, {callOp("annotation.stop_fusion", {call.arg(0)}), call.arg(1)}, call.now.attrs);
}

Result<ir::Module> legalizeCalls(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  const std::string map(ir::strAttrOf(given, "legalize_map_attr_name", "FTVMLegalize"));
  if (std::none_of(kRows.begin(), kRows.end(), [&](const Row& row) { return row.map == map; })) {
    Nearest nearest(map);
    for (const Row& row : kRows) nearest.offer(row.map);
    Diagnostic unknown = errorAt({}, "pass.option-value", "no table of rules is named '" + map + "'");
    unknown.fix = nearest.fix();
    return fail(std::move(unknown));
  }
  return onCalls(module, context, [&](const Call& before, const Ref<Call>& now, const OpRow& row) -> Expr {
    const LegalizeRule rule = ruleOf(map, row.name);
    return rule && isa<TensorType>(before.sinfo) ? rule({before, *now, context}) : nullptr;
  });
}

}  // namespace rx::relay
