#include "core/codegen/device_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/codegen/intrinsic_name.h"
#include "core/codegen/tile_copies.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/kernel_launches.h"
#include "core/lower/shape_program.h"

namespace rx::codegen {

using namespace tir;
using device::DevicePlan;
using device::PlanArgument;
using device::PlanLaunch;

namespace {

class Planner {
 public:
  Planner(const lower::DeviceForm& form, const lower::Signature& signature) : form_(form) {
    const PrimFunc& function = *signature.function();
    size_t buffers = 0, ints = 0, reals = 0;
    for (size_t i = 0; i < function.params.size(); ++i) {
      const Var* var = function.params[i].get();
      switch (signature.params()[i].place) {
        case vm::KernelPlace::Buffer:
          buffers_[function.buffers[i] ? function.buffers[i]->data.get() : var] = buffers;
          ++buffers;
          break;
        case vm::KernelPlace::Int:
          ints_[var] = ints++;
          break;
        case vm::KernelPlace::Real:
          reals_[var] = reals++;
          break;
      }
    }
    for (const VarRef& symbol : signature.symbols()) ints_[symbol.get()] = ints++;
  }

  Result<DevicePlan> run() {
    stmt(form_.host->body);
    if (!errors_.empty()) return fail(std::move(errors_));
    return std::move(plan_);
  }

 private:
  void stmt(const Stmt& node) {
    if (const auto* list = as<SeqStmt>(node)) {
      for (const Stmt& part : list->seq) stmt(part);
    } else if (const auto* attribute = as<AttrStmt>(node)) {
      stmt(attribute->body);
    } else if (const auto* bind = as<Bind>(node)) {
      bound_.emplace_back(bind->var, bind->value);
    } else if (const auto* allocation = as<AllocBuffer>(node)) {
      workspace(*allocation->buffer);
    } else if (const auto* effect = as<Evaluate>(node)) {
      evaluate(*effect);
    } else if (!isa<DeclBuffer>(node)) {
      refuse(node->span, fmt::format("the host would have to run {} between launches", kindName(node->kind())));
    }
  }

  void evaluate(const Evaluate& node) {
    if (isa<IntImm>(node.value)) return;
    const auto* call = as<Call>(node.value);
    const auto* symbol = call && intrinsicName(*call) == "tvm_call_packed" ? as<StringImm>(call->args[0]) : nullptr;
    for (size_t i = 0; symbol && i < form_.kernels.size(); ++i) {
      if (form_.kernels[i].symbol == symbol->value.view()) return launch(i, *call);
    }
    refuse(node.span, "the host would have to call a function between launches");
  }

  void launch(size_t kernel, const Call& call) {
    PlanLaunch made;
    made.kernel = kernel;
    for (auto* sizes : {&made.grid, &made.group}) sizes->fill(vm::ShapeProgram::constant(1));
    const size_t params = form_.kernels[kernel].function->params.size();
    for (size_t i = 0; i < params; ++i) made.arguments.push_back(argument(call.args[1 + i]));
    for (const TileOf& tile : tilesOf(*form_.kernels[kernel].function))
      made.arguments.push_back(mapOf(tile, kernel, made));
    const std::vector<std::string> tags = lower::launchTagsOf(*form_.kernels[kernel].function);
    for (size_t i = 0; i < tags.size() && 1 + params + i < call.args.size(); ++i)
      extent(made, tags[i], call.args[1 + params + i], call.span);
    plan_.launches.push_back(std::move(made));
  }

  /// Of the memory that an argument of the launch is.
  PlanArgument mapOf(const TileOf& tile, size_t kernel, const PlanLaunch& launch) {
    using From = PlanArgument::From;
    const auto& params = form_.kernels[kernel].function->params;
    const auto at = static_cast<size_t>(
        std::ranges::find_if(params, [&](const VarRef& param) { return param.get() == tile.memory; }) - params.begin());
    PlanArgument made;
    if (at < params.size()) made = launch.arguments[at];
    if (made.from != From::Buffer && made.from != From::Workspace)
      refuse(tile.memory->span, "a map is one of memory that the kernel is given");
    made.from = made.from == From::Workspace ? From::WorkspaceMap : From::BufferMap;
    made.map = tile.map;
    return made;
  }

