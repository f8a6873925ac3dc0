// Calls of `R.` and of functions. Operators are rows of core/op; what is irregular
// stands in the table below.
#include <cmath>
#include <limits>
#include <map>

#include "core/arith/fold.h"
#include "core/script/relax_reader.h"
#include "core/support/nearest.h"

namespace rx::script {

using relax::Expr;
using relax::StructInfo;
using tir::PrimExpr;

struct RelaxTables {
  struct Row {
    std::string_view name;
    Handler handler;
    bool isType = false;
  };
  static const Row* find(std::string_view name) {
    static const std::map<std::string_view, Row> kRows = [] {
      std::map<std::string_view, Row> rows;
      const Row list[] = {
          {"Tensor", &Reader::sTensor, true},
          {"DTensor", &Reader::sDTensor, true},
          {"Shape", &Reader::sShape, true},
          {"Prim", &Reader::sPrim, true},
          {"Tuple", &Reader::sTuple, true},
          {"Callable", &Reader::sCallable, true},
          {"Object", &Reader::sObject, true},
          {"Any", &Reader::sObject, true},
          {"const", &Reader::rConst},
          {"dist.const", &Reader::rConst},
          {"prim_value", &Reader::rPrimValue},
          {"PrimValue", &Reader::rPrimValue},
          {"str", &Reader::rStr},
          {"dtype", &Reader::rDtype},
          {"shape", &Reader::rShape},
          {"ShapeExpr", &Reader::rShape},
          {"tuple", &Reader::rTuple},
          {"TupleGetItem", &Reader::rTupleGetItem},
          {"match_cast", &Reader::rMatchCast},
          {"match_shape", &Reader::rMatchShape},
          {"ExternFunc", &Reader::rExternFunc},
          {"extern", &Reader::rExternFunc},
          {"device", &Reader::rDevice},
          {"call_packed", &Reader::rCallPacked},
          {"func_attr", &Reader::rFuncAttr},
          {"output", &Reader::rOutput},
          {"device_mesh", &Reader::rDeviceMesh},
          {"emit_with_sinfo", &Reader::rEmitWithSinfo},
          {"emit_with_ty", &Reader::rEmitWithSinfo},
          {"linear", &Reader::rLinear},
          {"nn.relu6", &Reader::rRelu6},
          {"nn.pad", &Reader::rPad},
          {"masked_fill", &Reader::rMaskedFill},
      };
      for (const Row& row : list) rows.emplace(row.name, row);
      return rows;
    }();
    auto found = kRows.find(name);
    return found == kRows.end() ? nullptr : &found->second;
  }
};

Expr argumentOf(const NodeRef& value) {
  if (const auto* b = as<ir::BoolAttr>(value)) return op::toExpr(ir::intAttr(b->value));
  if (const auto* list = as<ir::ArrayAttr>(value)) {
    std::vector<Expr> items;
    for (const NodeRef& item : list->items) {
      items.push_back(argumentOf(item));
      if (!items.back()) return nullptr;
    }
    return make<relax::Tuple>(Array<Expr>(std::move(items)));
  }
  return op::toExpr(value);
}

namespace {
/// Names that need Python to be run.
constexpr std::string_view kPythonNames[] = {"emit_te", "call_te", "rewriter", "macro", "te"};

/// The spelling of 2022: the type of the result beside its shape.
bool ofOldCallTir(const op::OpRow& row, std::string_view keyword) {
  return keyword == "dtype" && (row.name() == "relax.call_tir" || row.name() == "relax.call_dps_packed");
}
}  // namespace

NodeRef Reader::externalFunction(NodeId node) {
  if (!lone_ || at(node).kind != Syn::Name) return nullptr;
  NameId name = at(node).a;
  if (scope_.lookup(name) || names_.text(name) == "range") return nullptr;  // the one name of Python with a meaning
  NodeRef& found = relax_->extern_[name];
  if (!found) found = make<relax::GlobalVar>(names_.str(name));
  return found;
}

NodeRef Reader::callR(NodeId id, const std::string& path, NodeId callee) {
  if (path == "metadata") return metadataRef(id ? id : callee);
  ArgsLease lease(*this);
  Args& args = lease.args();
  args.call = id ? id : callee;
  if (const RelaxTables::Row* row = RelaxTables::find(path)) {
    if (!id) {  // R.Tensor without brackets
      if (row->isType) return (this->*row->handler)(args, 0);
      return error(callee, "relax.unknown-name", "R." + path + " can not stand without a call here");
    }
    // Square brackets of 2022: the items are the arguments.
    newSymbols_ |= path == "match_shape";
    bool read = readArgs(id, args);
    if (path == "match_shape") newSymbols_ = false;
    return read ? (this->*row->handler)(args, 0) : nullptr;
  }
  for (std::string_view name : kPythonNames) {
    if (path == name) {
      return error(callee, "script.python", "R." + path + " needs Python to be run, which this reader never does",
                   "print the module from Python and open the printed text");
    }
  }
  const op::OpRow* row = op::findOp(path);
  if (!row && path.starts_with("dist.")) row = op::findOp(path.substr(5));
  if (!row && path.starts_with("op.")) row = op::findOp(path.substr(3));
  if (!row && path == "vm.builtin.alloc_tensor") row = op::findOp("vm.alloc_tensor");
  if (!row) {
    if (at(callee).kind == Syn::Name) {
      if (ofPython(path)) return pythonCall(callee, path);
      const bool called = !id || at(id).kind == Syn::Call;
      if (NodeRef function = called ? externalFunction(callee) : nullptr)
        return id ? callValue(id, function) : function;
      return undefined(callee, at(callee).a);
    }
    Nearest nearest(path);
    for (const op::OpRow& known : op::allOps()) nearest.offer(known.name().substr(6));
    return error(callee, "relax.unknown-op", "R." + path + " is not an operator of Relax", nearest.fix("R."));
  }
  if (!id) return row->op;
  // In the place of a function an undefined name of a lone function is a function of the outside.
  const SynNode node = at(id);
  bool calls = row->has(op::kCallsFunction) || (!row->params.empty() && row->params[0].kind == op::ParamKind::Func);
  NameId external = Names::kNone;
  if (calls && node.b > 0) {
    NodeId first = syntax_->kids(node)[0];
    if (at(first).kind == Syn::Name) {
      if (NodeRef function = externalFunction(first)) {
        external = at(first).a;
        scope_.push();
        scope_.define(external, function);
      }
    }
  }
  bool read = readArgs(id, args);
  if (external != Names::kNone) scope_.pop();
  if (read) return callOp(*row, args);
  // What an argument is does not matter to the names beside it.
  for (const auto& [name, value] : args.keywords)
    if (const auto index = op::keywordIndex(*row, names_.text(name)); !index && !ofOldCallTir(*row, names_.text(name)))
      refusedCall(id, index.diagnostics());
  return nullptr;
}

void Reader::refusedCall(NodeId call, const std::vector<Diagnostic>& diagnostics) {
  for (Diagnostic d : diagnostics) {
    d.span = spanOf(call);
    failed_ = true;
    if (diagnostics_.size() < options_.maxErrors) diagnostics_.push_back(std::move(d));
  }
}

NodeRef Reader::callOp(const op::OpRow& row, Args& args) {
  std::vector<NodeRef>& positional = args.values;
  std::vector<op::Keyword> keywords;
  std::vector<StructInfo> extra;  // type arguments that a printed allocation carries beyond its signature
  bool takesSinfo = false;
  for (const op::OpParam& param : row.params) {
    takesSinfo |= param.kind == op::ParamKind::Sinfo || param.kind == op::ParamKind::Sinfos;
  }
  keywords.reserve(args.keywords.size());
  for (size_t i = 0; i < args.keywords.size(); ++i) {
    std::string_view name = names_.text(args.keywords[i].first);
    NodeRef value = args.keywords[i].second;
    if (at(args.keywordNodes[i]).kind == Syn::Lambda) {
      value = evalLambda(args.keywordNodes[i]);
      if (!value) return nullptr;
    }
    if (name == "dst_vdevice" && isa<ir::StrAttr>(value)) {
      value = vdeviceOf(value, args.keywordNodes[i]);
      if (!value) return nullptr;
    }
    if (name == "device_mesh" && isa<ir::StrAttr>(value)) value = meshOf(value, args.keywordNodes[i]);
    if (name == "placement" && isa<ir::StrAttr>(value)) value = placementOf(value, args.keywordNodes[i]);
    if (!value) return nullptr;
    if ((name == "sinfo_args" || name == "ty_args") && !takesSinfo) {
      const auto* list = as<ir::ArrayAttr>(value);
      for (size_t k = 0; list && k < list->items.size(); ++k)
        extra.push_back(toSinfo(list->items[k], args.keywordNodes[i]));
      if (!list) extra.push_back(toSinfo(value, args.keywordNodes[i]));
      for (const auto& info : extra) {
        if (!info) return nullptr;
      }
      continue;
    }
    keywords.push_back({name, value});
  }
  for (size_t i = 0; i < positional.size(); ++i) {
    if (i < args.nodes.size() && args.nodes[i] && at(args.nodes[i]).kind == Syn::Lambda) {
      positional[i] = evalLambda(args.nodes[i]);
    }
    if (i < row.params.size() && isa<ir::StrAttr>(positional[i])) {
      std::string_view name = row.params[i].name.view();
      if (name == "dst_vdevice") positional[i] = vdeviceOf(positional[i], args.nodes[i]);
      if (name == "device_mesh") positional[i] = meshOf(positional[i], args.nodes[i]);
      if (name == "placement") positional[i] = placementOf(positional[i], args.nodes[i]);
    }
    if (!positional[i]) return nullptr;
    if (isa<tir::PrimFunc>(positional[i])) {
      return error(args.call, "relax.inline-primfunc", "a TIR function can not stand inside a call",
                   "make it a member of the module");
    }
  }
  for (const auto& keyword : keywords)
    if (ofOldCallTir(row, keyword.name)) return rCallTirOld(args, row.name() == "relax.call_tir");
  if (row.name() == "relax.call_tir" && !positional.empty() && isa<ir::StrAttr>(positional[0])) {
    // What is R.call_dps_packed had no name of its own at that time.
    if (hints_.beforePurity) return callOp(*op::findOp("call_dps_packed"), args);
    return error(args.call, "relax.call", "relax.call_tir: a text names no function of the module",
                 "write R.call_dps_packed to call a function of the outside by its name");
  }
  auto made = op::bindCall(row, positional, keywords, relax_->builder.context());
  if (!made) {
    refusedCall(args.call, made.diagnostics());
    return nullptr;
  }
  if (!extra.empty()) {
    const relax::Call& call = **made;
    made = make<relax::Call>(call.op, call.args, call.attrs, Array<StructInfo>(std::move(extra)), call.sinfo);
  }
  return withSpan(*made, spanOf(args.call));
}

namespace {
constexpr const char* kNotCalled = "write the comma or the operator that is missing before '('";
}

NodeRef Reader::callValue(NodeId id, const NodeRef& callee) {
  if (isa<tir::PrimFunc>(callee)) {
    return error(id, "relax.inline-primfunc", "a TIR function can not be called here",
                 "make it a member of the module and use R.call_tir");
  }
  Args args;
  if (!readArgs(id, args)) return nullptr;
  if (inTir_) {
    if (!isa<relax::GlobalVar>(callee)) return error(id, "tir.call", "this value can not be called", kNotCalled);
    std::vector<PrimExpr> prims;
    for (const NodeRef& value : args.values) {
      prims.push_back(isa<tir::Buffer>(value) ? PrimExpr(as<tir::Buffer>(value)->data) : toPrim(value, id));
      if (!prims.back()) return nullptr;
    }
    DataType type = DataType::Void();
    const auto found = relax_->primReturns.find(as<relax::GlobalVar>(callee)->name.string());
    if (found != relax_->primReturns.end()) type = found->second;
    return withSpan(make<tir::Call>(type, callee, Array<PrimExpr>(std::move(prims))), spanOf(id));
  }
  if (!isa<relax::ExprNode>(callee)) return error(id, "relax.call", "this value can not be called", kNotCalled);
  std::vector<Expr> values;
  for (const NodeRef& value : args.values) {
    values.push_back(argumentOf(value));
    if (!values.back()) return error(id, "script.argument", "an argument is no Relax value");
  }
  const auto* self = as<relax::GlobalVar>(callee);
  const RelaxFrame* outer = relax_->frames.empty() ? nullptr : &relax_->frames.front();
  if (self && outer && !outer->ret && self->name == names_.text(outer->name)) {
    warning(spanOf(id), "relax.recursion-return",
            "'" + nameText(outer->name) + "' calls itself: the specification needs its return type to be written");
  }
  if (!args.keywords.empty()) return error(id, "script.argument", "a function of the module takes no named arguments");
  return withSpan(make<relax::Call>(refAs<relax::ExprNode>(callee), Array<Expr>(std::move(values))), spanOf(id));
}

NodeRef Reader::bareMember(NameId name) const {
  return hints_.beforePurity && moduleMarker_ ? NodeRef(relax_->module.find(names_.text(name))) : nullptr;
}

NodeRef Reader::moduleMember(NameId name, NodeId at) {
  if (auto var = relax_->module.find(names_.text(name))) return var;
  if (lostFunctions_.contains(name)) {
    failed_ = true;
    return nullptr;
  }
  Nearest nearest(names_.text(name));
  std::string all;
  for (NameId member : members_) {
    nearest.offer(names_.text(member));
    if (all.size() < 80) all += (all.empty() ? "it has " : ", ") + nameText(member);
  }
  std::string fix = nearest.fix();
  return error(at, "relax.undefined-function", "the module has no function '" + nameText(name) + "'",
               fix.empty() ? all : fix);
}

}  // namespace rx::script
