#include "core/tensor/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <set>
#include <span>

#include "core/support/file.h"
#include "core/tensor/safetensors.h"
#include "core/tensor/zip.h"

namespace rx {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr uint64_t kMostHeader = 1 << 17;  // of an array: NumPy's own are 64 to 192 bytes

struct Descr {
  char kind;
  uint8_t bytes;
  DataType dtype;
};
// NumPy's kind letters; 'V' rows are ml_dtypes' way (see npy.h).
constexpr std::array kDescrs = {
    Descr{'b', 1, DataType::Bool()},     Descr{'i', 1, DataType::Int(8)},    Descr{'i', 2, DataType::Int(16)},
    Descr{'i', 4, DataType::Int(32)},    Descr{'i', 8, DataType::Int(64)},   Descr{'u', 1, DataType::UInt(8)},
    Descr{'u', 2, DataType::UInt(16)},   Descr{'u', 4, DataType::UInt(32)},  Descr{'u', 8, DataType::UInt(64)},
    Descr{'f', 2, DataType::Float(16)},  Descr{'f', 4, DataType::Float(32)}, Descr{'f', 8, DataType::Float(64)},
    Descr{'V', 2, DataType::BFloat16()},
};

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<int64_t> shape;
};

/// Reads the Python dictionary of the header: three known keys in any order.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  std::optional<Header> parse() {
    Header header;
    if (!take('{')) return std::nullopt;
    std::set<std::string> seen;
    while (!take('}')) {
      const auto key = string();
      if (!key || !take(':') || !seen.insert(*key).second || !value(*key, header)) return std::nullopt;
      if (!take(',') && !peek('}')) return std::nullopt;
    }
    if (seen.size() != 3) return std::nullopt;
    return header;
  }

 private:
  void skip() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n' || text_[0] == '\t')) text_.remove_prefix(1);
  }
  bool peek(char c) {
    skip();
    return !text_.empty() && text_[0] == c;
  }
  bool take(char c) {
    if (!peek(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool word(std::string_view expected) {
    skip();
    if (!text_.starts_with(expected)) return false;
    text_.remove_prefix(expected.size());
    return true;
  }
  std::optional<std::string> string() {
    const char quote = peek('"') ? '"' : '\'';
    if (!take(quote)) return std::nullopt;
    const size_t end = text_.find(quote);
    if (end == std::string_view::npos) return std::nullopt;
    std::string result(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return result;
  }
  bool dims(std::vector<int64_t>& shape) {
    if (!take('(')) return false;
    while (!take(')')) {
      skip();
      int64_t dim = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), dim);
      if (error != std::errc() || dim < 0) return false;
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      shape.push_back(dim);
      if (!take('L') && !peek(',') && !peek(')')) return false;  // Python 2 wrote 3L
      if (!take(',') && !peek(')')) return false;
    }
    return true;
  }
  bool value(const std::string& key, Header& header) {
    if (key == "descr") {
      const auto descr = string();
      if (!descr) return false;
      header.descr = *descr;
      return true;
    }
    if (key == "fortran_order") {
      header.fortran = peek('T');
      return word(header.fortran ? "True" : "False");
    }
    return key == "shape" && dims(header.shape);
  }

  std::string_view text_;
};

struct ElementType {
  DataType dtype;
  bool swap = false;
};

Result<ElementType> elementType(const std::string& descr, DataType voidType) {
  auto refused = [&](const char* why) {
    return fail("npy.dtype", fmt::format("elements of type '{}' can not be read: {}", escapedForDisplay(descr), why));
  };
  if (descr.size() < 3) return refused("this is no NumPy type");
  const bool swap = descr[0] == '>';
  if (descr[1] == 'O') return refused("Python objects need Python to be read");
  int bytes = 0;
  const auto [end, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), bytes);
  if (error != std::errc() || end != descr.data() + descr.size()) return refused("this is no plain number type");
  if (descr[1] == 'V' && !voidType.isVoid() && voidType.bytes() == bytes) return ElementType{voidType, swap};
  for (const Descr& row : kDescrs) {
    if (row.kind == descr[1] && row.bytes == bytes) return ElementType{row.dtype, swap && bytes > 1};
  }
  return refused(descr[1] == 'V' ? "the file does not say which type it is" : "there is no tensor of this type");
}

