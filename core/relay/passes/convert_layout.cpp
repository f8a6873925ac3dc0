#include <array>

#include "core/relay/passes/alter_layout.h"

namespace rx::relay {

namespace {

/// How an operator takes a layout that is asked for.
enum class Takes : uint8_t { Data, DataAndKernel, DataAndKernelTransposed };
struct Convertible {
  std::string_view op;
  Takes takes;
};
constexpr std::array kConvertible = {
    Convertible{"nn.conv2d", Takes::DataAndKernel},
    Convertible{"nn.conv3d", Takes::DataAndKernel},
    Convertible{"nn.deformable_conv2d", Takes::DataAndKernel},
    Convertible{"qnn.conv2d", Takes::DataAndKernel},
    Convertible{"nn.conv2d_transpose", Takes::DataAndKernelTransposed},
    Convertible{"nn.conv3d_transpose", Takes::DataAndKernelTransposed},
    Convertible{"qnn.conv2d_transpose", Takes::DataAndKernelTransposed},
    Convertible{"nn.max_pool2d", Takes::Data},
    Convertible{"nn.avg_pool2d", Takes::Data},
    Convertible{"nn.global_max_pool2d", Takes::Data},
    Convertible{"nn.global_avg_pool2d", Takes::Data},
    Convertible{"qnn.avg_pool2d", Takes::Data},
    Convertible{"image.resize1d", Takes::Data},
    Convertible{"image.resize2d", Takes::Data},
    Convertible{"vision.roi_align", Takes::Data},
    Convertible{"vision.roi_pool", Takes::Data},
};
/// The kernels that go with layouts of data.
struct KernelOf {
  std::string_view data, kernel, depthwise, transposed;
};
constexpr std::array kKernels = {
    KernelOf{"NCHW", "OIHW", "OIHW", "IOHW"},     KernelOf{"NHWC", "HWIO", "HWOI", "HWIO"},
    KernelOf{"HWNC", "HWOI", "HWOI", ""},         KernelOf{"NCDHW", "OIDHW", "OIDHW", "IODHW"},
    KernelOf{"NDHWC", "DHWIO", "DHWOI", "DHWOI"},
};

/// Whether each channel of the data has its own kernel.
bool isDepthwise(const Call& call) {
  const auto data = Layout::parse(textAttrOf(call, "data_layout"));
  const auto kernel = Layout::parse(textAttrOf(call, "kernel_layout"));
  const TensorType *input = tensorOf(call.args[0]), *weight = tensorOf(call.args[1]);
  if (!data || !kernel || !input || !weight || data->rank() != input->shape.size()) return false;
  const auto in = data->find('C'), out = kernel->find('O'), per = kernel->find('I');
  const int64_t groups = intAttrOf(call, "groups", 1);
  return in && out && per && groups != 1 && known(input->shape[*in]) == groups &&
         (known(weight->shape[*out]) == groups || isOne(weight->shape[*per]));
}

std::string_view kernelFor(const Call& call, std::string_view data, Takes takes) {
  for (const KernelOf& row : kKernels) {
    if (row.data != data) continue;
    if (takes == Takes::DataAndKernelTransposed) return row.transposed;
    return isDepthwise(call) ? row.depthwise : row.kernel;
  }
  return {};
}

class Converter {
 public:
  explicit Converter(const ir::Attrs& desired) : desired_(desired) {}

  /// Layouts that are asked for, and can not be; empty otherwise.
  std::vector<Diagnostic> findings;

  Expr chosen(const Call& before, const Ref<Call>& now) {
    const std::string_view op = calledOperator(now)->name;
    const auto row =
        std::find_if(kConvertible.begin(), kConvertible.end(), [&](const auto& each) { return each.op == op; });
    const NodeRef wanted = ir::attrOf(desired_, op);
    const auto* list = as<ir::ArrayAttr>(wanted);
    if (row == kConvertible.end() || !list || list->items.empty()) return nullptr;
    const auto* data = as<ir::StrAttr>(list->items[0]);
    if (!data) return nullptr;
    if (row->takes == Takes::Data) return withPoolLayout(*now, data->value.view());
    const auto* kernel = list->items.size() > 1 ? as<ir::StrAttr>(list->items[1]) : nullptr;
    return withKernelLayout(before, *now, data->value.view(), kernel ? kernel->value.view() : "default", row->takes);
  }

 private:
  static Expr again(const Call& call, const char* op, NamedAttrs attrs) {
    auto* made = new Call(call);
    if (op) made->op = operatorNamed(op);
    made->attrs = withoutDefaults(*rowOf(*as<Op>(made->op)).attrs, attrsWith(call, attrs));
    return Ref<Call>(made);
  }
  static Expr withPoolLayout(const Call& call, std::string_view layout) {
    const NodeRef text = ir::strAttr(Str(layout));
    const bool hasOut = rowOf(*as<Op>(call.op)).attrs->find("out_layout") != nullptr;
    return hasOut ? again(call, nullptr, {{"layout", text}, {"out_layout", text}})
                  : again(call, nullptr, {{"layout", text}});
  }
  Expr withKernelLayout(const Call& before, const Call& now, std::string_view data, std::string_view kernel,
                        Takes takes) {
    const auto layout = Layout::parse(data);
    const auto tile = layout && data.starts_with("NCHW") ? layout->factorOf('C') : std::nullopt;
    const bool tiles = tile && calledOperator(Ref<Call>(&now))->name == "nn.conv2d";
    if (tiles) {
      const auto channels = isa<Var>(now.args[0]) && tensorOf(now.args[0]) ? known(tensorOf(now.args[0])->shape[1])
                                                                           : std::optional<int64_t>();
      if (channels && *channels % *tile != 0) return nullptr;
      return again(now, "nn.contrib_conv2d_NCHWc",
                   {{"data_layout", ir::strAttr(Str(data))}, {"kernel_layout", ir::strAttr(Str(kernel))}});
    }
    if (kernel == "default") kernel = kernelFor(before, data, takes);
    if (kernel.empty()) {
      findings.push_back(errorAt(before.span, "relay.layout",
                                 "no layout of the kernel goes with " + std::string(data) + "; it has to be stated"));
      return nullptr;
    }
    return again(now, nullptr, {{"data_layout", ir::strAttr(Str(data))}, {"kernel_layout", ir::strAttr(Str(kernel))}});
  }

  ir::Attrs desired_;
};

}  // namespace

Result<ir::Module> convertLayout(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  Converter converter(refAs<ir::DictAttrs>(ir::attrOf(given, "desired_layouts")));
  RX_TRY(plain, canonicalizeOps(module, nullptr, context));
  RX_TRY(converted, onTypedFunctions(plain, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
           return withLayouts(function,
                              [&](const Call& before, const Ref<Call>& now) { return converter.chosen(before, now); });
         }));
  if (!converter.findings.empty()) return Failure{converter.findings};
  return converted;
}

}  // namespace rx::relay
