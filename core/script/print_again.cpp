#include "core/script/print_again.h"

#include <utility>

#include "core/script/printer.h"

namespace rx::script {

bool Printer::beginBody(const relax::Function& func) {
  body_ = {};
  // What the attributes declare takes names that the body may have had.
  if (!bodies_ || waiting() || !insertions_.empty()) return false;
  body_.function = relax::FunctionRef(&func);
  body_.begin = static_cast<uint32_t>(out_.size());
  usedTBefore_ = std::exchange(usesT_, false);
  metadataUsed_ = false;
  const auto found = bodiesBefore_.find(func.body.get());
  if (found == bodiesBefore_.end()) return false;
  const PrintedBody& before = *found->second;
  if (!before.function->params.same(func.params) || before.function->retSinfo != func.retSinfo) return false;
  out_.append(textBefore_.substr(before.begin, before.end - before.begin));
  usesT_ = before.usesT;
  body_.copied = true;
  return true;
}

void Printer::endBody() {
  if (!body_.function) return;
  body_.end = static_cast<uint32_t>(out_.size());
  body_.usesT = usesT_;
  usesT_ = usesT_ || usedTBefore_;
  if (!metadataUsed_) bodies_->push_back(std::move(body_));
  body_ = {};
}

PrintResult Printer::runAgain(const ir::Module& module, const PrintedBefore& before, std::vector<PrintedBody>* bodies) {
  // Of eras that write what a text of this one says in its header, or warn of what they can not say, nothing is copied.
  if (era(Dialect::V025)) bodies_ = bodies;
  if (before.module && before.module->globalInfos == module->globalInfos) {
    textBefore_ = before.text;
    for (const PrintedBody& body : before.bodies) bodiesBefore_.emplace(body.function->body.get(), &body);
  }
  return run(module);
}

PrintResult printAgain(const ir::Module& module, const PrintOptions& options, const PrintedBefore& before,
                       std::vector<PrintedBody>* bodies) {
  return Printer(options).runAgain(module, before, bodies);
}

}  // namespace rx::script
