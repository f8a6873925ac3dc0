#include "core/transform/call_writer.h"

#include "core/transform/call_sites.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"

namespace rx::transform {

Result<ir::Module> writeCalls(const ir::Module& module, std::string_view pass, pass::PassContext& context,
                              WriteCall write) {
  const auto update = [&](const relax::Call& call, build::BlockBuilder& builder) -> relax::Expr {
    if (!isa<relax::Op>(call.op)) return nullptr;
    const Ref<relax::Call> ready = callWithInfo(Ref<relax::Call>(&call), builder);
    if (!ready) return nullptr;
    auto written = write(*ready, builder, context);
    if (written) return *written;
    for (Diagnostic d : written.diagnostics()) {
      d.severity = Severity::Warning;
      context.messages.push_back(std::move(d));
    }
    return nullptr;
  };
  return rewriteFunctions(module, context,
                          [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                            return rewriteCalls(function, pass, moduleContext, update);
                          });
}

}  // namespace rx::transform