  /// "blockIdx.x": the last letter is the axis.
  void extent(PlanLaunch& launch, std::string_view tag, const PrimExpr& value, Span span) {
    // Memory that threads share is declared by the kernel itself.
    if (tag == "tirx.use_dyn_shared_memory") return;
    const bool grid = tag.starts_with("blockIdx."), group = tag.starts_with("threadIdx.");
    const size_t axis = tag.empty() ? 3 : static_cast<size_t>(tag.back() - 'x');
    if ((!grid && !group) || axis > 2) return refuse(span, fmt::format("a launch has no place for {}", tag));
    (grid ? launch.grid : launch.group)[axis] = number(value);
  }

  PlanArgument argument(const PrimExpr& expr) {
    using From = PlanArgument::From;
    PlanArgument made;
    made.bits = expr->dtype.bits;
    const auto* var = as<Var>(expr);
    const auto numbered = [&](const std::unordered_map<const Var*, size_t>& numbers, From from) {
      const auto found = var ? numbers.find(var) : numbers.end();
      if (found == numbers.end()) return false;
      made.from = from;
      made.number = found->second;
      return true;
    };
    if (numbered(buffers_, From::Buffer) || numbered(workspaces_, From::Workspace) || numbered(reals_, From::Real)) {
      return made;
    }
    if (const auto* constant = as<FloatImm>(expr)) {
      made.from = From::RealConstant;
      made.constant = constant->value;
    } else if (expr->dtype.isIntegral()) {
      made.value = number(expr);
    } else {
      refuse(expr->span, fmt::format("the host does not know an argument of type {}", expr->dtype.str()));
    }
    return made;
  }

  void workspace(const Buffer& buffer) {
    PrimExpr bytes = intImm(std::max<int64_t>(buffer.dtype.bytes(), 1));
    for (const PrimExpr& extent : buffer.shape) {
      bytes = make<Mul>(bytes, extent->dtype == DataType::Int(64) ? extent : make<Cast>(DataType::Int(64), extent));
    }
    workspaces_[buffer.data.get()] = plan_.workspaces.size();
    plan_.workspaces.push_back(number(bytes));
  }

  /// A number from symbols alone: what was bound is put in its place, the last binding first.
  vm::ShapeProgram number(PrimExpr expr) {
    for (auto binding = bound_.rbegin(); binding != bound_.rend(); ++binding) {
      NodeRef made = rewriteNodes(expr, Into::Parts, nullptr, [&](const NodeRef& node) -> NodeRef {
        return node == binding->first ? NodeRef(binding->second) : node;
      });
      expr = cast<ExprNode>(made);
    }
    // Where a divisor is zero, any number will do: what is as large as that is empty, or its kernel says what is wrong.
    const NodeRef unmarked = rewriteNodes(expr, Into::Parts, nullptr, [](const NodeRef& node) -> NodeRef {
      const auto* call = as<Call>(node);
      if (!call || intrinsicName(*call) != "rx_divisor") return node;
      const PrimExpr& divisor = call->args[0];
      const PrimExpr isZero = make<EQ>(divisor, make<IntImm>(divisor->dtype, 0));
      return make<Select>(isZero, make<IntImm>(divisor->dtype, 1), divisor);
    });
    return lower::shapeProgram(cast<ExprNode>(unmarked), [&](const Var& var) -> std::optional<size_t> {
      const auto found = ints_.find(&var);
      if (found != ints_.end()) return found->second;
      refuse(var.span, fmt::format("the host does not know {} before the launch", var.name.view()));
      return std::nullopt;
    });
  }

  void refuse(Span span, std::string what) { errors_.push_back(errorAt(span, "codegen.unsupported", std::move(what))); }

  const lower::DeviceForm& form_;
  std::unordered_map<const Var*, size_t> buffers_, ints_, reals_, workspaces_;
  std::vector<std::pair<VarRef, PrimExpr>> bound_;
  DevicePlan plan_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

Result<DevicePlan> devicePlan(const lower::DeviceForm& form, const lower::Signature& signature) {
  return Planner(form, signature).run();
}

}  // namespace rx::codegen
