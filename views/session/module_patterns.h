// Dataflow patterns in the module of a stage.
#pragma once

#include <span>

#include "core/ir/module.h"
#include "core/script/print.h"
#include "views/models/stage_index.h"

namespace rx::views {

class ModulePatterns : public PatternSource {
 public:
  explicit ModulePatterns(ir::Module module) : module_(std::move(module)) {}
  /// A function of the stage, with what the printer noted of its bindings in text order.
  void add(int function, std::span<const script::Anchor> bindings, const FunctionRow& row);
  std::vector<SitePlace> find(const QString& pattern, const CancelToken& cancel) const override;
  QString refusal(const QString& pattern) const override;

 private:
  struct Bindings {
    int function;
    std::vector<const Node*> byOrdinal;
  };
  ir::Module module_;
  std::vector<Bindings> functions_;
};

}  // namespace rx::views
