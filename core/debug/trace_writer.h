// TraceWriter: appends a run to a file while it goes on. Each call is one write to the system, so what happened before
// the process dies is in the file, however it dies.
#pragma once

#include <memory>
#include <unordered_set>

#include "core/debug/trace_codec.h"

namespace rx::debug {

/// Bytes that a step wrote.
struct WrittenMemory {
  uint64_t storage = 0;
  int64_t offset = 0;
  std::string_view bytes;
};

class TraceWriter {
 public:
  /// Creates the file, or empties it; fails with `trace.file`.
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& path, const Program& program);
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  const std::string& path() const { return path_; }
  /// The outermost call; `registers` are its arguments.
  void begin(int function, int64_t instruction, const std::vector<Value>& arguments);
  /// `pushed` and `next` as for History::append; `arguments` are those of a pushed frame; `peak` bytes were alive at
  /// once so far.
  void step(const StepRecord& record, int pushed, int64_t next, const std::vector<Value>& arguments,
            const std::vector<WrittenMemory>& memory, int64_t peak);
  void end(RunEnd end, const std::vector<Diagnostic>& failure, const Value& result);
  /// Why writing stopped, empty while it works: a full disk ends the trace, not the run.
  const std::string& problem() const { return problem_; }

 private:
  TraceWriter(std::string path, int file) : path_(std::move(path)), file_(file) {}
  void chunk(TraceTag tag, const std::string& content);
  /// Writes the memory that a value refers to and that the file does not have yet.
  void storages(const Value& value);
  void storage(uint64_t id, const Storage& storage);

  std::string path_;
  int file_;
  std::string problem_;
  std::unordered_set<uint64_t> known_;
};

}  // namespace rx::debug
