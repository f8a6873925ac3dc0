// The module while it is being changed: functions by name, unique names, no function twice.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/module.h"
#include "core/op/infer.h"
#include "core/support/cancel.h"

namespace rx::build {

/// Gives names that are not taken: "lv", "lv1", "lv2", ...
class NameSupply {
 public:
  /// The hint itself when it is free, else the hint (without its trailing digits) and a number.
  Str fresh(std::string_view hint);
  void reserve(std::string_view name);
  bool taken(std::string_view name) const;

 private:
  /// A pass may take a name for every binding: they stand in one list by their hashes, and share the text with who
  /// asked.
  struct Slot {
    size_t hash = 0;
    Str name;  ///< empty: free
  };
  /// Where the name stands, or could.
  size_t placeOf(std::string_view name, size_t hash) const;
  /// The name, which was free and no longer is; nothing where it is taken.
  std::optional<Str> take(std::string_view name);
  void grow();

  std::vector<Slot> taken_;  ///< a power of two of them
  size_t count_ = 0;
  std::unordered_map<std::string, int64_t> next_;
};

/// One step of a module from before to after. Keeps order: changed functions stay in place, new ones come last.
class ModuleContext : public op::FunctionLookup {
 public:
  ModuleContext() : ModuleContext(make<ir::IRModule>()) {}
  explicit ModuleContext(ir::Module module);

  /// Adds a function under a free name made from `hint`. A function that is structurally equal to one added before is
  /// not added again: its GlobalVar is returned (unless `always`).
  relax::GlobalVarRef add(ir::BaseFunc function, std::string_view hint, bool always = false);
  /// Declares a name before its function is known. `update` gives it the function.
  relax::GlobalVarRef declare(std::string_view name, relax::StructInfo signature);
  /// Replaces the function of a name. Where the signature changes the GlobalVar is replaced everywhere by module().
  void update(const relax::GlobalVarRef& var, ir::BaseFunc function);
  void remove(std::string_view name);
  void setAttrs(ir::Attrs attrs) { attrs_ = std::move(attrs); }
  void setGlobalInfos(ir::Attrs infos) { infos_ = std::move(infos); }
  const ir::Attrs& globalInfos() const { return infos_; }
  /// What the text leaves out, as its reader finds out.
  ir::TextFacts& facts() { return facts_; }
  bool missesConstants() const override { return facts_.missingConstants > 0; }

  relax::GlobalVarRef find(std::string_view name) const;
  ir::BaseFunc functionOf(const relax::GlobalVar* var) const override;
  ir::BaseFunc functionOf(std::string_view name) const;
  /// Names and functions now, in order; functions that are only declared are left out.
  std::vector<ir::IRModule::Entry> entries() const;
  NameSupply& names() { return names_; }
  /// What rewriters of its functions ask whether to go on.
  void setCancel(CancelToken cancel) { cancel_ = std::move(cancel); }
  const CancelToken& cancel() const { return cancel_; }

  /// The module as it stands now; the very same as the first when nothing changed.
  ir::Module module();

 private:
  struct Slot {
    relax::GlobalVarRef var;
    ir::BaseFunc function;  ///< null = declared or removed
    bool removed = false;
  };
  Slot* slotOf(std::string_view name);
  ir::Module first_;
  std::vector<Slot> slots_;
  std::unordered_map<std::string, size_t> index_;
  std::unordered_multimap<size_t, size_t> byHash_;  ///< structural hash -> slot, of added functions
  std::unordered_map<const relax::GlobalVar*, relax::GlobalVarRef> replaced_;
  std::vector<relax::GlobalVarRef> kept_;
  ir::Attrs attrs_, infos_;
  ir::TextFacts facts_;
  NameSupply names_;
  CancelToken cancel_;
  bool changed_ = false;
  bool hashed_ = false;  ///< byHash_ holds what was there first, too
};

}  // namespace rx::build
