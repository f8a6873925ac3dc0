// IRModule: functions by name, attributes, global information, and the sources that spans point into.
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>

#include "core/ir/relax.h"
#include "core/support/diagnostic.h"

namespace rx::ir {

/// What the text that a module was read from does not say; what passes make of the module keeps it. No part of the
/// module: two modules that differ in nothing else are equal.
struct TextFacts {
  uint32_t missingConstants = 0;  ///< constants that the text names and does not hold (printed without metadata)
  bool beforePurity = false;      ///< of a time when effects were not tracked: nothing is known of them
};

struct IRModule : NodeOf<IRModule, Node, Kind::ir_IRModule> {
  using Entry = std::pair<relax::GlobalVarRef, BaseFunc>;
  IRModule() { index(); }
  /// Entries keep their order; names are unique (a later duplicate is a bug of the caller).
  IRModule(std::vector<Entry> entries, Attrs attrs, Attrs globalInfos, SourceList sources);

  Array<relax::GlobalVarRef> vars;
  Array<BaseFunc> functions;  ///< same length as vars
  Attrs attrs;
  Attrs globalInfos;  ///< name -> ArrayAttr of GlobalInfo; null = none
  Attrs types;        ///< name -> definition of a type in the form of its language; null = none
  std::shared_ptr<const SourceList> sources = std::make_shared<SourceList>();
  TextFacts facts;

  size_t size() const { return vars.size(); }
  relax::GlobalVarRef findVar(std::string_view name) const;
  BaseFunc find(std::string_view name) const;
  BaseFunc find(const relax::GlobalVar* var) const { return find(var->name.view()); }
  std::vector<Entry> entries() const;
  /// A copy with other entries; attributes, infos, types, sources and facts are kept.
  Ref<IRModule> with(std::vector<Entry> entries) const;
  /// A copy with one function replaced (same name) or appended.
  Ref<IRModule> withFunction(const relax::GlobalVarRef& var, BaseFunc function) const;

  template <class V>
  static void fields(V&& v) {
    v("global_vars", &IRModule::vars, Role::Define);
    v("functions", &IRModule::functions, Role::Child);
    v("attrs", &IRModule::attrs, Role::Child);
    v("global_infos", &IRModule::globalInfos, Role::Child);
    v("type_definitions", &IRModule::types, Role::Child);
  }
  /// Called by generic rebuilding after fields changed.
  void index();

 private:
  std::unordered_map<std::string_view, uint32_t> byName_;
};
using Module = Ref<IRModule>;

}  // namespace rx::ir
