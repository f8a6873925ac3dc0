// Rows of the stage before that are those of a stage: of functions of which nothing but the attributes changed.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/script/print_again.h"
#include "views/session/built_module.h"
#include "views/session/stage_builder.h"

namespace rx::views {

class KeptRows {
 public:
  KeptRows(const ir::IRModule& module, const StageBefore& before);
  /// What the printer may copy: of functions whose rows may be kept.
  script::PrintedBefore printed() const;
  /// The row before of a function of the module, by its number there, where all that it says but places holds again;
  /// null where it does not, or its text is not known.
  const FunctionRow* of(size_t number) const { return rows_[number].row; }
  /// Moves the places in a copy of such a row to where the printer put its body; its own lines and its parameters' are
  /// those of this stage. `head` are the names in front of the body.
  void place(size_t number, const script::PrintedBody& printed, const StageIndex& index,
             const std::vector<NameRow>& head, FunctionRow* row) const;
  /// Notes what `built` is told of the bindings of such a function.
  void addTo(BuiltModule* built, size_t number) const;
  /// Whether every function is one that is kept, under its number.
  bool all() const { return all_; }

 private:
  struct Kept {
    const FunctionRow* row = nullptr;
    const script::PrintedBody* body = nullptr;
    int number = -1;  // in the stage before
  };
  const script::PrintedBody* bodyBefore(const ir::BaseFunc& function, std::string_view name) const;
  void findChanged();
  bool callsChanged(const FunctionRow& row) const;

  const ir::IRModule& module_;
  const StageIndex* index_ = nullptr;
  const BuiltModule* built_ = nullptr;
  std::unordered_map<const Node*, const script::PrintedBody*> bodiesThen_;  // of the stage before, by function
  std::vector<Kept> rows_;
  std::vector<script::PrintedBody> bodies_;  // of those that are kept
  std::unordered_set<QString> changed_;      // functions that callers see otherwise than before
  std::vector<int> numbers_;                 // of the functions before, in this module; -1 of what is gone
  bool all_ = false;
};

}  // namespace rx::views
