// TraceHistory: a run read back from a trace file, whole or cut. It can be walked and looked at like the live one.
#pragma once

#include <memory>
#include <unordered_map>

#include "core/debug/trace_codec.h"

namespace rx::debug {

class TraceHistory : public History {
 public:
  /// Reads a file up to its end or the first chunk that is not whole; fails with `trace.file` (missing, no trace) or
  /// `trace.damaged` (content that contradicts itself).
  static Result<std::unique_ptr<TraceHistory>> open(const std::string& path);

  const Program& program() const override { return program_; }
  bool canAdvance() const override { return false; }
  void advance() override {}
  Value registerAt(int64_t state, int activation, int reg) override;
  Value result() override { return rebuilt(result_, recorded()); }
  std::vector<LiveStorage> liveAt(int64_t state) override;
  int64_t peakBytes() const override { return peak_; }

 private:
  using Flat = TraceIn::Flat;
  struct Write {
    int64_t step;
    int64_t offset;
    std::string bytes;
  };
  struct Memory {
    int64_t bytes = 0;
    uint8_t form = 0;  ///< 0 fresh, 1 `content`, 2 not kept
    std::string content;
    std::vector<Write> writes;  ///< in the order of the steps
    Ref<Storage> first;         ///< the content as memory, made when a description needs it
  };
  struct Set {
    int64_t state;  ///< from this state on
    Flat value;
  };

  Result<Unit> read(std::string_view bytes);
  bool takeStorage(TraceIn& in);
  bool takeBegin(TraceIn& in);
  bool takeStep(TraceIn& in);
  bool takeEnd(TraceIn& in);
  bool takeArguments(TraceIn& in, int activation);
  bool sound(const Flat& value) const;
  Value rebuilt(const Flat& flat, int64_t state) const;
  /// The value with the right type and shape, but the bytes that its memory had at first.
  Value described(const Flat& flat);
  const Flat* find(int64_t state, int activation, int reg) const;
  void collect(const Flat& value, std::vector<LiveStorage>& live) const;

  Program program_;
  std::unordered_map<uint64_t, Memory> memory_;
  std::vector<std::vector<std::vector<Set>>> registers_;  ///< by activation and register
  Flat result_;
  int64_t peak_ = 0;
};

}  // namespace rx::debug
