#include "app/rxs/argument_plan.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/tensor/stats.h"
#include "core/tensor/tensor_text.h"

namespace rx::cli {
namespace {

using Json = nlohmann::json;

/// The range of the numbers and the first of them.
std::string preview(const HostTensor& tensor) {
  constexpr int64_t kShown = 24;
  const TensorStats stats = tensorStats(tensor).value_or(TensorStats{});
  std::string text;
  if (tensor.count() > 1) {
    text = fmt::format("min {:.6g}, max {:.6g}, mean {:.6g}", stats.min, stats.max, stats.mean);
    if (stats.nanCount + stats.infCount > 0) text += fmt::format(", {} NaN, {} Inf", stats.nanCount, stats.infCount);
    text += '\n';
  }
  return text + tensorText(tensor, kShown);
}

}  // namespace

std::string planJson(const relax::Function& function, std::string_view name, const ArgumentSources& sources) {
  std::vector<dap::ParameterCheck> checks;
  const Result<std::vector<vm::Value>> values = gatherArguments(function, name, sources, &checks);
  Json arrays = Json::array();
  std::set<std::string> seen;
  for (const auto* list : {&sources.inputs, &sources.params}) {
    for (const auto& [array, tensor] : *list) {
      if (seen.insert(array).second) arrays.push_back({{"array", array}, {"preview", preview(*tensor)}});
    }
  }
  Json problems = Json::array();
  if (!values) {
    for (const Diagnostic& problem : values.diagnostics()) problems.push_back(problem.message);
  }
  return Json{{"parameters", checks}, {"arrays", arrays}, {"problems", problems}}.dump(-1, ' ', false,
                                                                                       Json::error_handler_t::replace);
}

}  // namespace rx::cli
