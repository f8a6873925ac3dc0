// MakePackedAPI: what can be called from outside takes its arguments as packed functions do.
#include <fmt/format.h>

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/function_target.h"
#include "core/lower/intrinsics.h"
#include "core/lower/packed_arguments.h"
#include "core/lower/pass_functions.h"
#include "core/lower/undefined.h"

namespace rx::lower {

using namespace tir;

namespace {

constexpr int64_t kPackedConvention = 1;
constexpr std::string_view kSymbolPrefix = "__tvm_ffi_";
constexpr int64_t kHostDevice = 1;

/// The symbol of a function that is called as a packed function; empty for all others.
std::string packedSymbol(const PrimFunc& function) {
  if (ir::intAttrOf(function.attrs, "calling_conv", 0) != 0) return {};
  return std::string(ir::strAttrOf(function.attrs, "global_symbol"));
}

/// How a result travels: rows are tried in order.
struct ResultForm {
  bool (*fits)(DataType);
  AnyType type;
  DataType carrier;
};
constexpr ResultForm kResultForms[] = {
    {[](DataType t) { return t.isVoid(); }, AnyType::None, DataType::Void()},
    {[](DataType t) { return t.isHandle(); }, AnyType::OpaquePointer, DataType::Void()},
    {[](DataType t) { return t.isBool(); }, AnyType::Bool, DataType::Int(64)},
    {[](DataType t) { return t.isIntegral(); }, AnyType::Int, DataType::Int(64)},
    {[](DataType t) { return t.code == TypeCode::Float; }, AnyType::Float, DataType::Float(64)},
};

/// Results are written where the caller wants them; what a function returns is a status.
class ReturnWriter : public CheckedRewriter {
 public:
  explicit ReturnWriter(VarRef result) : result_(std::move(result)) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* loop = as<For>(statement); loop && loop->forKind == ForKind::Parallel) {
      ++parallel_;
      Stmt made = parts(statement);
      --parallel_;
      return made;
    }
    const auto* evaluate = as<Evaluate>(statement);
    const Call* call = evaluate ? asCallOf(evaluate->value, "ret") : nullptr;
    return call ? written(*call, statement) : parts(statement);
  }

 private:
  Stmt written(const Call& call, const Stmt& statement) {
    if (parallel_) refuse("lower.return", "a parallel loop can not return", statement->span);
    const PrimExpr value = call.args.empty() ? PrimExpr() : rewrite(call.args[0]);
    const DataType type = value ? value->dtype : DataType::Void();
    for (const ResultForm& form : kResultForms) {
      if (!form.fits(type)) continue;
      const PrimExpr carried = form.carrier.isVoid() ? value : PrimExpr(make<Cast>(form.carrier, value));
      std::vector<Stmt> statements{
          structSet(result_, 0, StructField::AnyTypeIndex, int32(static_cast<int64_t>(form.type))),
          structSet(result_, 0, StructField::AnyZeroPadding, int32(0))};
      if (carried) statements.push_back(structSet(result_, 0, StructField::AnyValue, carried));
      statements.push_back(make<Evaluate>(intrinsic(DataType::Int(32), "ret", {int32(0)})));
      return seq(statements);
    }
    refuse("lower.return", fmt::format("a packed function can not return {}", type.str()), statement->span);
    return statement;
  }

  VarRef result_;
  int parallel_ = 0;
};

/// Calls of functions that become packed functions are calls of those.
Stmt withPackedCalls(const ir::Module& module, const Stmt& body) {
  NodeRef made = rewriteNodes(body, Into::Parts, nullptr, [&](const NodeRef& node) -> NodeRef {
    const auto* call = as<Call>(node);
    const auto* global = call ? as<relax::GlobalVar>(call->op) : nullptr;
    const auto callee = global ? refAs<PrimFunc>(module->find(global)) : nullptr;
    const std::string symbol = callee ? packedSymbol(*callee) : std::string();
    if (symbol.empty()) return node;
    std::vector<PrimExpr> args{make<StringImm>(Str(symbol))};
    args.insert(args.end(), call->args.begin(), call->args.end());
    // No resource handle.
    args.push_back(intrinsic(DataType::Handle(), "reinterpret", {intImm(0, DataType::UInt(64))}));
    return intrinsic(call->dtype.isVoid() ? DataType::Int(32) : call->dtype, "tvm_call_cpacked", std::move(args));
  });
  return cast<StmtNode>(made);
}

