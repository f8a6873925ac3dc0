#include "core/plugin/function.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/export/runtime/tensor_view.h"

namespace rx::plugin {

namespace {

constexpr size_t kErrorBytes = 1024;

/// What the functions of rxs_host work on during a call.
struct Run {
  const vm::CallContext& context;
  std::vector<vm::Value> made;
};

int makeTensor(const rxs_host* host, rxs_dtype dtype, int32_t rank, const int64_t* shape, rxs_tensor* out) {
  auto& run = *static_cast<Run*>(host->run);
  const auto code = DataType::codeOfDlpack(dtype.code);
  if (!code || rank < 0 || rank > RXS_MAX_RANK || (rank > 0 && !shape)) return 1;
  auto tensor = run.context.tensor({shape, shape + rank}, {*code, dtype.bits, static_cast<int16_t>(dtype.lanes)});
  if (!tensor) return 1;
  const auto view = package::viewOf(**tensor);
  if (!view) return 1;
  *out = *view;
  run.made.push_back(vm::Value::of(std::move(*tensor)));
  return 0;
}

rxs_value ofKind(int32_t kind) {
  rxs_value value{};
  value.kind = kind;
  return value;
}

Result<rxs_value> viewOf(const vm::Value& value) {
  rxs_value out = ofKind(RXS_NOTHING);
  switch (value.kind()) {
    case vm::ValueKind::Null:
      return out;
    case vm::ValueKind::Int:
    case vm::ValueKind::Bool:
      out.kind = RXS_INTEGER;
      out.integer = value.is(vm::ValueKind::Bool) ? value.asBool() : value.asInt();
      return out;
    case vm::ValueKind::Float:
      out.kind = RXS_REAL;
      out.real = value.asFloat();
      return out;
    case vm::ValueKind::String:
      out.kind = RXS_TEXT;
      out.text = value.asString().c_str();
      return out;
    case vm::ValueKind::Shape: {
      const std::vector<int64_t>& sizes = value.asShape();
      out.kind = RXS_SHAPE;
      out.tensor.data = const_cast<int64_t*>(sizes.data());
      out.tensor.rank = 1;
      out.tensor.dtype = {DataType::Int(64).dlpackCode(), 64, 1};
      out.tensor.shape[0] = static_cast<int64_t>(sizes.size());
      return out;
    }
    case vm::ValueKind::Tensor: {
      RX_TRY(view, package::viewOf(value.tensor()));
      out.kind = RXS_TENSOR;
      out.tensor = view;
      return out;
    }
    default:
      return fail("plugin.argument", fmt::format("{} can not be passed to a plugin", value.summary()));
  }
}

/// The value of the run whose memory a tensor of the plugin is.
const vm::Value* tensorWith(const rxs_tensor& view, vm::Arguments args, const std::vector<vm::Value>& made) {
  const auto fits = [&](const vm::Value& value) {
    if (!value.is(vm::ValueKind::Tensor)) return false;
    const auto own = package::viewOf(value.tensor());
    return own && own->data == view.data && own->rank == view.rank && own->dtype.code == view.dtype.code &&
           own->dtype.bits == view.dtype.bits && std::equal(view.shape, view.shape + view.rank, own->shape);
  };
  for (const vm::Value& value : made)
    if (fits(value)) return &value;
  for (size_t i = 0; i < args.size(); ++i)
    if (fits(args[i])) return &args[i];
  return nullptr;
}

class Function final : public vm::Callable {
 public:
  Function(Library library, const rxs_plugin_function& row)
      : library_(std::move(library)), name_(row.name), call_(row.call), writes_(row.writes) {}

  std::string_view name() const override { return name_; }
  bool mayWrite(size_t argument) const override { return argument < 64 && ((writes_ >> argument) & 1) != 0; }

  Result<vm::Value> call(vm::CallContext& context, vm::Arguments args) const override {
    std::vector<rxs_value> values;
    for (size_t i = 0; i < args.size(); ++i) {
      RX_TRY(value, viewOf(args[i]));
      values.push_back(value);
    }
    Run run{context, {}};
    const rxs_host host{&run, makeTensor};
    rxs_value result = ofKind(RXS_NOTHING);
    std::string error(kErrorBytes, '\0');
    const int failed =
        call_(&host, values.data(), static_cast<int32_t>(values.size()), &result, error.data(), error.size());
    if (failed == 0) return resultOf(result, args, run.made);
    error.resize(std::min(error.find('\0'), error.size()));
    return fail("plugin.failed", fmt::format("{}: {}", escapedForDisplay(name_),
                                             error.empty() ? "it says no reason" : escapedForDisplay(error)));
  }

 private:
  Result<vm::Value> resultOf(const rxs_value& result, vm::Arguments args, const std::vector<vm::Value>& made) const {
    switch (result.kind) {
      case RXS_NOTHING:
        return vm::Value();
      case RXS_INTEGER:
        return vm::Value::of(result.integer);
      case RXS_REAL:
        return vm::Value::of(result.real);
      case RXS_TEXT:
        if (result.text) return vm::Value::of(result.text);
        break;
      case RXS_TENSOR:
        if (const vm::Value* value = tensorWith(result.tensor, args, made)) return *value;
        break;
      default:
        break;
    }
    return fail("plugin.result",
                fmt::format("{} gives what is no value: a number, a text, an argument or a tensor from make_tensor",
                            escapedForDisplay(name_)));
  }

  const Library library_;
  const std::string name_;
  const rxs_plugin_call call_;
  const uint64_t writes_;
};

}  // namespace

Ref<vm::Callable> makeFunction(Library library, const rxs_plugin_function& row) {
  return make<Function>(std::move(library), row);
}

}  // namespace rx::plugin