void swapBytes(std::byte* data, int64_t count, int64_t width) {
  for (int64_t i = 0; i < count; ++i) std::reverse(data + i * width, data + (i + 1) * width);
}

/// Copies column-major elements into row-major order.
void transposeInto(std::byte* out, const char* in, const std::vector<int64_t>& shape, int64_t width) {
  std::vector<int64_t> index(shape.size(), 0);
  std::vector<int64_t> stride(shape.size(), 1);
  for (size_t d = 1; d < shape.size(); ++d) stride[d] = stride[d - 1] * shape[d - 1];
  const int64_t count = elementCount(shape).value_or(0);
  int64_t from = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(out + i * width, in + from * width, static_cast<size_t>(width));
    for (size_t d = shape.size(); d-- > 0;) {
      from += stride[d];
      if (++index[d] < shape[d]) break;
      from -= stride[d] * shape[d];
      index[d] = 0;
    }
  }
}

Failure badHeader(const char* what) { return fail("npy.header", fmt::format("this is not an .npy file: {}", what)); }

/// Splits the file into its header text and its data.
Result<std::pair<std::string_view, std::string_view>> splitHeader(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < 10) return badHeader("its first bytes are not NumPy's");
  const auto major = static_cast<uint8_t>(bytes[6]);
  if (major < 1 || major > 3) return badHeader("its version is none of 1.0, 2.0, 3.0");
  const size_t lengthBytes = major == 1 ? 2 : 4;
  if (bytes.size() < 8 + lengthBytes) return badHeader("it is cut off");
  uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 8, lengthBytes);
  const std::string_view rest = bytes.substr(8 + lengthBytes);
  if (length > rest.size()) return badHeader("its header is cut off");
  return std::pair(rest.substr(0, length), rest.substr(length));
}

std::string descrOf(DataType dtype) {
  for (const Descr& row : kDescrs) {
    if (row.dtype == dtype)
      return fmt::format("{}{}{}",
                         row.kind == 'b' || row.kind == 'V' || row.bytes > 1 ? (row.kind == 'b' ? '|' : '<') : '|',
                         row.kind, row.bytes);
  }
  return fmt::format("<V{}", dtype.bytes());
}

/// What stands before the elements.
struct Head {
  std::string descr;
  ElementType type;
  bool fortran = false;
  std::vector<int64_t> shape;
  size_t length = 0;  ///< bytes
};

Result<Head> headOf(std::string_view bytes, DataType voidType) {
  RX_TRY(parts, splitHeader(bytes));
  auto header = HeaderParser(parts.first).parse();
  if (!header) return badHeader("its header does not say descr, fortran_order and shape");
  RX_TRY(type, elementType(header->descr, voidType));
  return Head{std::move(header->descr), type, header->fortran, std::move(header->shape),
              bytes.size() - parts.second.size()};
}

Failure inFile(Diagnostic diagnostic, const std::string& path) {
  diagnostic.message = path + ": " + diagnostic.message;
  return fail(std::move(diagnostic));
}

Failure inEntry(Diagnostic diagnostic, const std::string& name) {
  diagnostic.message = fmt::format("entry \"{}\": {}", escapedForDisplay(name), diagnostic.message);
  return fail(std::move(diagnostic));
}

std::string arrayName(std::string entry) {
  if (entry.ends_with(".npy")) entry.resize(entry.size() - 4);
  return entry;
}

