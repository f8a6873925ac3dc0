// Memory: pointers of buffers, loads, stores, allocations.
#include <fmt/format.h>

#include <algorithm>

#include "core/codegen/intrinsic_name.h"
#include "core/codegen/opencl_emitter.h"
#include "core/runtime/kernel_arithmetic.h"

namespace rx::codegen {

using namespace tir;

namespace {

/// Vectors that OpenCL C loads and stores at once.
constexpr size_t kVectors[] = {2, 4, 8, 16};

bool isPlain(const ClType& type) { return type.small.empty() && type.held == type.memory; }

const char* spaceOf(std::string_view scope) {
  if (scope.empty() || scope == "global") return "global";
  if (scope == "shared" || scope == "shared.dyn") return "local";
  return "private";
}

}  // namespace

std::optional<OpenClEmitter::Memory> OpenClEmitter::memoryOf(const Buffer& buffer) {
  const auto found = memory_.find(buffer.data.get());
  if (found != memory_.end()) return found->second;
  refuse(buffer.span, fmt::format("the memory of {} is not known on the device", buffer.name.view()));
  return std::nullopt;
}

Lanes OpenClEmitter::offsets(const Buffer& buffer, const Array<PrimExpr>& indices) {
  std::vector<PrimExpr> strides = buffer.strides.vector();
  if (strides.empty()) {
    strides.resize(buffer.shape.size());
    PrimExpr size = intImm(1, DataType::Int(64));
    for (size_t axis = strides.size(); axis-- > 0;) {
      strides[axis] = size;
      if (axis > 0) size = make<Mul>(size, make<Cast>(DataType::Int(64), buffer.shape[axis]));
    }
  }
  if (strides.size() != indices.size() && indices.size() != 1)
    return refuse(buffer.span,
                  fmt::format("{} is accessed by another number of indices than dimensions", buffer.name.view()));
  Lanes sum;
  for (size_t axis = 0; axis < indices.size(); ++axis) {
    Lanes index = expr(indices[axis]);
    if (index.empty()) return index;
    if (indices.size() > 1 && !(asInt(strides[axis]) == 1)) {
      const Lanes stride = expr(strides[axis]);
      if (stride.empty()) return stride;
      for (Operand& lane : index)
        lane = {inside({"(long)" + inside(lane, Binds::Unary), Binds::Unary}, Binds::Product) + " * " +
                    inside(stride[0], Binds::Unary),
                Binds::Product};
    }
    if (sum.empty()) {
      sum = std::move(index);
      continue;
    }
    if (sum.size() < index.size()) sum.resize(index.size(), sum[0]);
    for (size_t i = 0; i < sum.size(); ++i)
      sum[i] = {inside(sum[i], Binds::Sum) + " + " + inside(index[index.size() == 1 ? 0 : i], Binds::Product),
                Binds::Sum};
  }
  if (sum.empty()) sum.push_back({"0"});
  if (buffer.elemOffset && asInt(buffer.elemOffset) != 0) {
    const Lanes offset = expr(buffer.elemOffset);
    if (offset.empty()) return offset;
    for (Operand& lane : sum) lane = {inside(offset[0], Binds::Sum) + " + " + inside(lane, Binds::Product), Binds::Sum};
  }
  if (buffer.dtype.lanes == 1) return sum;
  // An element of the buffer is a vector: its parts follow each other.
  Lanes parts;
  for (const Operand& lane : sum) {
    const Operand first =
        named({inside(lane, Binds::Product) + fmt::format(" * {}", buffer.dtype.lanes), Binds::Product},
              DataType::Int(64), "at");
    for (int part = 0; part < buffer.dtype.lanes; ++part)
      parts.push_back(part == 0 ? first : Operand{fmt::format("{} + {}", first.text, part), Binds::Sum});
  }
  return parts;
}

bool OpenClEmitter::contiguous(const Buffer& buffer, const Array<PrimExpr>& indices, size_t lanes) {
  if (std::find(std::begin(kVectors), std::end(kVectors), lanes) == std::end(kVectors)) return false;
  const PrimExpr last = indices.size() ? indices[indices.size() - 1] : nullptr;
  if (buffer.dtype.lanes > 1) return last && last->dtype.lanes == 1;
  const auto* ramp = last ? as<Ramp>(last) : nullptr;
  const bool steps = buffer.strides.empty() || asInt(buffer.strides[buffer.strides.size() - 1]) == 1;
  return ramp && steps && asInt(ramp->stride) == 1;
}

std::string OpenClEmitter::element(const Buffer& buffer, const Memory& memory, const Operand& offset) const {
  const auto own = clTypeOf(buffer.dtype.element());
  const bool same = own && own->memory == memory.element;
  const std::string pointer =
      same || !own ? memory.pointer : fmt::format("(({} {}*){})", memory.space, own->memory, memory.pointer);
  return fmt::format("{}[{}]", pointer, offset.text);
}

Operand OpenClEmitter::fromMemory(std::string raw, DataType dtype) {
  const auto made = type(dtype.element());
  if (!made) return {};
  if (dtype.isBool()) return {raw + " != 0", Binds::Equality};
  if (!made->small.empty()) return {fmt::format("rx_from_{}({})", made->small, raw)};
  return {std::move(raw)};
}

std::string OpenClEmitter::toMemory(const Operand& value, DataType dtype) {
  const auto made = type(dtype.element());
  if (!made || made->small.empty()) return value.text;
  // What was made from its bits has them already.
  const std::string from = fmt::format("rx_from_{}(", made->small);
  const bool whole = value.binds == Binds::Atom && value.text.starts_with(from);
  if (whole) return value.text.substr(from.size(), value.text.size() - from.size() - 1);
  return fmt::format("rx_to_{}({})", made->small, value.text);
}

Lanes OpenClEmitter::load(const BufferLoad& node) {
  const auto memory = memoryOf(*node.buffer);
  const auto made = type(node.buffer->dtype.element(), node.span);
  if (!memory || !made) return {};
  const auto lanes = static_cast<size_t>(node.dtype.lanes);
  Lanes which;
  if (node.predicate && (which = expr(node.predicate)).empty()) return {};
  const auto value = [&](const Operand& offset) {
    return fromMemory(element(*node.buffer, *memory, offset), node.dtype);
  };
  if (!which.empty()) {
    return eachLane(lanes, [&](size_t i) {
      const auto read = [&] {
        const Lanes at = offsets(*node.buffer, node.indices);
        return at.empty() ? Operand{} : value(at[i]);
      };
      return chosen(which[which.size() == 1 ? 0 : i], node.dtype.element(), read, [] { return Operand{"0"}; });
    });
  }
  const Lanes at = offsets(*node.buffer, node.indices);
  if (at.size() != lanes)
    return at.empty() ? at : refuse(node.span, "an access has another number of elements than its type");
  if (lanes == 1 || !isPlain(*made) || !contiguous(*node.buffer, node.indices, lanes))
    return eachLane(lanes, [&](size_t i) { return value(at[i]); });
  const std::string vector = name("v");
  line(fmt::format("const {0}{1} {2} = vload{1}(0, &{3});", made->held, lanes, vector,
                   element(*node.buffer, *memory, at[0])));
  return eachLane(lanes, [&](size_t i) { return Operand{fmt::format("{}.s{:x}", vector, i)}; });
}

void OpenClEmitter::store(const BufferStore& node) {
  const auto memory = memoryOf(*node.buffer);
  const auto made = type(node.buffer->dtype.element(), node.span);
  if (!memory || !made) return;
  const Lanes value = expr(node.value);
  const DataType dtype = node.buffer->dtype;
  if (value.empty()) return;
  if (node.value->dtype.element() != dtype.element())
    return void(refuse(node.span, fmt::format("a value of type {} is stored to {}", node.value->dtype.str(),
                                              node.buffer->name.view())));
  Lanes which;
  if (node.predicate && (which = expr(node.predicate)).empty()) return;
  const auto put = [&](size_t i) {
    const Lanes at = offsets(*node.buffer, node.indices);
    if (at.size() == value.size())
      line(fmt::format("{} = {};", element(*node.buffer, *memory, at[i]), toMemory(value[i], dtype)));
  };
  if (!which.empty()) {
    for (size_t i = 0; i < value.size(); ++i) {
      line(fmt::format("if ({}) {{", which[which.size() == 1 ? 0 : i].text));
      block([&] { put(i); });
      line("}");
    }
    return;
  }
  const Lanes at = offsets(*node.buffer, node.indices);
  if (at.size() != value.size())
    return void(at.empty() || !refuse(node.span, "an access has another number of elements than its value").empty());
  if (value.size() > 1 && isPlain(*made) && contiguous(*node.buffer, node.indices, value.size())) {
    std::string all;
    for (const Operand& lane : value) all += (all.empty() ? "" : ", ") + lane.text;
    line(fmt::format("vstore{0}(({1}{0})({2}), 0, &{3});", value.size(), made->held, all,
                     element(*node.buffer, *memory, at[0])));
    return;
  }
  if (value.size() == 1)
    return line(fmt::format("{} = {};", element(*node.buffer, *memory, at[0]), toMemory(value[0], dtype)));
  // No element is written before all are computed.
  Lanes ready;
  for (const Operand& lane : value) ready.push_back(named(lane, dtype, "v"));
  for (size_t i = 0; i < ready.size(); ++i)
    line(fmt::format("{} = {};", element(*node.buffer, *memory, at[i]), toMemory(ready[i], dtype)));
}

void OpenClEmitter::allocate(const Buffer& buffer) {
  const auto made = type(buffer.dtype.element(), buffer.span);
  if (!made) return;
  int64_t count = std::max<int64_t>(buffer.dtype.lanes, 1);
  for (const PrimExpr& extent : buffer.shape) {
    const auto size = asInt(extent);
    if (!size || *size < 0 || __builtin_mul_overflow(count, *size, &count))
      return void(refuse(buffer.span,
                         fmt::format("a thread allocates {}, whose size is not known before", buffer.name.view())));
  }
  const bool shared = std::string_view(spaceOf(buffer.scope())) == "local";
  Memory memory{name(buffer.name.view()), shared ? "local" : "private", made->memory};
  const std::string text =
      fmt::format("{}{} {}[{}];", shared ? "local " : "", made->memory, memory.pointer, std::max<int64_t>(count, 1));
  if (shared) {
    shared_.push_back({"  " + text, here_});
  } else {
    line(text);
  }
  memory_[buffer.data.get()] = std::move(memory);
}

Lanes OpenClEmitter::atomicAdd(const Call& node) {
  const DataType dtype = node.args[1]->dtype;
  const auto* address = as<Call>(node.args[0]);
  const auto* at = address && intrinsicName(*address) == "address_of" ? as<BufferLoad>(address->args[0]) : nullptr;
  if (!at || at->dtype != dtype)
    return refuse(node.span,
                  "an atomic addition is one to an element of a buffer, T.address_of(buffer[index]), of its "
                  "value's type");
  // Doubles would need an exchange of 64 bits that drivers need not have.
  if (!vm::addsAtomically(dtype) || dtype == DataType::Float(64)) return refuse(node.span, atomicText(dtype));
  const auto memory = memoryOf(*at->buffer);
  const Lanes offset = offsets(*at->buffer, at->indices), value = expr(node.args[1]);
  if (!memory || offset.size() != 1 || value.size() != 1) return {};
  const std::string place = "&" + element(*at->buffer, *memory, offset[0]);
  if (memory->space == "private") return refuse(node.span, "memory that a thread has alone needs no atomic addition");
  std::string function = dtype.bits == 64 ? "atom_add" : "atomic_add";
  if (dtype.isFloat()) function = helperFor(helpers_, "atomic_add_" + memory->space);
  return {named({fmt::format("{}({}, {})", function, place, value[0].text)}, dtype, "before")};
}

Operand OpenClEmitter::checkedIndex(const Operand& index, DataType dtype, const Operand& extent, const Call& call) {
  if (!checks_) return index;
  const auto* buffer = as<StringImm>(call.args[2]);
  const int number =
      site(vm::KernelFault::Bounds, buffer ? buffer->value.string() : "", asInt(call.args[3]).value_or(0));
  const std::string text =
      fmt::format("{}({}, {}, {}, rx_fault)", helperFor(helpers_, "at"), index.text, extent.text, number);
  if (dtype.bits == 64) return {text};
  return {fmt::format("({}){}", held(dtype), text), Binds::Unary};
}

}  // namespace rx::codegen
