#include "core/debug/trace_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace rx::debug {

namespace {

/// Memory that was there before the run (weights, inputs) is copied into the trace up to this size a piece; larger
/// pieces are named without their bytes.
constexpr int64_t kMaxInitialBytes = int64_t{256} << 20;

}  // namespace

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const std::string& path, const Program& program) {
  int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0)
    return fail("trace.file", "cannot write the trace " + escapedForDisplay(path) + ": " + std::strerror(errno));
  std::unique_ptr<TraceWriter> writer(new TraceWriter(path, file));
  std::string magic(kTraceMagic);
  if (::write(file, magic.data(), magic.size()) != static_cast<ssize_t>(magic.size()))
    return fail("trace.file", "cannot write the trace " + escapedForDisplay(path) + ": " + std::strerror(errno));
  writer->chunk(TraceTag::Program, programBytes(program));
  return writer;
}

TraceWriter::~TraceWriter() { ::close(file_); }

void TraceWriter::chunk(TraceTag tag, const std::string& content) {
  if (!problem_.empty()) return;
  TraceOut out;
  out.number(static_cast<uint32_t>(tag));
  out.text(content);
  std::string_view rest = out.bytes();
  while (!rest.empty()) {
    ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      problem_ = "the trace " + escapedForDisplay(path_) + " ends here: " + std::strerror(errno);
      return;
    }
    rest.remove_prefix(static_cast<size_t>(written));
  }
}

void TraceWriter::storage(uint64_t id, const Storage& storage) {
  if (!known_.insert(id).second) return;
  TraceOut out;
  out.number(id);
  out.number(storage.bytes());
  const std::byte *begin = storage.data(), *end = begin + storage.bytes();
  bool fresh = std::all_of(begin, end, [](std::byte b) { return b == Storage::kFreshFill; });
  bool kept = !fresh && storage.bytes() <= kMaxInitialBytes;
  out.number<uint8_t>(fresh ? 0 : kept ? 1 : 2);
  out.text(kept ? std::string_view(reinterpret_cast<const char*>(begin), static_cast<size_t>(storage.bytes()))
                : std::string_view());
  chunk(TraceTag::Storage, out.bytes());
}

void TraceWriter::storages(const Value& value) {
  if (value.kind == ValueKind::Tensor) storage(value.storage, *value.tensor->storage());
  if (value.kind == ValueKind::Storage) storage(value.storage, *value.memory);
  for (const Value& item : value.items) storages(item);
}

void TraceWriter::begin(int function, int64_t instruction, const std::vector<Value>& arguments) {
  for (const Value& value : arguments) storages(value);
  TraceOut out;
  out.number(function);
  out.number(instruction);
  out.number<uint64_t>(arguments.size());
  for (const Value& value : arguments) out.value(value);
  chunk(TraceTag::Begin, out.bytes());
}

void TraceWriter::step(const StepRecord& record, int pushed, int64_t next, const std::vector<Value>& arguments,
                       const std::vector<WrittenMemory>& memory, int64_t peak) {
  storages(record.value);
  for (const Value& value : arguments) storages(value);
  for (const Produced& produced : record.produced) storages(produced.value);
  TraceOut out;
  out.number(record.instruction);
  out.number(record.activation);
  out.number(record.dst);
  out.number(record.dstActivation);
  out.number(record.nanoseconds);
  out.number(record.compiling);
  out.number<uint8_t>(record.nonFinite);
  out.number(pushed);
  out.number(next);
  out.number(peak);
  out.value(record.value);
  out.number<uint64_t>(record.produced.size());
  for (const Produced& produced : record.produced) {
    out.number(produced.reg);
    out.stats(produced.stats);
    out.value(produced.value);
  }
  out.number<uint64_t>(arguments.size());
  for (const Value& value : arguments) out.value(value);
  out.number<uint64_t>(memory.size());
  for (const WrittenMemory& written : memory) {
    out.number(written.storage);
    out.number(written.offset);
    out.text(written.bytes);
  }
  chunk(TraceTag::Step, out.bytes());
}

void TraceWriter::end(RunEnd end, const std::vector<Diagnostic>& failure, const Value& result) {
  storages(result);
  TraceOut out;
  out.number(static_cast<uint8_t>(end));
  out.number<uint64_t>(failure.size());
  for (const Diagnostic& d : failure) {
    out.text(d.rule);
    out.text(d.message);
    out.text(d.context);
    out.number<uint64_t>(d.notes.size());
    for (const DiagnosticNote& note : d.notes) out.text(note.message);
  }
  out.value(result);
  chunk(TraceTag::End, out.bytes());
}

}  // namespace rx::debug
