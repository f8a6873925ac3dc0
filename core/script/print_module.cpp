// Modules: members in order, header comments, the metadata prologue.
#include <algorithm>

#include "core/ir/reflect.h"
#include "core/script/metadata.h"
#include "core/script/printer.h"

namespace rx::script {

namespace {
int memberRank(const ir::BaseFunc& func, std::string_view name) {
  if (isa<tir::PrimFunc>(func)) return 0;
  if (isa<relax::ExternFunc>(func)) return 1;
  return name == "main" ? 3 : 2;
}
}  // namespace

void Printer::module(const ir::IRModule& module) {
  module_ = &module;
  newline();
  text("@");
  i("ir_module");
  bool tensorProgram = false;
  for (const ir::BaseFunc& func : module.functions) tensorProgram = tensorProgram || isa<tir::PrimFunc>(func);
  newline();
  text("class ");
  text(options_.moduleName);
  text(":");
  indent();
  moduleHeader(module);
  auto order = std::make_shared<std::vector<uint32_t>>(module.size());
  for (uint32_t k = 0; k < order->size(); ++k) (*order)[k] = k;
  std::sort(order->begin(), order->end(), [&](uint32_t a, uint32_t b) {
    const auto rank = [&](uint32_t k) { return memberRank(module.functions[k], module.vars[k]->name.view()); };
    return std::pair(rank(a), module.vars[a]->name.view()) < std::pair(rank(b), module.vars[b]->name.view());
  });
  order_ = order;
  if (module.size() == 0 && !wroteHeader_) {
    newline();
    text("pass");
  }
  if (module.size() > 0) later(&Printer::runMember, &module, 0);
  dedent();
}

void Printer::moduleHeader(const ir::IRModule& module) {
  if (module.attrs && module.attrs->size() > 0) {
    newline();
    i("module_attrs(");
    dict(module.attrs);
    text(")");
    wroteHeader_ = true;
  }
  if (!module.globalInfos || module.globalInfos->size() == 0) return;
  wroteHeader_ = true;
  newline();
  i("module_global_infos({");
  bool firstKey = true;
  // A device or mesh is written out here, and as a reference everywhere else.
  module_ = nullptr;
  for (size_t k = 0; k < module.globalInfos->size(); ++k) {
    if (!firstKey) text(", ");
    firstKey = false;
    quoted(module.globalInfos->keys[k].view());
    text(": [");
    const auto* list = as<ir::ArrayAttr>(module.globalInfos->values[k]);
    for (size_t j = 0; list && j < list->items.size(); ++j) {
      if (j) text(", ");
      if (const auto* device = as<ir::VDevice>(list->items[j])) {
        i("vdevice(");
        attr(device->target);
        text(", ");
        number(device->vdeviceId);
        text(", ");
        quoted(device->memoryScope.view());
        text(")");
      } else {
        attr(list->items[j]);
      }
    }
    text("]");
  }
  text("})");
  module_ = &module;
}

void Printer::runMember(const void* p, uint64_t x) {
  const auto& module = *static_cast<const ir::IRModule*>(p);
  const uint32_t index = (*order_)[x];
  if (x > 0 || wroteHeader_) out_ += '\n';
  if (x > 0 && isa<relax::ExternFunc>(module.functions[index]) &&
      isa<relax::ExternFunc>(module.functions[(*order_)[x - 1]])) {
    out_.pop_back();
  }
  member(module.functions[index], module.vars[index]->name.view());
  if (x + 1 < module.size()) later(&Printer::runMember, p, x + 1);
}

void Printer::reserveCallees(const ir::BaseFuncNode& func) {
  walk(func, Into::Parts, [&](const Node& node) {
    if (const auto* callee = as<relax::GlobalVar>(&node)) names_.reserve(callee->name.view());
    return true;
  });
}

void Printer::member(const ir::BaseFunc& func, std::string_view name) {
  const size_t from = anchors_.size();
  const size_t mark = anchor(func.get());
  if (const auto* f = as<relax::Function>(func)) {
    function(*f, f, name, true);
  } else if (const auto* f = as<tir::PrimFunc>(func)) {
    primFunc(*f, name);
  } else {
    newline();
    text(name);
    text(" = ");
    expr(func);
  }
  endAnchor(mark);
  later(&Printer::runMemberEnd, nullptr, from);
}

void Printer::runMemberEnd(const void*, uint64_t from) {
  applyInsertions(from);
  endBody();
}

std::string Printer::header() const {
  std::string head;
  if (!constants_.empty() || !tensors_.empty()) {
    if (options_.showMetadata) {
      head += "metadata = tvm.ir.load_json(\"\"\"" + metadataJson(constants_, tensors_) + "\"\"\")\n";
    } else {
      head += "# Metadata omitted: constants are not part of this text.\n";
    }
  }
  if (!typeVars_.empty()) head += "# from typing import TypeVar\n";
  if (usesI_) head += "# from tvm.script import ir as I\n";
  if (usesT_ && era(Dialect::V018)) head += "# from tvm.script import tir as T\n";
  if (usesT_ && !era(Dialect::V018)) head += "# from tvm.script import tirx as T\n# from tvm.tirx.layout import Axis\n";
  if (usesR_) head += "# from tvm.script import relax as R\n";
  head += "\n";
  for (const std::string& name : typeVars_) head += name + " = TypeVar(\"" + name + "\")\n";
  return head;
}

}  // namespace rx::script