/// Whether an entry, of which only the beginning was inflated, is an array of just its size.
Result<Unit> checkEntry(const ZipPart& entry) {
  RX_TRY(head, headOf(entry.bytes, DataType::Void()));
  const auto needed = tensorBytes(head.shape, head.type.dtype);
  if (needed && head.length + static_cast<uint64_t>(*needed) == entry.size) return Unit{};
  return fail("npy.size", fmt::format("an array {} of '{}' is not {} bytes long", shapeText(head.shape),
                                      escapedForDisplay(head.descr), entry.size));
}

/// An array of an archive goes by one name alone, and two of one name would hide each other.
Result<Unit> checkArrayNames(const std::vector<ZipPart>& entries) {
  std::set<std::string> names;
  for (const ZipPart& entry : entries)
    if (!names.insert(arrayName(entry.name)).second)
      return fail("npz.name", fmt::format("\"{}\" is the name of two arrays", escapedForDisplay(entry.name)));
  return Unit{};
}

/// Gives `parse` the bytes of a file and what keeps them. Of a small file nothing does, so that all is copied: who
/// writes it anew later changes nothing here.
template <class Parse>
auto readWhole(const std::string& path, Parse parse) -> decltype(parse(std::string_view(), nullptr)) {
  constexpr uint64_t kMapFrom = uint64_t{1} << 26;  // bytes
  RX_TRY(file, MappedFile::open(path));
  const std::string_view bytes = file->bytes();
  const bool large = bytes.size() >= kMapFrom;
  auto result = parse(bytes, large ? file : nullptr);
  if (result) return result;
  return inFile(result.diagnostics()[0], path);
}

/// Elements where they lie, or a copy of those that lie where their type may not.
Result<Ref<Storage>> kept(std::string_view body, DataType dtype, const std::shared_ptr<const void>& owner) {
  const auto bytes = std::as_bytes(std::span(body));
  const auto natural = static_cast<uintptr_t>(std::max<int64_t>(1, dtype.bytes()));
  if (reinterpret_cast<uintptr_t>(bytes.data()) % natural != 0) return Storage::copyOf(bytes, owner);
  return Storage::external(bytes.data(), static_cast<int64_t>(bytes.size()), owner);
}

}  // namespace

Result<Ref<HostTensor>> parseNpy(std::string_view bytes, DataType voidType, const std::shared_ptr<const void>& owner) {
  RX_TRY(head, headOf(bytes, voidType));
  const std::string_view body = bytes.substr(head.length);
  const auto needed = tensorBytes(head.shape, head.type.dtype);
  if (!needed || *needed > static_cast<int64_t>(body.size())) {
    return fail("npy.size", fmt::format("an array {} of '{}' needs {} bytes, the file has {}", shapeText(head.shape),
                                        escapedForDisplay(head.descr),
                                        needed ? fmt::format("{}", *needed) : "far too many", body.size()));
  }
  if (*needed < static_cast<int64_t>(body.size()))
    return fail("npy.size", fmt::format("an array {} of '{}' ends {} bytes before its file", shapeText(head.shape),
                                        escapedForDisplay(head.descr), static_cast<int64_t>(body.size()) - *needed));
  const bool fortran = head.fortran && head.shape.size() > 1;
  const bool swapped = head.type.swap;
  if (owner && !fortran && !swapped) {
    RX_TRY(storage, kept(body, head.type.dtype, owner));
    return HostTensor::view(storage, 0, head.shape, head.type.dtype);
  }
  RX_TRY(tensor, HostTensor::allocate(head.shape, head.type.dtype));
  std::byte* data = tensor->mutableData();
  if (fortran) {
    transposeInto(data, body.data(), tensor->shape(), tensor->elementBytes());
  } else if (*needed > 0) {
    std::memcpy(data, body.data(), static_cast<size_t>(*needed));
  }
  if (swapped) swapBytes(data, tensor->count(), tensor->elementBytes());
  return tensor;
}

Result<Ref<HostTensor>> readNpy(const std::string& path, DataType voidType) {
  return readWhole(path, [&](std::string_view bytes, const std::shared_ptr<const void>& owner) {
    return parseNpy(bytes, voidType, owner);
  });
}

