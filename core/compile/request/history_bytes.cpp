#include "core/compile/request/history_bytes.h"

#include "core/relay/op_table.h"
#include "core/script/ir_bytes.h"
#include "core/support/coding.h"

namespace rx::compile {

namespace {

void writeSaid(ByteOut& out, const std::vector<Diagnostic>& said) {
  out.number(said.size());
  for (const Diagnostic& one : said) {
    out.byte(static_cast<uint8_t>(one.severity));
    out.text(one.rule);
    out.text(one.message);
    out.number(one.span.file);
    out.number(one.span.begin);
    out.number(one.span.end);
  }
}

std::vector<Diagnostic> readSaid(ByteIn& in) {
  std::vector<Diagnostic> said(in.count());
  for (Diagnostic& one : said) {
    one.severity = in.byte() == static_cast<uint8_t>(Severity::Warning) ? Severity::Warning : Severity::Note;
    one.rule = in.text();
    one.message = in.text();
    one.span.file = static_cast<uint32_t>(in.number());
    one.span.begin = static_cast<uint32_t>(in.number());
    one.span.end = static_cast<uint32_t>(in.number());
  }
  return said;
}

}  // namespace

Result<std::string> historyToBytes(const pass::History& history, const CancelToken& cancel) {
  std::vector<ir::Module> stages{history.imported};
  ByteOut out;
  out.number(history.steps.size());
  for (const pass::StepRecord& step : history.steps) {
    RX_ASSERT(step.after, "the pass {} made no stage", step.name);
    stages.push_back(step.after);
    out.text(step.name);
    out.text(step.call);
    writeSaid(out, step.messages);
  }
  RX_TRY(modules, script::modulesToBytes(stages, cancel));
  out.text(modules);
  return std::string(out.bytes());
}

namespace {

Ref<relax::ExprNode> relayOperator(std::string_view name) {
  const relay::OpRow* row = relay::findOperator(name);
  return row ? row->op : nullptr;
}

}  // namespace

Result<pass::History> historyFromBytes(std::string_view bytes, const CancelToken& cancel) {
  ByteIn in(bytes);
  pass::History history;
  history.steps.resize(in.count());
  for (pass::StepRecord& step : history.steps) {
    step.name = in.text();
    step.call = in.text();
    step.messages = readSaid(in);
  }
  const std::string_view modules = in.text();
  if (!in.ok() || !in.atEnd()) return fail("ir.bytes", "these bytes are no stages: a pass is damaged");
  RX_TRY(stages, script::modulesFromBytes(modules, cancel, relayOperator));
  if (stages.size() != history.steps.size() + 1)
    return fail("ir.bytes", "these bytes are no stages: there is not one for each pass");
  history.imported = stages.front();
  for (size_t i = 0; i < history.steps.size(); ++i) {
    history.steps[i].before = stages[i];
    history.steps[i].after = stages[i + 1];
  }
  return history;
}

}  // namespace rx::compile
