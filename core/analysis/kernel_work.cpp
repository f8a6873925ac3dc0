#include "core/analysis/kernel_work.h"

#include <algorithm>
#include <unordered_set>

#include "core/arith/canon.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/reflect.h"
#include "core/ir/shared_loops.h"
#include "core/ir/tile_products.h"

namespace rx::analysis {

void Times::multiply(const tir::PrimExpr& extent) {
  if (const auto* size = as<tir::IntImm>(extent)) {
    overflow = overflow || __builtin_mul_overflow(number, size->value, &number);
  } else {
    extents.push_back(extent);
  }
}

bool Times::operator==(const Times& other) const {
  return number == other.number && inWhile == other.inWhile && overflow == other.overflow &&
         arith::sameExprs(extents, other.extents);
}

namespace {

/// The arithmetic that is counted, by kind of node; everything else is free.
struct OperationRow {
  Kind kind;
  const char* name;
  bool arithmetic = true;  ///< of floating-point numbers it is one of the operations that FLOP counts
};
constexpr OperationRow kOperations[] = {
    {Kind::tir_Add, "add"},
    {Kind::tir_Sub, "subtract"},
    {Kind::tir_Mul, "multiply"},
    {Kind::tir_Div, "divide"},
    {Kind::tir_Min, "min"},
    {Kind::tir_Max, "max"},
    {Kind::tir_Select, "select", false},
    {Kind::tir_Cast, "cast", false},
    {Kind::tir_FloorDiv, "floor divide"},
    {Kind::tir_FloorMod, "floor mod"},
};

/// Calls that do another number of operations than one for each lane of what they give.
struct CallRow {
  std::string_view name;
  int operations;
};
constexpr CallRow kCalls[] = {
    {"fma", 2},          {"rx_dot_halves", 4},                 // a word holds two numbers
    {"rx_dot_bytes", 8}, {"if_then_else", 0},  {"likely", 0},  // which choose
    {"reinterpret", 0},  {"vectorlow", 0},     {"vectorhigh", 0}, {"vectorcombine", 0},
};

int operationsOfCall(std::string_view name) {
  const auto* row = std::ranges::find(kCalls, name, &CallRow::name);
  return row == std::end(kCalls) ? 1 : row->operations;
}

/// Calls of functions that are not of the text, by their names at all stages.
constexpr std::string_view kOutside[] = {"tvm_call_packed",  "tvm_call_packed_lowered",
                                         "tvm_call_cpacked", "tvm_call_cpacked_lowered",
                                         "call_extern",      "call_pure_extern"};

double bytesOf(DataType type) { return type.bits * std::max<double>(1, type.lanes) / 8; }

void addAccess(std::vector<Access>& accesses, const Times& times, double bytes) {
  const auto same = std::ranges::find(accesses, times, &Access::times);
  if (same != accesses.end()) {
    same->bytes += bytes;
  } else {
    accesses.push_back({times, bytes});
  }
}

DataType typeOf(const Node& node) { return static_cast<const tir::ExprNode&>(node).dtype; }

class WorkFinder {
 public:
  KernelWork run(const tir::PrimFunc& function) {
    for (const tir::VarRef& param : function.params) sizes_.insert(param.get());
    for (const tir::BufferRef& buffer : function.buffers) {
      if (!buffer) continue;
      use(buffer).param = true;
      if (buffer->data) data_.emplace(buffer->data.get(), buffer);
      for (const tir::PrimExpr& dim : buffer->shape)
        if (const auto* var = as<tir::Var>(dim)) sizes_.insert(var);
    }
    push(function.body, {});
    while (!waiting_.empty()) {
      const Waiting next = std::move(waiting_.back());
      waiting_.pop_back();
      statement(next.statement, next.times);
    }
    return std::move(work_);
  }

 private:
  struct Waiting {
    const tir::StmtNode* statement;
    Times times;
  };

  BufferUse& use(const tir::BufferRef& buffer) {
    const auto [at, fresh] = places_.emplace(buffer.get(), work_.buffers.size());
    if (fresh) work_.buffers.push_back({.buffer = buffer});
    return work_.buffers[at->second];
  }

  void push(const tir::Stmt& statement, const Times& times) {
    if (statement) waiting_.push_back({statement.get(), times});
  }

