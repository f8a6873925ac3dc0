#include "core/runtime/executable_reader.h"

#include "core/runtime/executable_format.h"
#include "core/tensor/tensor_blob.h"

namespace rx::vm {

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

Value getConstant(ByteReader& in, Era era) {
  switch (kindOf(era, in.get<int32_t>())) {
    case ValueKind::Tensor: {
      auto tensor = getTensor(in);
      return tensor ? Value::of(std::move(tensor)) : Value{};
    }
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
