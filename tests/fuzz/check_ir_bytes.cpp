#include <map>

#include "checks.h"
#include "core/compile/compile.h"
#include "core/compile/request/history_bytes.h"
#include "core/compile/request/languages.h"
#include "core/compile/request/passes.h"
#include "core/ir/origin.h"
#include "core/script/json.h"
#include "core/script/parse.h"

namespace rx::fuzz {

namespace {

/// What the default pipeline makes of the module, as bytes; none where it is refused.
std::string stagesOf(const std::string& text) {
  const auto module = script::parseModule(make<SourceFile>("seed.py", text));
  if (!module || !compile::wellFormed(*module).empty()) return {};
  const auto steps = compile::stepsFor(**module, compile::defaultPipeline());
  if (!steps) return {};
  giveOwnOrigins(**module);
  const pass::History history = pass::runPipeline(*module, *steps, {});
  if (history.steps.empty() || history.steps.back().failed()) return {};
  const auto bytes = compile::historyToBytes(history, {});
  return bytes ? *bytes : std::string();
}

/// The same text comes again and again, with other damage.
const std::string& keptStagesOf(std::string_view text) {
  constexpr size_t kMostKept = 64;
  static std::map<std::string, std::string, std::less<>> kept;
  const auto found = kept.find(text);
  if (found != kept.end()) return found->second;
  if (kept.size() == kMostKept) kept.clear();
  return kept.emplace(text, stagesOf(std::string(text))).first->second;
}

/// Each three bytes of `how` are a place and what is added there; less than that cuts.
std::string damaged(std::string bytes, std::string_view how) {
  for (; how.size() >= 3 && !bytes.empty(); how.remove_prefix(3)) {
    const size_t at = static_cast<uint8_t>(how[0]) << 8 | static_cast<uint8_t>(how[1]);
    char& byte = bytes[at * bytes.size() >> 16];
    byte = static_cast<char>(byte + how[2]);
  }
  if (!how.empty()) bytes.resize(bytes.size() * static_cast<uint8_t>(how[0]) >> 8);
  return bytes;
}

}  // namespace

std::string checkIrBytes(std::string_view input) {
  const size_t end = input.find('\0');
  if (end == std::string_view::npos) return {};
  const std::string& whole = keptStagesOf(input.substr(0, end));
  if (whole.empty()) return {};
  const std::string bytes = damaged(whole, input.substr(end + 1));
  const auto read = compile::historyFromBytes(bytes, {});
  if (!read) {
    const Diagnostic& why = read.diagnostics().front();
    return why.rule == "ir.bytes" && !why.message.empty() ? "" : "refused without a reason: " + why.message;
  }
  for (size_t stage = 0; stage <= read->steps.size(); ++stage) {
    if (script::moduleToJson(read->stage(stage)).empty()) return "a stage has no JSON";
    (void)compile::wellFormed(read->stage(stage));
  }
  // As the engine does with what a client sends.
  compile::Request request;
  request.module = read->imported;
  request.mode = compile::Mode::Step;
  request.ran = std::make_shared<const pass::History>(*read);
  const auto program = compile::compile(request, {});
  if (!program) {
    const bool said = !program.diagnostics().empty() && !program.diagnostics().front().message.empty();
    return said ? "" : "a program is refused without a reason";
  }
  const auto kernels = compile::kernelsOf(*program, {}, nullptr);
  if (!kernels) return "a program that compiles has no kernels";
  // What can not be compiled is told when it is called.
  compile::compileAhead(**kernels, *program, {});
  return {};
}

}  // namespace rx::fuzz
