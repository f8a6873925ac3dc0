#include "core/vm/executable_file.h"

#include <cstring>
#include <nlohmann/json.hpp>

namespace rx::vm {
namespace {

constexpr uint64_t kMagicV1 = 0xD225DE2F4214151DULL;
constexpr uint64_t kMagicV2 = 0xD225DE2F4214151EULL;
constexpr uint64_t kDebugMagic = 0x3130676265447852ULL;  // "RxDebg01"
constexpr uint64_t kTensorMagic = 0xDD5E40F096B4A13FULL;
constexpr std::string_view kVersion = "0.14";

/// Numbers of the kinds of constants. v0.16 to v0.20 counted from 0; later versions use the FFI's type indices, of
/// which Shape and Tensor moved once.
enum Tag : int32_t { kTagInt = 1, kTagFloat = 3, kTagType = 5, kTagString = 65, kTagShape = 69, kTagTensor = 70 };
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

class Writer {
 public:
  template <class T>
  void put(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view s) {
    put<uint64_t>(s.size());
    out_ += s;
  }
  void words(const std::vector<Word>& values) {
    put<uint64_t>(values.size());
    for (Word w : values) put(w);
  }
  void raw(const void* data, size_t bytes) { out_.append(static_cast<const char*>(data), bytes); }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

/// A reader that remembers that it ran past the end; every length is checked against what is left.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  T get() {
    T value{};
    if (rest_.size() < sizeof value) {
      failed_ = true;
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  /// A count of things that take at least `each` bytes.
  uint64_t count(uint64_t each) {
    const auto n = get<uint64_t>();
    if (n > rest_.size() / each) failed_ = true;
    return failed_ ? 0 : n;
  }
  std::string_view raw(uint64_t bytes) {
    if (bytes > rest_.size()) failed_ = true;
    if (failed_) return {};
    const std::string_view result = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return result;
  }
  std::string text() { return std::string(raw(count(1))); }
  std::vector<Word> words() {
    std::vector<Word> result(count(sizeof(Word)));
    for (Word& w : result) w = get<Word>();
    return result;
  }
  bool failed() const { return failed_; }
  void fail() { failed_ = true; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

/// DLPack's type codes.
constexpr std::pair<uint8_t, TypeCode> kDlCodes[] = {
    {0, TypeCode::Int},
    {1, TypeCode::UInt},
    {2, TypeCode::Float},
    {3, TypeCode::Handle},
    {4, TypeCode::BFloat},
    {6, TypeCode::Bool},
    {7, TypeCode::Float8E3M4},
    {8, TypeCode::Float8E4M3},
    {9, TypeCode::Float8E4M3B11FNUZ},
    {10, TypeCode::Float8E4M3FN},
    {11, TypeCode::Float8E4M3FNUZ},
    {12, TypeCode::Float8E5M2},
    {13, TypeCode::Float8E5M2FNUZ},
    {14, TypeCode::Float8E8M0FNU},
    {15, TypeCode::Float6E2M3FN},
    {16, TypeCode::Float6E3M2FN},
    {17, TypeCode::Float4E2M1FN},
};

void putType(Writer& out, DataType dtype) {
  uint8_t code = 0;
  for (const auto& [dl, ours] : kDlCodes) {
    if (ours == dtype.code) code = dl;
  }
  out.put<uint8_t>(code);
  out.put<uint8_t>(dtype.bits);
  out.put<int16_t>(dtype.isVoid() ? 0 : dtype.lanes);
}

DataType getType(Reader& in) {
  const auto code = in.get<uint8_t>();
  DataType dtype;
  dtype.bits = in.get<uint8_t>();
  dtype.lanes = in.get<int16_t>();
  bool known = false;
  for (const auto& [dl, ours] : kDlCodes) {
    if (dl != code) continue;
    dtype.code = ours;
    known = true;
  }
  if (dtype.code == TypeCode::Handle && dtype.bits == 0) return DataType::Void();
  if (dtype.code == TypeCode::UInt && dtype.bits == 1) dtype = DataType::Bool(dtype.lanes);  // bool before v0.21
  if (!known || dtype.bits == 0 || dtype.lanes == 0) in.fail();
  return dtype;
}

void putTensor(Writer& out, const HostTensor& tensor) {
  out.put<uint64_t>(kTensorMagic);
  out.put<uint64_t>(0);
  out.put<int32_t>(1);  // CPU
  out.put<int32_t>(0);
  out.put<int32_t>(static_cast<int32_t>(tensor.rank()));
  putType(out, tensor.dtype());
  for (int64_t dim : tensor.shape()) out.put(dim);
  out.put<int64_t>(tensor.bytes());
  out.raw(tensor.data(), static_cast<size_t>(tensor.bytes()));
}

Value getTensor(Reader& in) {
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

Result<Unit> putConstant(Writer& out, const Value& value) {
  switch (value.kind()) {
    case ValueKind::Tensor:
      out.put<int32_t>(kTagTensor);
      putTensor(out, value.tensor());
      return Unit{};
    case ValueKind::Type:
      out.put<int32_t>(kTagType);
      putType(out, value.asType());
      return Unit{};
    case ValueKind::Shape:
      out.put<int32_t>(kTagShape);
      out.words(value.asShape());
      return Unit{};
    case ValueKind::String:
      out.put<int32_t>(kTagString);
      out.text(value.asString());
      return Unit{};
    case ValueKind::Int:
      out.put<int32_t>(kTagInt);
      out.put(value.asInt());
      return Unit{};
    case ValueKind::Float:
      out.put<int32_t>(kTagFloat);
      out.put(value.asFloat());
      return Unit{};
    default:
      return fail("vm.file-constant", "a constant can not be written to a file: " + value.summary());
  }
}

Value getConstant(Reader& in, Era era) {
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

FunctionInfo getFunction(Reader& in) {
  FunctionInfo f;
  f.kind = static_cast<FunctionKind>(in.get<int32_t>());
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
bool getRest(Reader& in, Era era, ExecutableParts& parts) {
  const uint64_t constants = in.count(4);
  for (uint64_t i = 0; i < constants && !in.failed(); ++i) parts.constants.push_back(getConstant(in, era));
  parts.instructionOffsets = in.words();
  parts.words = in.words();
  return !in.failed();
}

nlohmann::json originJson(const OriginRef& origin) {
  if (!origin) return nullptr;
  auto sites = nlohmann::json::array();
  for (const OriginSite& site : origin->sites) {
    sites.push_back({site.function.string(), site.block, site.binding, site.name.string(), site.span.begin,
                     site.span.end, site.span.file});
  }
  return {{"pass", origin->pass.string()}, {"sites", std::move(sites)}};
}

OriginRef originFrom(const nlohmann::json& json) {
  if (json.is_null()) return nullptr;
  std::vector<OriginSite> sites;
  for (const auto& row : json.at("sites")) {
    sites.push_back({Str(row.at(0).get<std::string>()), row.at(1).get<uint32_t>(), row.at(2).get<uint32_t>(),
                     Str(row.at(3).get<std::string>()),
                     Span{row.at(4).get<uint32_t>(), row.at(5).get<uint32_t>(), row.at(6).get<uint32_t>()}});
  }
  return rx::make<Origin>(Array<OriginSite>(std::move(sites)), Str(json.at("pass").get<std::string>()));
}

std::string debugJson(const DebugInfo& debug) {
  auto instructions = nlohmann::json::array();
  for (const DebugSite& s : debug.instructions) {
    instructions.push_back(
        {s.known, s.block, s.binding, s.variable, s.span.begin, s.span.end, s.span.file, originJson(s.origin)});
  }
  auto functions = nlohmann::json::array();
  for (const FunctionDebug& f : debug.functions) {
    auto slots = nlohmann::json::array();
    for (const auto& [slot, text] : f.heapSlots) slots.push_back({slot, text});
    functions.push_back({{"registers", f.registers}, {"slots", std::move(slots)}});
  }
  return nlohmann::json{{"instructions", std::move(instructions)}, {"functions", std::move(functions)}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<DebugInfo> debugFrom(std::string_view text) {
  DebugInfo debug;
  try {
    const auto json = nlohmann::json::parse(text);
    for (const auto& row : json.at("instructions")) {
      DebugSite site;
      site.known = row.at(0).get<bool>();
      site.block = row.at(1).get<uint32_t>();
      site.binding = row.at(2).get<uint32_t>();
      site.variable = row.at(3).get<std::string>();
      site.span = {row.at(4).get<uint32_t>(), row.at(5).get<uint32_t>(), row.at(6).get<uint32_t>()};
      site.origin = originFrom(row.at(7));
      debug.instructions.push_back(std::move(site));
    }
    for (const auto& row : json.at("functions")) {
      FunctionDebug f;
      f.registers = row.at("registers").get<std::vector<std::string>>();
      for (const auto& slot : row.at("slots")) f.heapSlots[slot.at(0).get<int64_t>()] = slot.at(1).get<std::string>();
      debug.functions.push_back(std::move(f));
    }
  } catch (const nlohmann::json::exception& error) {
    return fail("vm.file", fmt::format("the debug section can not be read: {}", escapedForDisplay(error.what())));
  }
  return debug;
}

}  // namespace

Result<std::string> executableBytes(const Executable& executable) {
  const ExecutableParts& parts = executable.parts();
  Writer out;
  out.put(kMagicV2);
  out.text(kVersion);
  out.put<uint64_t>(parts.functions.size());
  for (const FunctionInfo& f : parts.functions) {
    out.put(static_cast<int32_t>(f.kind));
    out.text(f.name);
    for (Word word : {f.start, f.end, f.numArgs, f.registerCount}) out.put(word);
    out.put<uint64_t>(f.paramNames.size());
    for (const std::string& name : f.paramNames) out.text(name);
  }
  out.put<uint64_t>(parts.memoryScopes.size());
  for (const auto& [index, scope] : parts.memoryScopes) {
    out.put(index);
    out.text(scope);
  }
  out.put<uint64_t>(parts.constants.size());
  for (const Value& value : parts.constants) RX_CHECK(putConstant(out, value));
  out.words(parts.instructionOffsets);
  out.words(parts.words);
  if (!parts.debug.empty()) {
    out.put(kDebugMagic);
    out.text(debugJson(parts.debug));
  }
  return out.take();
}

Result<Ref<Executable>> parseExecutable(std::string_view bytes) {
  Reader in(bytes);
  const auto magic = in.get<uint64_t>();
  if (magic != kMagicV1 && magic != kMagicV2) return fail("vm.file", "this is not an executable of the Relax VM");
  const std::string version = in.text();
  if (in.failed() || version != kVersion) {
    return fail("vm.file", fmt::format("the executable has version \"{}\", \"{}\" can be read",
                                       escapedForDisplay(version), kVersion));
  }
  ExecutableParts parts;
  const uint64_t functions = in.count(52);
  for (uint64_t i = 0; i < functions && !in.failed(); ++i) parts.functions.push_back(getFunction(in));
  if (magic == kMagicV2) {
    const uint64_t scopes = in.count(16);
    for (uint64_t i = 0; i < scopes && !in.failed(); ++i) {
      const auto index = in.get<int64_t>();
      parts.memoryScopes[index] = in.text();
    }
  }
  if (in.failed()) return fail("vm.file", "the executable is cut off, or its lengths are wrong");
  for (Era era : kEras) {
    Reader attempt = in;
    ExecutableParts candidate = parts;
    if (!getRest(attempt, era, candidate)) continue;
    if (attempt.rest().size() >= 16 && attempt.get<uint64_t>() == kDebugMagic) {
      RX_TRY(debug, debugFrom(attempt.text()));
      candidate.debug = std::move(debug);
    }
    if (!attempt.rest().empty() || attempt.failed()) continue;
    return Executable::make(std::move(candidate));
  }
  return fail("vm.file", "the executable is cut off, or its constants are of no known kind");
}

}  // namespace rx::vm
