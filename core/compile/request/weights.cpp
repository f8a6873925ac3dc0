#include "core/compile/request/weights.h"

#include "core/compile/request/passes.h"
#include "core/ir/constant.h"

namespace rx::compile {

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
