#include "core/compile/request/weights.h"

#include <fmt/format.h>

#include <charconv>

#include "core/compile/request/passes.h"
#include "core/ir/constant.h"

namespace rx::compile {
namespace {

constexpr const char* kRule = "pass.num-input";

/// Why a function can not have so many inputs; empty where it can.
std::string refusal(const relax::Function* function, const InputCount& inputs) {
  if (!function) return fmt::format("the module has no Relax function {}", inputs.function);
  const auto count = static_cast<int64_t>(function->params.size());
  if (inputs.count > count)
    return fmt::format("{} has {} parameters, {} of them can not be inputs", inputs.function, count, inputs.count);
  if (inputs.count < 1)
    return fmt::format("{} needs an input: with all {} parameters as weights a call would bring nothing",
                       inputs.function, count);
  return {};
}

}  // namespace

Result<InputCount> readInputCount(std::string_view text) {
  const size_t equals = text.rfind('=');
  InputCount read;
  const char* end = text.data() + text.size();
  const char* number = equals == std::string_view::npos ? end : text.data() + equals + 1;
  const auto [stop, error] = std::from_chars(number, end, read.count);
  if (equals == 0 || number == end || error != std::errc() || stop != end)
    return fail(kRule, fmt::format("expected FUNCTION=N with the number of its inputs, not \"{}\"", text));
  read.function = text.substr(0, equals);
  return read;
}

Result<ir::Module> withInputCounts(const ir::Module& module, const std::vector<InputCount>& counts) {
  ir::Module made = module;
  for (const InputCount& inputs : counts) {
    const relax::GlobalVarRef var = made->findVar(inputs.function);
    const ir::BaseFunc function = var ? made->find(inputs.function) : nullptr;
    const auto* relaxFunction = function ? as<relax::Function>(function) : nullptr;
    if (const std::string why = refusal(relaxFunction, inputs); !why.empty()) return fail(kRule, why);
    if (ir::intAttrOf(relaxFunction->attrs, "num_input", -1) == inputs.count) continue;
    made = made->withFunction(var, ir::withFunctionAttr(function, "num_input", ir::intAttr(inputs.count)));
  }
  return made;
}

Result<ir::Module> withWeights(const ir::Module& module, std::string_view function,
                               const std::vector<NamedTensor>& weights) {
  if (weights.empty()) return module;
  ir::Attrs params;
  for (const auto& [name, tensor] : weights) params = ir::withAttr(params, Str(name), relax::constantOf(tensor));
  const ir::Attrs named = ir::withAttr(nullptr, Str("func_name"), ir::strAttr(Str(function)));
  pass::PassContext context;
  RX_TRY(bound, passTable().find("BindParams")->run(module, ir::withAttr(named, Str("params"), params), context));
  if (!context.messages.empty()) return fail(std::move(context.messages));
  return bound;
}

}  // namespace rx::compile
