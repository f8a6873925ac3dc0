#include "core/store/run_end.h"

namespace rx::store {

void encodeRunEnd(ByteOut& out, const RunEnd& end) {
  out.byte(end.failed);
  out.number(end.diagnostics.size());
  for (const Diagnostic& d : end.diagnostics) {
    out.byte(static_cast<uint8_t>(d.severity));
    for (const std::string* text : {&d.rule, &d.message, &d.context, &d.fix}) out.text(*text);
    out.number(d.notes.size());
    for (const DiagnosticNote& note : d.notes) out.text(note.message);
  }
  out.text(end.details);
  out.byte(end.result.has_value());
  if (!end.result) return;
  ValueEncoder value;
  value.value(*end.result);
  out.text(value.bytes());
}

std::optional<RunEnd> decodeRunEnd(std::string_view bytes) {
  ByteIn in(bytes);
  RunEnd end;
  end.failed = in.byte() != 0;
  const size_t count = in.count();
  for (size_t i = 0; i < count && in.ok(); ++i) {
    Diagnostic d;
    const uint8_t severity = in.byte();
    if (severity > static_cast<uint8_t>(Severity::Error)) return {};
    d.severity = static_cast<Severity>(severity);
    for (std::string* text : {&d.rule, &d.message, &d.context, &d.fix}) *text = in.text();
    const size_t notes = in.count();
    for (size_t n = 0; n < notes && in.ok(); ++n) d.notes.push_back({std::string(in.text()), {}});
    end.diagnostics.push_back(std::move(d));
  }
  end.details = in.text();
  if (in.byte() != 0) {
    auto result = decodeValue(in.text());
    if (!result) return {};
    end.result = std::move(*result);
  }
  if (!in.ok() || !in.atEnd()) return {};
  return end;
}

}  // namespace rx::store
