#include "core/relay/infer.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "core/relay/infer_function.h"
#include "core/relay/kinds.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// Functions after those that they use, as far as they do not use one another.
std::vector<size_t> callOrder(const ir::IRModule& module) {
  if (module.size() == 1) return {0};
  std::unordered_map<std::string_view, size_t> indexOf;
  for (size_t i = 0; i < module.size(); ++i) indexOf.emplace(module.vars[i]->name.view(), i);
  std::vector<std::vector<size_t>> uses(module.size());
  for (size_t i = 0; i < module.size(); ++i) {
    const auto function = refAs<Function>(module.functions[i]);
    if (!function) continue;
    for (const std::string_view name : globalsIn(function))
      if (const auto hit = indexOf.find(name); hit != indexOf.end()) uses[i].push_back(hit->second);
  }
  std::vector<size_t> order;
  std::vector<uint8_t> met(module.size());
  std::vector<std::pair<size_t, size_t>> stack;
  for (size_t first = 0; first < module.size(); ++first) {
    if (std::exchange(met[first], 1)) continue;
    stack.push_back({first, 0});
    while (!stack.empty()) {
      auto& [function, next] = stack.back();
      if (next < uses[function].size()) {
        const size_t used = uses[function][next++];
        if (!std::exchange(met[used], 1)) stack.push_back({used, 0});
        continue;
      }
      order.push_back(function);
      stack.pop_back();
    }
  }
  return order;
}

using Inference = std::unique_ptr<FunctionInference>;

/// In the order of their places.
void sort(std::vector<Diagnostic>& findings) {
  std::sort(findings.begin(), findings.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.span.file, a.span.begin, a.message) < std::tie(b.span.file, b.span.begin, b.message);
  });
}

/// Infers the functions of Relay one by one; `inferred` gets the index of each and what was found, to keep or not;
/// `refused` the same of one with findings. Fails with the findings of all.
template <class Inferred, class Refused>
Result<Unit> eachInferred(const ir::Module& module, Surroundings& around, const CancelToken& cancel,
                          const Inferred& inferred, const Refused& refused) {
  // Where a module defines no types, a function that names one is refused when inference meets that.
  if (std::vector<Diagnostic> kinds; module->types && !(kinds = kindErrors(*module)).empty())
    return fail(std::move(kinds));
  std::vector<Diagnostic> findings;
  for (size_t i : callOrder(*module)) {
    const auto function = refAs<Function>(module->functions[i]);
    if (!function) continue;
    const relax::GlobalVar& name = *module->vars[i];
    auto inference = std::make_unique<FunctionInference>(around, name, cancel);
    if (const Result<Unit> ran = inference->run(function); !ran) {
      if (cancel.cancelled()) return ran;
      around.incomplete = true;
      refused(std::move(inference));
      findings.insert(findings.end(), ran.diagnostics().begin(), ran.diagnostics().end());
      continue;
    }
    around.functions.emplace(name.name.view(), inference->functionType());
    inferred(i, function, std::move(inference));
  }
  if (findings.empty()) return Unit{};
  std::vector<Diagnostic> kinds = kindErrors(*module);
  if (!kinds.empty()) return fail(std::move(kinds));
  sort(findings);
  return fail(std::move(findings));
}

constexpr auto kIgnored = [](auto&&...) {};

}  // namespace

Result<ir::Module> inferTypes(const ir::Module& module, const CancelToken& cancel, Declare declare) {
  auto entries = module->entries();
  bool changed = false;
  Surroundings around{*module, {}};
  RX_CHECK(eachInferred(
      module, around, cancel,
      [&](size_t i, const FunctionRef& function, Inference inference) {
        const FunctionRef typed = inference->rebuilt(function, declare);
        changed = changed || typed != function;
        entries[i].second = typed;
      },
      kIgnored));
  return changed ? module->with(std::move(entries)) : module;
}

Result<Unit> inferTypesInPlace(const ir::Module& own, const CancelToken& cancel, Declare declare) {
  std::vector<Inference> found;
  Surroundings around{*own, {}};
  auto keep = [&](Inference inference) { found.push_back(std::move(inference)); };
  Result<Unit> ran = eachInferred(
      own, around, cancel, [&](size_t, const FunctionRef&, Inference inference) { keep(std::move(inference)); }, keep);
  for (const Inference& inference : found) ran ? inference->writeInPlace(declare) : inference->writeKnown();
  return ran;
}

Result<Unit> checkTypes(const ir::Module& module, const CancelToken& cancel) {
  Surroundings around{*module, {}};
  return eachInferred(module, around, cancel, kIgnored, kIgnored);
}

}  // namespace rx::relay
