// The module that the rows of a stage were made of: finds dataflow patterns there, and says to the next stage where
// what is printed.
#pragma once

#include <map>
#include <memory>
#include <span>

#include "core/ir/module.h"
#include "core/script/print_again.h"
#include "views/models/stage_index.h"

namespace rx::views {

class BuiltModule : public PatternSource {
 public:
  explicit BuiltModule(ir::Module module) : module_(std::move(module)) {}
  /// A function of the stage, with what the printer noted of its bindings in text order.
  void add(int function, std::span<const script::Anchor> bindings, const FunctionRow& row);
  /// A function whose rows are those of a function of the stage before.
  void addSame(int function, const BuiltModule& before, int functionThen);
  void setBodies(std::vector<script::PrintedBody> bodies) { bodies_ = std::move(bodies); }
  const ir::Module& module() const { return module_; }
  /// Of its Relax functions, in the text of the stage.
  std::span<const script::PrintedBody> bodies() const { return bodies_; }
  std::vector<SitePlace> find(const QString& pattern, const CancelToken& cancel) const override;
  QString refusal(const QString& pattern) const override;

 private:
  using Bindings = std::vector<const Node*>;  // by ordinal
  ir::Module module_;
  std::map<int, std::shared_ptr<const Bindings>> functions_;  // by index in StageIndex::functions
  std::vector<script::PrintedBody> bodies_;
};

}  // namespace rx::views
