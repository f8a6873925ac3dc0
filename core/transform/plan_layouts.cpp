// PlanLayouts: convolutions with their channels last, one behind the other through a whole function, where bringing
// what comes in and what goes out into that order costs little beside them. A sum then reads, and a block of registers
// stores, channels side by side; weights are laid out by the schedules of their kernels, so that most keep the order
// that they have.
#include <algorithm>
#include <array>

#include "core/ir/reflect.h"
#include "core/op/rules.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/layout_converter.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

/// A convolution as it should be.
struct Wished {
  std::string_view op;
  const char *data, *weights;
  /// Of groups, whose weights are read as they are.
  const char* ofGroups;
};
constexpr Wished kWished[] = {
    {"relax.nn.conv1d", "NWC", "OIW", "WIO"},
    {"relax.nn.conv2d", "NHWC", "OIHW", "HWIO"},
    {"relax.nn.conv3d", "NDHWC", "OIDHW", "DHWIO"},
};

/// Operators that no kernel is made of in another layout than their own: they take what is before them moved back.
constexpr std::string_view kKeepTheirs[] = {"relax.nn.conv1d_transpose", "relax.nn.conv2d_transpose",
                                            "relax.nn.conv3d_transpose"};

analysis::InferLayout ruleOf(std::string_view op) {
  const bool keeps = std::find(std::begin(kKeepTheirs), std::end(kKeepTheirs), op) != std::end(kKeepTheirs);
  return keeps ? nullptr : analysis::wideLayoutRule(op);
}

/// Elements that are moved are to be that many times fewer than those that convolutions make.
constexpr double kWorthIt = 4;
/// What is made of so many channels by fewer products (host.Winograd) saves as much again. Where there are fewer, or
/// small images, there are no fewer products.
constexpr double kChannelsSaved = 4, kLeastChannels = 32, kLeastPlaces = 144;
constexpr double kWindow = 3;

const Wished* wishedFor(const Node& node) {
  const auto* call = as<relax::Call>(&node);
  const auto* op = call ? as<relax::Op>(call->op) : nullptr;
  if (!op) return nullptr;
  for (const Wished& each : kWished)
    if (each.op == op->name.view()) return &each;
  return nullptr;
}

/// Elements of a tensor, with one for each size that a run alone knows; zero where the sizes are not said.
double elementsOf(const relax::StructInfo& info) {
  const Array<tir::PrimExpr>* dims = op::dimsOf(info);
  if (!dims) return 0;
  double elements = 1;
  for (const tir::PrimExpr& dim : *dims) elements *= static_cast<double>(tir::asInt(dim).value_or(1));
  return elements;
}

bool onlyOnes(const relax::Call& call, std::string_view attribute) {
  const std::vector<int64_t> numbers = op::ints(call, attribute);
  return std::all_of(numbers.begin(), numbers.end(), [](int64_t number) { return number == 1; });
}

/// What a convolution makes is worth so many elements of one that only reads channels side by side.
double worthOf(const relax::Call& call) {
  const Array<tir::PrimExpr>* weights = op::dimsOf(call.args[1]->sinfo);
  constexpr std::string_view kLetters = "HWIO";
  const std::string_view layout = op::strAttr(call, "kernel_layout");
  if (!weights || weights->size() != kLetters.size() || !isa<relax::Constant>(call.args[1])) return 1;
  if (ir::intAttrOf(call.attrs, "groups", 1) != 1 || !onlyOnes(call, "strides") || !onlyOnes(call, "dilation"))
    return 1;
  std::array<double, kLetters.size()> sizes{};
  for (size_t i = 0; i < kLetters.size(); ++i) {
    const size_t at = layout.find(kLetters[i]);
    if (at < weights->size()) sizes[i] = static_cast<double>(tir::asInt((*weights)[at]).value_or(0));
  }
  const auto [height, width, channels, filters] = sizes;
  const bool fewer = height == kWindow && width == kWindow && channels >= kLeastChannels && filters >= kLeastChannels &&
                     elementsOf(call.sinfo) >= kLeastPlaces * filters;
  return fewer ? 1 + channels / kChannelsSaved : 1;
}

/// What a function moves into another order, and what its convolutions make.
struct Work {
  double moved = 0, made = 0;
};
Work workOf(const relax::Function& function) {
  Work work;
  walk(function, Into::Parts, [&](const Node& node) {
    const auto* call = as<relax::Call>(&node);
    if (!call) return true;
    if (wishedFor(node)) work.made += elementsOf(call->sinfo) * worthOf(*call);
    // What is constant is moved once, at build.
    if (isOp(relax::Expr(call), "relax.permute_dims") && !isa<relax::Constant>(call->args[0]))
      work.moved += elementsOf(call->sinfo);
    return true;
  });
  return work;
}

}  // namespace

Result<ir::Module> planLayouts(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  analysis::DesiredLayouts whole, inGroups;
  for (const Wished& each : kWished) {
    whole.emplace(each.op, std::vector<analysis::LayoutText>{each.data, each.weights});
    inGroups.emplace(each.op, std::vector<analysis::LayoutText>{each.data, each.ofGroups});
  }
  const LayoutWishes wishes{[&](const relax::Call& call) -> const analysis::DesiredLayouts& {
                              return ir::intAttrOf(call.attrs, "groups", 1) > 1 ? inGroups : whole;
                            },
                            ruleOf};
  return rewriteFunctions(
      module, context,
      [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) -> Result<relax::FunctionRef> {
        const Work before = workOf(*function);
        if (before.made == 0) return function;
        const auto planned = withLayouts("PlanLayouts", function, moduleContext, wishes, nullptr);
        // One that can not have other layouts keeps those that it has.
        if (!planned) return function;
        const bool worthIt = kWorthIt * (workOf(**planned).moved - before.moved) <= before.made;
        return worthIt ? *planned : function;
      });
}

}  // namespace rx::transform
