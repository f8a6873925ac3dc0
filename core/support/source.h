// Source texts and places in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/ref.h"

namespace rx {

/// A half-open byte range of one source text. `file` indexes the list of sources that goes with the IR
/// (IRModule::sources, DiagnosticList); a default Span is "no place".
struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t file = kNone;
  static constexpr uint32_t kNone = 0xffffffff;
  bool known() const { return file != kNone; }
  bool operator==(const Span&) const = default;
};

/// One-based line and column (columns count UTF-8 code points).
struct LineColumn {
  uint32_t line = 0;
  uint32_t column = 0;
};

/// One text with its name, immutable; line starts are found once.
class SourceFile : public Object {
 public:
  SourceFile(std::string name, std::string text);
  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  LineColumn lineColumn(uint32_t offset) const;
  uint32_t lineCount() const { return static_cast<uint32_t>(lineStarts_.size()); }
  /// The text of a one-based line without its line break; empty when out of range.
  std::string_view line(uint32_t number) const;
  /// Byte offset of the start of a one-based line.
  uint32_t lineStart(uint32_t number) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<uint32_t> lineStarts_;
};

}  // namespace rx