/// The statements in order before the body; an attribute without a body takes what follows as its own.
Stmt nested(std::span<const std::vector<Stmt>> lists, Stmt body) {
  std::vector<Stmt> tail{std::move(body)};  // in reverse
  for (size_t l = lists.size(); l-- > 0;) {
    for (size_t i = lists[l].size(); i-- > 0;) {
      const auto* attribute = as<AttrStmt>(lists[l][i]);
      if (!attribute) {
        tail.push_back(lists[l][i]);
        continue;
      }
      Stmt rest = seq(std::vector<Stmt>(tail.rbegin(), tail.rend()));
      tail = {make<AttrStmt>(attribute->node, attribute->key, attribute->value, std::move(rest))};
    }
  }
  return seq(std::vector<Stmt>(tail.rbegin(), tail.rend()));
}

Result<PrimFuncRef> packed(const PrimFuncRef& function, const std::string& symbol, const target::TargetRef& target) {
  const DataType handle = DataType::Handle();
  auto self = make<Var>("self_handle", handle), args = make<Var>("args", handle);
  auto count = make<Var>("num_args", DataType::Int(32)), device = make<Var>("dev_id", DataType::Int(32));
  auto result = make<Var>("result", handle, make<PointerType>(make<PrimType>(DataType::Void()), "global"));

  PackedReads reads = PackedArguments(*function, symbol, args, count, target->deviceType(), device).run();
  RX_TRY(inner, ReturnWriter(result).run(function->body));
  Stmt body = make<AttrStmt>(int32(0), "compute_scope", make<StringImm>(Str(symbol + "_compute_")), inner);
  std::vector<Stmt> devices;
  if (reads.usesDevice) {
    const NodeRef node = ir::strAttr("default");
    const PrimExpr type = int32(target->deviceType());
    devices = {make<AttrStmt>(node, "device_id", device, seq({})), make<AttrStmt>(node, "device_type", type, seq({}))};
    if (target->deviceType() != kHostDevice) {
      body =
          seq(std::vector<Stmt>{effect("tvm_call_packed", {make<StringImm>("__tvm_set_device"), type, device}), body});
    }
  }
  body = seq(std::vector<Stmt>{body, make<Evaluate>(intrinsic(DataType::Int(32), "ret", {int32(0)}))});
  const std::vector<Stmt> lists[] = {reads.reads, devices, reads.checks, reads.declarations};
  body = nested(lists, body);

  const std::vector<VarRef> params{self, args, count, result};
  for (const VarRef& var : undefinedIn(body).vars) {
    if (std::find(params.begin(), params.end(), var) != params.end()) continue;
    return fail("lower.undefined",
                fmt::format("{} uses the variable {}, which no argument gives", symbol, var->name.view()));
  }
  ir::Attrs attrs = ir::withAttr(function->attrs, "calling_conv", ir::intAttr(kPackedConvention));
  attrs = ir::withAttr(attrs, Str(kTargetKey), target->host()->form());
  attrs = ir::withAttr(attrs, "global_symbol", ir::strAttr(Str(std::string(kSymbolPrefix) + symbol)));
  return make<PrimFunc>(params, std::vector<BufferRef>(params.size()), body, make<PrimType>(DataType::Int(32)), attrs);
}

}  // namespace

Result<PrimFuncRef> makePackedAPI(const PrimFuncRef& func, Scope& scope) {
  const PrimFuncRef called = withBody(func, withPackedCalls(scope.module, func->body));
  const std::string symbol = packedSymbol(*func);
  if (symbol.empty()) return called;
  RX_TRY(target, targetOf(*func));
  if (!target) return fail("lower.target", "MakePackedAPI needs the target of the function (see BindTarget)");
  // Without a host it is code of a host already.
  if (!target->host()) return called;
  return packed(called, symbol, target);
}

}  // namespace rx::lower
