// FastMathTransform: approximations in the place of functions that take long.
#include "core/legalize/legalize.h"
#include "core/transform/call_writer.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

Result<ir::Module> fastMathTransform(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return writeCalls(module, "FastMathTransform", context,
                    [](const relax::Call& call, build::BlockBuilder& builder, const pass::PassContext&) {
                      return legalize::legalizeFastMath(call, builder);
                    });
}

}  // namespace rx::transform
