#include "core/runtime/executable_reader.h"

#include "core/runtime/executable_format.h"

namespace rx::vm {

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
  if (dtype.code == TypeCode::UInt && dtype.bits == 1) dtype = DataType::Bool(dtype.lanes);  // bool before v0.21
  if (!code || dtype.bits == 0 || dtype.lanes == 0) in.fail();
  return dtype;
}

namespace {

/// v0.16 to v0.20 counted the kinds of constants from 0; later versions use the FFI's type indices, of which Shape and
/// Tensor moved once.
enum class Era : uint8_t { Old, Middle, New };
constexpr Era kEras[] = {Era::New, Era::Middle, Era::Old};

ValueKind kindOf(Era era, int32_t tag) {
  struct Row {
    Era era;
    int32_t tag;
    ValueKind kind;
  };
  static constexpr Row kRows[] = {
      {Era::Old, 0, ValueKind::Tensor},
      {Era::Old, 1, ValueKind::Type},
      {Era::Old, 2, ValueKind::Shape},
      {Era::Old, 3, ValueKind::String},
      {Era::Old, 4, ValueKind::Int},
      {Era::Old, 5, ValueKind::Float},
      {Era::Middle, 65, ValueKind::String},
      {Era::Middle, 71, ValueKind::Shape},
      {Era::Middle, 72, ValueKind::Tensor},
      {Era::Middle, 1, ValueKind::Int},
      {Era::Middle, 3, ValueKind::Float},
      {Era::Middle, 5, ValueKind::Type},
      {Era::New, kTagString, ValueKind::String},
      {Era::New, kTagShape, ValueKind::Shape},
      {Era::New, kTagTensor, ValueKind::Tensor},
      {Era::New, kTagInt, ValueKind::Int},
      {Era::New, kTagFloat, ValueKind::Float},
      {Era::New, kTagType, ValueKind::Type},
  };
  for (const Row& row : kRows) {
    if (row.era == era && row.tag == tag) return row.kind;
  }
  return ValueKind::Null;
}

Value getTensor(ByteReader& in) {
  if (in.get<uint64_t>() != kTensorMagic) in.fail();
  in.get<uint64_t>();
  in.get<int32_t>();
  in.get<int32_t>();
  const auto rank = in.get<int32_t>();
  const DataType dtype = getType(in);
  if (rank < 0 || static_cast<uint64_t>(rank) > in.rest().size() / 8) in.fail();
  std::vector<int64_t> shape;
  for (int32_t i = 0; i < rank && !in.failed(); ++i) shape.push_back(in.get<int64_t>());
  const auto bytes = in.get<int64_t>();
  if (bytes < 0 || tensorBytes(shape, dtype) != bytes) in.fail();
  const std::string_view data = in.raw(static_cast<uint64_t>(bytes));
  if (in.failed()) return {};
  auto tensor = HostTensor::fromBytes(std::move(shape), dtype, std::as_bytes(std::span(data.data(), data.size())));
  if (!tensor) {
    in.fail();
    return {};
  }
  return Value::of(*tensor);
}

Value getConstant(ByteReader& in, Era era) {
  switch (kindOf(era, in.get<int32_t>())) {
    case ValueKind::Tensor:
      return getTensor(in);
    case ValueKind::Type:
      return Value::of(getType(in));
    case ValueKind::Shape:
      return Value::shape(in.words());
    case ValueKind::String:
      return Value::of(in.text());
    case ValueKind::Int:
      return Value::of(in.get<int64_t>());
    case ValueKind::Float:
      return Value::of(in.get<double>());
    default:
      in.fail();
      return {};
  }
}

FunctionInfo getFunction(ByteReader& in) {
  FunctionInfo f;
  f.kind = in.get<FunctionKind>();
  f.name = in.text();
  f.start = in.get<Word>();
  f.end = in.get<Word>();
  f.numArgs = in.get<Word>();
  f.registerCount = in.get<Word>();
  const uint64_t params = in.count(8);
  for (uint64_t i = 0; i < params && !in.failed(); ++i) f.paramNames.push_back(in.text());
  return f;
}

/// Constants and code; false when the numbering of this era does not give a whole file.
bool getRest(ByteReader& in, Era era, ExecutableParts& parts) {
  const uint64_t constants = in.count(4);
  for (uint64_t i = 0; i < constants && !in.failed(); ++i) parts.constants.push_back(getConstant(in, era));
  parts.instructionOffsets = in.words();
  parts.words = in.words();
  return !in.failed();
}

DebugInfo getDebug(ByteReader& in) {
  DebugInfo debug;
  const uint64_t sites = in.count(29);
  for (uint64_t i = 0; i < sites && !in.failed(); ++i) {
    DebugSite site;
    const auto known = in.get<uint8_t>();
    if (known > 1) in.fail();
    site.known = known == 1;
    site.block = in.get<uint32_t>();
    site.binding = in.get<uint32_t>();
    site.span.begin = in.get<uint32_t>();
    site.span.end = in.get<uint32_t>();
    site.span.file = in.get<uint32_t>();
    site.variable = in.text();
    debug.instructions.push_back(std::move(site));
  }
  const uint64_t functions = in.count(16);
  for (uint64_t i = 0; i < functions && !in.failed(); ++i) {
    FunctionDebug f;
    const uint64_t registers = in.count(8);
    for (uint64_t r = 0; r < registers && !in.failed(); ++r) f.registers.push_back(in.text());
    const uint64_t slots = in.count(16);
    for (uint64_t s = 0; s < slots && !in.failed(); ++s) {
      const auto slot = in.get<int64_t>();
      f.heapSlots.emplace_back(slot, in.text());
    }
    debug.functions.push_back(std::move(f));
  }
  return debug;
}

/// Whether a section with this mark comes next, which is then behind the reader.
bool takeMark(ByteReader& in, uint64_t mark) {
  ByteReader ahead = in;
  if (in.rest().empty() || ahead.get<uint64_t>() != mark) return false;
  in = ahead;
  return true;
}

}  // namespace

Result<ExecutableFile> readExecutable(std::string_view bytes) {
  ByteReader in(bytes);
  const auto magic = in.get<uint64_t>();
  if (magic != kExecutableV1 && magic != kExecutableV2)
    return fail("vm.file", "this is not an executable of the Relax VM");
  const std::string version = in.text();
  if (in.failed() || version != kExecutableVersion) {
    return fail("vm.file", fmt::format("the executable has version \"{}\", \"{}\" can be read",
                                       escapedForDisplay(version), kExecutableVersion));
  }
  ExecutableFile file;
  const uint64_t functions = in.count(52);
  for (uint64_t i = 0; i < functions && !in.failed(); ++i) file.parts.functions.push_back(getFunction(in));
  const uint64_t scopes = magic == kExecutableV2 ? in.count(16) : 0;
  for (uint64_t i = 0; i < scopes && !in.failed(); ++i) {
    const auto index = in.get<int64_t>();
    file.parts.memoryScopes.emplace_back(index, in.text());
  }
  if (in.failed()) return fail("vm.file", "the executable is cut off, or its lengths are wrong");
  for (const Era era : kEras) {
    ByteReader attempt = in;
    ExecutableFile candidate = file;
    if (!getRest(attempt, era, candidate.parts)) continue;
    if (takeMark(attempt, kDebugSection)) candidate.parts.debug = getDebug(attempt);
    if (takeMark(attempt, kOriginSection)) candidate.origins = attempt.text();
    if (attempt.rest().empty() && !attempt.failed()) return candidate;
  }
  return fail("vm.file", "the executable is cut off, or its constants are of no known kind");
}

}  // namespace rx::vm
