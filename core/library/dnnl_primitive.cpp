#include "core/library/dnnl_primitive.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/library/shared_object.h"

namespace rx::library {

namespace {

constexpr int kMajor = 2;

Result<Dnnl> find() {
  RX_TRY(library, openShared("oneDNN 2", {"libdnnl.so.2"}, "libdnnl2"));
  Dnnl found;
  const char* lacking = nullptr;
#define RX_DNNL(name)                                                                     \
  found.name = reinterpret_cast<decltype(found.name)>(addressIn(library, "dnnl_" #name)); \
  if (!found.name) lacking = "dnnl_" #name;
#include "core/library/dnnl_functions.def"
  if (lacking) return fail("library.version", fmt::format("libdnnl.so.2 of this machine has no {}", lacking));
  const dnnl_version_t* version = found.version();
  if (version->major != kMajor)
    return fail("library.version", fmt::format("libdnnl.so.2 of this machine is oneDNN {}.{}, not {}", version->major,
                                               version->minor, kMajor));
  RX_CHECK(dnnlCheck(found, found.engine_create(&found.engine, dnnl_cpu, 0), "an engine"));
  return found;
}

constinit Found<Dnnl> dnnl(find);

/// What the library made, destroyed at the end of a scope.
template <class T>
class Owned {
 public:
  explicit Owned(dnnl_status_t (*destroy)(T)) : destroy_(destroy) {}
  Owned(const Owned&) = delete;
  ~Owned() {
    if (handle_) destroy_(handle_);
  }
  T* out() { return &handle_; }
  T get() const { return handle_; }

 private:
  T handle_ = nullptr;
  dnnl_status_t (*destroy_)(T);
};

/// A call's stream, and all that is computed on it.
class Computation {
 public:
  Computation(const Dnnl& dnnl, vm::CallContext& context)
      : dnnl_(dnnl), context_(context), stream_(dnnl.stream_destroy) {}

  Result<Unit> begin() {
    return dnnlCheck(dnnl_, dnnl_.stream_create(stream_.out(), dnnl_.engine, dnnl_stream_default_flags), "a stream");
  }

  struct Place {
    int argument;
    const dnnl_memory_desc_t* layout;
    std::byte* data;
  };

  Result<Unit> run(const_dnnl_primitive_desc_t description, std::span<const Place> places) {
    Owned<dnnl_primitive_t> primitive(dnnl_.primitive_destroy);
    RX_CHECK(dnnlCheck(dnnl_, dnnl_.primitive_create(primitive.out(), description), "a primitive"));
    std::vector<dnnl_exec_arg_t> arguments;
    std::vector<std::unique_ptr<Owned<dnnl_memory_t>>> memories;
    for (const Place& place : places) {
      auto memory = std::make_unique<Owned<dnnl_memory_t>>(dnnl_.memory_destroy);
      RX_CHECK(dnnlCheck(dnnl_, dnnl_.memory_create(memory->out(), place.layout, dnnl_.engine, place.data), "memory"));
      arguments.push_back({place.argument, memory->get()});
      memories.push_back(std::move(memory));
    }
    RX_CHECK(dnnlCheck(
        dnnl_,
        dnnl_.primitive_execute(primitive.get(), stream_.get(), static_cast<int>(arguments.size()), arguments.data()),
        "the computation"));
    return dnnlCheck(dnnl_, dnnl_.stream_wait(stream_.get()), "the computation");
  }

  Result<Unit> copy(const Place& from, const Place& to) {
    Owned<dnnl_primitive_desc_t> description(dnnl_.primitive_desc_destroy);
    RX_CHECK(dnnlCheck(dnnl_,
                       dnnl_.reorder_primitive_desc_create(description.out(), from.layout, dnnl_.engine, to.layout,
                                                           dnnl_.engine, nullptr),
                       "another layout"));
    const Place places[] = {{DNNL_ARG_FROM, from.layout, from.data}, {DNNL_ARG_TO, to.layout, to.data}};
    return run(description.get(), places);
  }

  /// Memory of the call for a tensor in a layout.
  Result<std::byte*> memoryFor(const dnnl_memory_desc_t& layout) {
    const auto bytes = static_cast<int64_t>(dnnl_.memory_desc_get_size(&layout));
    RX_TRY(tensor, context_.tensor({bytes}, DataType::UInt(8)));
    kept_.push_back(tensor);
    return tensor->mutableData();
  }

 private:
  const Dnnl& dnnl_;
  vm::CallContext& context_;
  Owned<dnnl_stream_t> stream_;
  std::vector<Ref<HostTensor>> kept_;
};

/// Asks for max(x, 0) of each result.
Result<Unit> addRelu(const Dnnl& dnnl, dnnl_primitive_attr_t attributes) {
  Owned<dnnl_post_ops_t> after(dnnl.post_ops_destroy);
  RX_CHECK(dnnlCheck(dnnl, dnnl.post_ops_create(after.out()), "what follows"));
  RX_CHECK(dnnlCheck(dnnl, dnnl.post_ops_append_eltwise(after.get(), 1.0F, dnnl_eltwise_relu, 0.0F, 0.0F), "a relu"));
  return dnnlCheck(dnnl, dnnl.primitive_attr_set_post_ops(attributes, after.get()), "what follows");
}

}  // namespace

const Result<Dnnl>& findDnnl() { return dnnl.get(); }

Result<Unit> dnnlCheck(const Dnnl& dnnl, dnnl_status_t status, std::string_view what) {
  if (status == dnnl_success) return Unit{};
  return fail("library.failed", fmt::format("oneDNN can not make {}: {}", what, dnnl.status2str(status)));
}

Result<dnnl_memory_desc_t> dnnlRows(const Dnnl& dnnl, std::span<const int64_t> shape, bool turned) {
  dnnl_dims_t strides{}, sizes{};
  std::copy(shape.begin(), shape.end(), sizes);
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= sizes[i];
  }
  if (turned) {
    const size_t last = shape.size() - 1;
    strides[last - 1] = 1;
    strides[last] = sizes[last - 1];
  }
  dnnl_memory_desc_t layout;
  RX_CHECK(dnnlCheck(
      dnnl, dnnl.memory_desc_init_by_strides(&layout, static_cast<int>(shape.size()), sizes, dnnl_f32, strides),
      "a layout"));
  return layout;
}

Result<dnnl_memory_desc_t> dnnlAnyLayout(const Dnnl& dnnl, std::span<const int64_t> shape) {
  dnnl_dims_t sizes{};
  std::copy(shape.begin(), shape.end(), sizes);
  dnnl_memory_desc_t layout;
  RX_CHECK(dnnlCheck(
      dnnl, dnnl.memory_desc_init_by_tag(&layout, static_cast<int>(shape.size()), sizes, dnnl_f32, dnnl_format_tag_any),
      "a layout"));
  return layout;
}

Result<Unit> dnnlCompute(const Dnnl& dnnl, const_dnnl_op_desc_t description, bool relu,
                         std::span<const DnnlOperand> operands, vm::CallContext& context) {
  Owned<dnnl_primitive_attr_t> attributes(dnnl.primitive_attr_destroy);
  RX_CHECK(dnnlCheck(dnnl, dnnl.primitive_attr_create(attributes.out()), "attributes"));
  if (relu) RX_CHECK(addRelu(dnnl, attributes.get()));
  Owned<dnnl_primitive_desc_t> chosen(dnnl.primitive_desc_destroy);
  RX_CHECK(dnnlCheck(dnnl,
                     dnnl.primitive_desc_create(chosen.out(), description, attributes.get(), dnnl.engine, nullptr),
                     "such a computation"));
  Computation computation(dnnl, context);
  RX_CHECK(computation.begin());
  std::vector<Computation::Place> places;
  for (const DnnlOperand& operand : operands) {
    const dnnl_memory_desc_t* wanted = dnnl.primitive_desc_query_md(chosen.get(), operand.layout, 0);
    Computation::Place place{operand.argument, operand.lies, operand.data};
    if (wanted && !dnnl.memory_desc_equal(wanted, operand.lies)) {
      RX_TRY(memory, computation.memoryFor(*wanted));
      place = {operand.argument, wanted, memory};
      const bool read = &operand != &operands.back();
      if (read) RX_CHECK(computation.copy({0, operand.lies, operand.data}, place));
    }
    places.push_back(place);
  }
  RX_CHECK(computation.run(chosen.get(), places));
  const Computation::Place result{0, operands.back().lies, operands.back().data};
  return places.back().data == result.data ? Result<Unit>(Unit{}) : computation.copy(places.back(), result);
}

}  // namespace rx::library