  /// What has statements below it pushes them; the rest is expressions.
  void statement(const tir::StmtNode* node, const Times& times) {
    if (const auto* sequence = as<tir::SeqStmt>(node)) {
      for (size_t i = sequence->seq.size(); i-- > 0;) push(sequence->seq[i], times);
    } else if (const auto* loop = as<tir::For>(node)) {
      if (loop->forKind == tir::ForKind::Parallel) work_.shared.push_back(times);
      Times inside = times;
      inside.multiply(known(loop->extent));
      push(loop->body, inside);
    } else if (const auto* realize = as<tir::BlockRealize>(node)) {
      for (const tir::BufferRef& buffer : realize->block->allocBuffers) use(buffer);
      push(realize->block->init, {});
      push(realize->block->body, times);
    } else if (const auto* attr = as<tir::AttrStmt>(node)) {
      Times inside = times;
      if (attr->key == tir::kThreadsIf) inside.threadsIf = known(attr->value);
      push(attr->body, inside);
    } else if (const auto* branch = as<tir::IfThenElse>(node)) {
      expression(branch->condition.get(), times);
      push(branch->elseCase, where(branch->condition, false, times));
      push(branch->thenCase, where(branch->condition, true, times));
    } else if (const auto* loop = as<tir::While>(node)) {
      Times inside = times;
      inside.inWhile = true;
      push(loop->body, inside);
    } else {
      leaf(node, times);
    }
  }

  /// Forms of a kernel for some sizes count where they run; of what else decides, both ways do.
  Times where(const tir::PrimExpr& condition, bool holds, const Times& times) const {
    const tir::PrimExpr decides = known(condition);
    if (!isOfSizes(decides)) return times;
    Times some = times;
    some.multiply(arith::select(decides, tir::intImm(int{holds}), tir::intImm(int{!holds})));
    return some;
  }

  /// By the sizes alone, as far as what is bound to names is computed from them.
  tir::PrimExpr known(const tir::PrimExpr& expr) const {
    return bound_.empty() ? expr : arith::substitute(expr, bound_);
  }
  bool isOfSizes(const tir::PrimExpr& expr) const {
    const std::vector<tir::VarRef> vars = arith::freeVars(expr);
    return !vars.empty() &&
           std::ranges::all_of(vars, [&](const tir::VarRef& var) { return sizes_.contains(var.get()); });
  }

  void leaf(const Node* node, const Times& times) {
    if (const auto* store = as<tir::BufferStore>(node)) {
      expression(store->value.get(), times);
      for (const tir::PrimExpr& index : store->indices) loads(*index, times);
      BufferUse& used = use(store->buffer);
      used.written = true;
      addAccess(used.writes, times, bytesOf(store->value->dtype));
    }
    if (const auto* bind = as<tir::Bind>(node)) {
      expression(bind->value.get(), times);
      if (const tir::PrimExpr value = known(bind->value); isOfSizes(value)) bound_[bind->var.get()] = value;
    }
    if (const auto* evaluate = as<tir::Evaluate>(node)) expression(evaluate->value.get(), times);
    if (const auto* alloc = as<tir::AllocBuffer>(node)) use(alloc->buffer);
    if (const auto* decl = as<tir::DeclBuffer>(node)) use(decl->buffer);
  }

  /// Buffers that are read, and the arithmetic on numbers that are not indices.
  void expression(const Node* root, const Times& times) {
    if (!root) return;
    walk(*root, Into::Parts, [&](const Node& node) {
      if (isa<tir::BufferLoad>(&node)) {
        loads(node, times);
        return false;
      }
      if (const auto* var = as<tir::Var>(&node))
        if (const auto handed = data_.find(var); handed != data_.end()) use(handed->second).handedOn = true;
      for (const OperationRow& row : kOperations)
        if (node.kind() == row.kind) count(row.name, times, typeOf(node), row.arithmetic);
      if (const auto* call = as<tir::Call>(&node))
        if (const auto* op = as<relax::Op>(call->op)) {
          const std::string_view name = op->name.view().substr(op->name.view().rfind('.') + 1);
          work_.opaque = work_.opaque || std::ranges::find(kOutside, name) != std::end(kOutside);
          if (const auto tiles = tir::tileProductsOf(*call)) {
            add({std::string(name), times, tiles->products(), tiles->ofHalves() ? 2 : 0, tiles->ofHalves() ? 0 : 2});
          } else {
            count(name, times, call->dtype, operationsOfCall(name));
          }
        }
      return true;
    });
  }

