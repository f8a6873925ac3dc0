#include "core/runtime/executable_bytes.h"

#include <algorithm>

namespace rx::vm {

namespace {

constexpr uint64_t kFirstFormat = 0xD225DE2F4214151DULL;
constexpr uint64_t kSecondFormat = 0xD225DE2F4214151EULL;
constexpr std::string_view kVersion = "0.14";
/// "RxDebg02", "RxFrom01" and "RxOrig03".
constexpr uint64_t kDebugSection = 0x3230676265447852ULL;
constexpr uint64_t kFromSection = 0x31306d6f72467852ULL;
constexpr uint64_t kOriginSection = 0x3330676972447852ULL;

/// v0.16 to v0.20 counted the kinds of constants from 0; later versions use the FFI's type indices, of which Shape and
/// Tensor moved once. The newest first, in which files are written.
constexpr size_t kEras = 3;
struct ConstantRow {
  ValueKind kind;
  int32_t tags[kEras];
};
constexpr ConstantRow kConstants[] = {
    {ValueKind::Int, {1, 1, 4}},      {ValueKind::Float, {3, 3, 5}},   {ValueKind::Type, {5, 5, 1}},
    {ValueKind::String, {65, 65, 3}}, {ValueKind::Shape, {69, 71, 2}}, {ValueKind::Tensor, {70, 72, 0}},
};

/// A tensor beside the file, in every era; and from how many bytes on one is put there.
constexpr int32_t kPlacedTag = -2;
constexpr int64_t kPlacedFrom = 1024;

template <class Is>
const ConstantRow* constantRow(Is is) {
  const auto* row = std::find_if(std::begin(kConstants), std::end(kConstants), is);
  return row == std::end(kConstants) ? nullptr : row;
}

Value valueOr(Ref<HostTensor> tensor) { return tensor ? Value::of(std::move(tensor)) : Value{}; }

Value getConstant(ByteReader& in, size_t era, const PlacedBlocks& blocks) {
  const auto tag = in.get<int32_t>();
  if (tag == kPlacedTag) return valueOr(getPlacedTensor(in, blocks));
  const ConstantRow* row = constantRow([&](const ConstantRow& each) { return each.tags[era] == tag; });
  switch (row ? row->kind : ValueKind::Null) {
    case ValueKind::Tensor:
      return valueOr(getTensor(in));
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

Result<Unit> putConstant(ByteWriter& out, const Value& value, TensorBlocks* blocks) {
  if (blocks && value.is(ValueKind::Tensor) && value.tensor().bytes() >= kPlacedFrom) {
    out.put(kPlacedTag);
    putPlacedTensor(out, value.asTensor(), *blocks);
    return Unit{};
  }
  const ConstantRow* row = constantRow([&](const ConstantRow& each) { return each.kind == value.kind(); });
  if (!row) return fail("vm.file-constant", "a constant can not be written to a file: " + value.summary());
  out.put(row->tags[0]);
  if (row->kind == ValueKind::Tensor) putTensor(out, value.tensor());
  if (row->kind == ValueKind::Type) putType(out, value.asType());
  if (row->kind == ValueKind::Shape) out.words(value.asShape());
  if (row->kind == ValueKind::String) out.text(value.asString());
  if (row->kind == ValueKind::Int) out.put(value.asInt());
  if (row->kind == ValueKind::Float) out.put(value.asFloat());
  return Unit{};
}

/// Constants and code; false when the numbering of this era does not give a whole file.
bool getRest(ByteReader& in, size_t era, const PlacedBlocks& blocks, ExecutableParts& parts) {
  for (uint64_t left = in.count(4); left > 0 && !in.failed(); --left)
    parts.constants.push_back(getConstant(in, era, blocks));
  parts.instructionOffsets = in.words();
  parts.words = in.words();
  return !in.failed();
}

/// DebugSite::from, by the numbers of the instructions that have one.
using FromNames = std::vector<std::pair<uint64_t, std::string>>;

void getFromNames(ByteReader& in, std::vector<DebugSite>& sites) {
  FromNames names;
  in(names);
  for (auto& [pc, name] : names) {
    if (pc >= sites.size()) return in.fail();
    sites[pc].from = std::move(name);
  }
}

/// Whether a section with this mark comes next, which is then behind the reader.
bool takeMark(ByteReader& in, uint64_t mark) {
  ByteReader ahead = in;
  if (in.rest().empty() || ahead.get<uint64_t>() != mark) return false;
  in = ahead;
  return true;
}

}  // namespace

Result<ExecutableFile> readExecutable(std::string_view bytes, const PlacedBlocks& blocks) {
  ByteReader in(bytes);
  const auto magic = in.get<uint64_t>();
  if (magic != kFirstFormat && magic != kSecondFormat)
    return fail("vm.file", "this is not an executable of the Relax VM");
  const std::string version = in.text();
  if (in.failed() || version != kVersion) {
    return fail("vm.file", fmt::format("the executable has version \"{}\", \"{}\" can be read",
                                       escapedForDisplay(version), kVersion));
  }
  ExecutableFile file;
  in(file.parts.functions);
  if (magic == kSecondFormat) in(file.parts.memoryScopes);
  if (in.failed()) return fail("vm.file", "the executable is cut off, or its lengths are wrong");
  for (size_t era = 0; era < kEras; ++era) {
    ByteReader attempt = in;
    ExecutableFile candidate = file;
    if (!getRest(attempt, era, blocks, candidate.parts)) continue;
    if (takeMark(attempt, kDebugSection)) attempt(candidate.parts.debug);
    if (takeMark(attempt, kFromSection)) getFromNames(attempt, candidate.parts.debug.instructions);
    if (takeMark(attempt, kOriginSection)) attempt(candidate.origins);
    if (attempt.rest().empty() && !attempt.failed()) return candidate;
  }
  return fail("vm.file", "the executable is cut off, or its constants are of no known kind");
}

Result<std::string> writeExecutable(const ExecutableParts& parts, const std::string& origins, TensorBlocks* blocks) {
  ByteWriter out;
  out.put(kSecondFormat);
  out.text(kVersion);
  out(parts.functions, parts.memoryScopes);
  out.put<uint64_t>(parts.constants.size());
  for (const Value& value : parts.constants) RX_CHECK(putConstant(out, value, blocks));
  out.words(parts.instructionOffsets);
  out.words(parts.words);
  if (!parts.debug.empty()) out(kDebugSection, parts.debug);
  FromNames names;
  for (size_t pc = 0; pc < parts.debug.instructions.size(); ++pc)
    if (const std::string& from = parts.debug.instructions[pc].from; !from.empty()) names.emplace_back(pc, from);
  if (!names.empty()) out(kFromSection, names);
  if (!origins.empty()) out(kOriginSection, origins);
  return out.take();
}

}  // namespace rx::vm