Result<std::string> npyBytes(const HostTensor& tensor) {
  if (!isStorable(tensor.dtype())) {
    return fail("npy.dtype", fmt::format("\"{}\" can not be written as .npy", tensor.dtype().str()));
  }
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descrOf(tensor.dtype()),
                                   shapeText(tensor.shape()));
  // The data starts at a multiple of 64 bytes; the header ends in a line break.
  const bool large = header.size() + 64 > 0xffff;
  const size_t prefix = large ? 12 : 10;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  std::string out(kMagic);
  out += large ? '\2' : '\1';
  out += '\0';
  const auto length = static_cast<uint32_t>(header.size());
  out.append(reinterpret_cast<const char*>(&length), large ? 4 : 2);
  out += header;
  out.append(reinterpret_cast<const char*>(tensor.data()), static_cast<size_t>(tensor.bytes()));
  return out;
}

Result<Unit> writeNpy(const std::string& path, const HostTensor& tensor) {
  RX_TRY(bytes, npyBytes(tensor));
  return writeFile(path, bytes);
}

Result<std::vector<NamedTensor>> parseNpz(std::string_view bytes, const std::shared_ptr<const void>& owner) {
  RX_TRY(heads, readZip(bytes, kMostHeader));
  RX_CHECK(checkArrayNames(heads));
  for (const ZipPart& entry : heads)
    if (const auto fits = checkEntry(entry); !fits) return inEntry(fits.diagnostics()[0], entry.name);
  RX_TRY(entries, readZip(bytes));
  std::vector<NamedTensor> result;
  for (ZipPart& entry : entries) {
    std::shared_ptr<const void> keeper = entry.owner;
    auto tensor = parseNpy(entry.bytes, DataType::Void(), keeper ? keeper : owner);
    if (!tensor) return inEntry(tensor.diagnostics()[0], entry.name);
    result.emplace_back(arrayName(std::move(entry.name)), *tensor);
    entry = {};
  }
  return result;
}

Result<std::vector<NamedTensor>> readNpz(const std::string& path) {
  return readWhole(
      path, [](std::string_view bytes, const std::shared_ptr<const void>& owner) { return parseNpz(bytes, owner); });
}

Result<std::vector<ArrayHeader>> arrayHeaders(const std::string& path) {
  std::vector<ArrayHeader> headers;
  if (path.ends_with(".safetensors")) {
    RX_TRY(tensors, readSafetensors(path));  // which maps the file and reads its table
    for (auto& [name, tensor] : tensors) headers.push_back({std::move(name), tensor->shape(), tensor->dtype()});
    return headers;
  }
  RX_TRY(file, MappedFile::open(path));
  std::vector<ZipPart> parts{{{}, file->bytes().size(), file->bytes(), nullptr}};
  if (!path.ends_with(".npy")) {
    auto entries = readZip(file->bytes(), kMostHeader);
    if (!entries) return inFile(entries.diagnostics()[0], path);
    if (const auto named = checkArrayNames(*entries); !named) return inFile(named.diagnostics()[0], path);
    parts = std::move(*entries);
  }
  for (ZipPart& part : parts) {
    auto head = headOf(part.bytes, DataType::Void());
    if (!head) return inFile(head.diagnostics()[0], path);
    headers.push_back({arrayName(std::move(part.name)), std::move(head->shape), head->type.dtype});
  }
  return headers;
}

Result<Unit> writeNpz(const std::string& path, const std::vector<NamedTensor>& tensors, bool compress) {
  std::vector<ZipEntry> entries;
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : tensors) {
    if (name.empty() || name.size() > 0xf000 || !names.insert(name).second) {
      return fail("npz.name", fmt::format("\"{}\" is empty, too long, or used twice", escapedForDisplay(name)));
    }
    RX_TRY(bytes, npyBytes(*tensor));
    entries.push_back({name + ".npy", std::move(bytes)});
  }
  RX_TRY(archive, zipBytes(entries, compress));
  return writeFile(path, archive);
}

}  // namespace rx
