#include "core/tensor/tensor_blob.h"

namespace rx {

namespace {

constexpr uint64_t kMagic = 0xDD5E40F096B4A13FULL;
constexpr int32_t kDeviceCpu = 1;

}  // namespace

void putType(ByteWriter& out, DataType dtype) {
  out.put<uint8_t>(dtype.dlpackCode());
  out.put<uint8_t>(dtype.bits);
  out.put<int16_t>(dtype.isVoid() ? 0 : dtype.lanes);
}

DataType getType(ByteReader& in) {
  const auto code = DataType::codeOfDlpack(in.get<uint8_t>());
  DataType dtype;
  dtype.bits = in.get<uint8_t>();
  dtype.lanes = in.get<int16_t>();
  if (code) dtype.code = *code;
  if (dtype.code == TypeCode::Handle && dtype.bits == 0) return DataType::Void();
  if (dtype.code == TypeCode::UInt && dtype.bits == 1) dtype = DataType::Bool(dtype.lanes);
  if (!code || dtype.bits == 0 || dtype.lanes == 0) in.fail();
  return dtype;
}

void putTensor(ByteWriter& out, const HostTensor& tensor) { putTensor(out, tensor, tensor.dtype()); }

void putTensor(ByteWriter& out, const HostTensor& tensor, DataType stored) {
  out.put<uint64_t>(kMagic);
  out.put<uint64_t>(0);
  out.put<int32_t>(kDeviceCpu);
  out.put<int32_t>(0);
  out.put<int32_t>(static_cast<int32_t>(tensor.rank()));
  putType(out, stored);
  for (int64_t dim : tensor.shape()) out.put(dim);
  out.put<int64_t>(tensor.bytes());
  out.raw(tensor.data(), static_cast<size_t>(tensor.bytes()));
}

Ref<HostTensor> getTensor(ByteReader& in) {
  if (in.get<uint64_t>() != kMagic) in.fail();
  in.get<uint64_t>();
  in.get<int32_t>();
  in.get<int32_t>();
  const auto rank = in.get<int32_t>();
  const DataType dtype = getType(in);
  if (rank < 0 || static_cast<uint64_t>(rank) > in.rest().size() / sizeof(int64_t)) in.fail();
  std::vector<int64_t> shape;
  for (int32_t i = 0; i < rank && !in.failed(); ++i) shape.push_back(in.get<int64_t>());
  const auto bytes = in.get<int64_t>();
  if (bytes < 0 || tensorBytes(shape, dtype) != bytes) in.fail();
  const std::string_view data = in.raw(static_cast<uint64_t>(bytes));
  if (in.failed()) return nullptr;
  auto tensor = HostTensor::fromBytes(std::move(shape), dtype, std::as_bytes(std::span(data.data(), data.size())));
  if (tensor) return *tensor;
  in.fail();
  return nullptr;
}

uint64_t TensorBlocks::add(Ref<HostTensor> tensor) {
  constexpr uint64_t kStep = Storage::kAlignment;
  const uint64_t at = (bytes_ + kStep - 1) / kStep * kStep;
  bytes_ = at + static_cast<uint64_t>(tensor->bytes());
  rows_.emplace_back(at, std::move(tensor));
  return at;
}

void putPlacedTensor(ByteWriter& out, Ref<HostTensor> tensor, TensorBlocks& blocks) {
  putType(out, tensor->dtype());
  out.words(tensor->shape());
  out.put(blocks.add(std::move(tensor)));
}

Ref<HostTensor> getPlacedTensor(ByteReader& in, const PlacedBlocks& blocks) {
  const DataType dtype = getType(in);
  std::vector<int64_t> shape = in.words();
  const auto at = in.get<uint64_t>();
  const auto bytes = tensorBytes(shape, dtype);
  const uint64_t all = blocks.bytes.size();
  if (!bytes || at % Storage::kAlignment != 0 || at > all || static_cast<uint64_t>(*bytes) > all - at) in.fail();
  if (in.failed()) return nullptr;
  auto tensor =
      HostTensor::view(Storage::external(blocks.bytes.data() + at, *bytes, blocks.owner), 0, std::move(shape), dtype);
  if (tensor) return *tensor;
  in.fail();
  return nullptr;
}

}  // namespace rx
