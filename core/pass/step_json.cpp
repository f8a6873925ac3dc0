#include "core/pass/step_json.h"

#include <nlohmann/json.hpp>

#include "core/support/diagnostic_json.h"

namespace rx::pass {

nlohmann::ordered_json stepJson(const StepRecord& step, const SourceList& sources) {
  using Json = nlohmann::ordered_json;
  static constexpr const char* kWhat[] = {"changed", "added", "removed"};
  Json changes = Json::array();
  for (const FunctionChange& change : step.changes) {
    changes.push_back({{"function", change.name.string()},
                       {"what", kWhat[static_cast<size_t>(change.what)]},
                       {"net", change.netSize}});
  }
  Json remarks = Json::array();
  for (const Remark& remark : step.remarks) {
    remarks.push_back(
        {{"function", remark.function.string()}, {"binding", remark.binding->name.string()}, {"text", remark.text}});
  }
  return {{"pass", step.name},
          {"call", step.call},
          {"milliseconds", step.milliseconds},
          {"verifyMilliseconds", step.verifyMilliseconds},
          {"changes", std::move(changes)},
          {"size", step.nodesAfter},
          {"verified", step.verified},
          // The result of a pass has no text that a place could point into.
          {"verdict", diagnosticsJson(step.verdict, {})},
          {"lost", diagnosticsJson(step.lost, sources)},
          {"remarks", std::move(remarks)},
          {"leftOut", step.leftOut},
          {"failed", step.failed()},
          {"messages", diagnosticsJson(step.messages, sources)}};
}

}  // namespace rx::pass