  /// Those of an expression and of their indices, whose arithmetic counts for nothing.
  void loads(const Node& root, const Times& times) {
    walk(root, Into::Parts, [&](const Node& node) {
      const auto* load = as<tir::BufferLoad>(&node);
      if (!load) return !isa<tir::Buffer>(&node);
      BufferUse& used = use(load->buffer);
      if (!used.written) {
        used.read = true;
        addAccess(used.reads, times, bytesOf(load->dtype));
      }
      return true;
    });
  }

  void count(std::string_view name, const Times& times, DataType type, int operations) {
    const bool whole = type.isInt() || type.isUInt();
    add({std::string(name), times, std::max<int64_t>(1, type.lanes), type.isFloat() ? operations : 0,
         whole ? operations : 0});
  }

  void add(Operation operation) {
    const auto found = std::ranges::find_if(work_.operations, [&](const Operation& each) {
      return each.flops == operation.flops && each.integers == operation.integers && each.name == operation.name &&
             each.times == operation.times;
    });
    if (found != work_.operations.end()) {
      found->count += operation.count;
    } else {
      work_.operations.push_back(std::move(operation));
    }
  }

  KernelWork work_;
  std::vector<Waiting> waiting_;
  std::unordered_map<const tir::Buffer*, size_t> places_;
  std::unordered_map<const tir::Var*, tir::BufferRef> data_;  ///< the parameters' memory
  arith::VarMap bound_;                        ///< what names stand for that are bound to something of sizes alone
  std::unordered_set<const tir::Var*> sizes_;  ///< variables of the signature
};

std::optional<double> timesOf(const Times& times, const arith::VarMap& values, arith::Canon& canon) {
  if (times.inWhile || times.overflow) return std::nullopt;
  auto all = static_cast<double>(times.number);
  for (const tir::PrimExpr& extent : times.extents) {
    const tir::PrimExpr known = canon.simplify(arith::substitute(extent, values));
    const auto* size = as<tir::IntImm>(known);
    if (!size) return std::nullopt;
    all *= static_cast<double>(size->value);
  }
  return all;
}

arith::VarMap valuesOf(const Sizes& sizes) {
  arith::VarMap values;
  for (const auto& [var, value] : sizes) values[var] = tir::intImm(value, var->dtype);
  return values;
}

}  // namespace

KernelWork workOf(const tir::PrimFunc& function) { return WorkFinder().run(function); }

bool runsOnThreads(const KernelWork& work, const Sizes& sizes) {
  const arith::VarMap values = valuesOf(sizes);
  arith::Canon canon;
  return std::ranges::any_of(work.shared, [&](const Times& times) {
    if (timesOf(times, values, canon) == 0.0) return false;
    if (!times.threadsIf) return true;
    // What can not be known may hold.
    return tir::asInt(canon.simplify(arith::substitute(times.threadsIf, values))) != 0;
  });
}

double bytesMoved(const BufferUse& use, double bytes, const Sizes& sizes) {
  const arith::VarMap values = valuesOf(sizes);
  arith::Canon canon;
  const auto moved = [&](const std::vector<Access>& accesses) {
    double all = 0;
    for (const Access& access : accesses) {
      const std::optional<double> times = timesOf(access.times, values, canon);
      all = times ? all + *times * access.bytes : bytes;
      if (all >= bytes) return bytes;
    }
    return all;
  };
  const double seen = moved(use.reads) + moved(use.writes);
  return use.handedOn ? std::max(seen, bytes) : seen;
}

namespace {

/// Of one kind, in a call.
std::optional<double> operationsOf(const KernelWork& work, const Sizes& sizes, int Operation::*kind) {
  if (work.opaque) return std::nullopt;
  const arith::VarMap values = valuesOf(sizes);
  arith::Canon canon;
  double all = 0;
  for (const Operation& operation : work.operations) {
    if (operation.*kind == 0) continue;
    const std::optional<double> times = timesOf(operation.times, values, canon);
    if (!times) return std::nullopt;
    all += *times * static_cast<double>(operation.count) * operation.*kind;
  }
  return all;
}

}  // namespace

std::optional<double> flopsOf(const KernelWork& work, const Sizes& sizes) {
  return operationsOf(work, sizes, &Operation::flops);
}

std::optional<double> integersOf(const KernelWork& work, const Sizes& sizes) {
  return operationsOf(work, sizes, &Operation::integers);
}

}  // namespace rx::analysis
