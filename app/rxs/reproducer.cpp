#include "app/rxs/reproducer.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "app/rxs/child_work.h"
#include "core/analysis/free_vars.h"
#include "core/compile/request/languages.h"
#include "core/debug/given_values.h"
#include "core/ir/language.h"
#include "core/support/file.h"
#include "core/support/temporary_folder.h"

namespace rx::cli {
namespace {

using Tensors = std::vector<NamedTensor>;

/// A module and what its function is given.
struct Candidate {
  ir::Module module;
  Tensors inputs;
};

/// The module without what the function does not reach.
ir::Module reachable(const ir::Module& module, const relax::GlobalVarRef& var, const relax::FunctionRef& function) {
  std::unordered_set<const relax::GlobalVar*> called{var.get()};
  std::vector<relax::Expr> open{function};
  while (!open.empty()) {
    const relax::Expr at = std::move(open.back());
    open.pop_back();
    for (const relax::GlobalVarRef& callee : analysis::calledGlobals(at)) {
      if (!called.insert(callee.get()).second) continue;
      if (const auto next = refAs<relax::Function>(module->find(callee.get()))) open.push_back(next);
    }
  }
  std::vector<ir::IRModule::Entry> entries;
  for (const ir::IRModule::Entry& entry : module->entries()) {
    if (entry.first == var)
      entries.emplace_back(var, function);
    else if (called.contains(entry.first.get()))
      entries.push_back(entry);
  }
  return module->with(std::move(entries));
}

/// Cuts a function to some of its bindings, in blocks as they were. A variable that is bound before them is a
/// parameter.
class Cutter {
 public:
  Cutter(const Candidate& whole, std::string_view function)
      : whole_(whole),
        var_(whole.module->findVar(Str(function))),
        function_(refAs<relax::Function>(whole.module->find(Str(function)))) {
    for (const relax::BlockRef& block : function_->body->blocks)
      for (const relax::Binding& binding : block->bindings) bindings_.push_back(binding);
  }
  size_t size() const { return bindings_.size(); }
  const relax::VarRef& variable(size_t at) const { return bindings_[at]->var; }

  /// Bindings [from, to), of which the last is given back, or what the function gave where `to` is their end. `values`:
  /// of what is bound before `from`; nothing where one that is needed is not there.
  std::optional<Candidate> cut(size_t from, size_t to, const Tensors& values) const {
    Array<relax::BlockRef> blocks = blocksOf(from, to);
    relax::Expr result = function_->body->body;
    if (to < bindings_.size()) result = returned(blocks, bindings_[to - 1]->var);
    const auto body = make<relax::SeqExpr>(blocks, result);
    std::vector<relax::VarRef> params;
    Candidate made;
    for (const relax::VarRef& var : analysis::freeVars(body)) {
      const Tensors& from = isParam(*var) ? whole_.inputs : values;
      const auto value = std::find_if(from.begin(), from.end(),
                                      [&](const NamedTensor& each) { return var->name.view() == each.first; });
      if (value == from.end()) return std::nullopt;
      params.push_back(var);
      made.inputs.push_back(*value);
    }
    const auto function = make<relax::Function>(Array<relax::VarRef>(std::move(params)), body, result->sinfo,
                                                function_->isPure, ir::withoutAttr(function_->attrs, "num_input"));
    made.module = reachable(whole_.module, var_, function);
    return made;
  }

 private:
  bool isParam(const relax::Var& var) const {
    return std::any_of(function_->params.begin(), function_->params.end(),
                       [&](const relax::VarRef& each) { return each.get() == &var; });
  }
  Array<relax::BlockRef> blocksOf(size_t from, size_t to) const {
    std::vector<relax::BlockRef> blocks;
    size_t at = 0;
    for (const relax::BlockRef& block : function_->body->blocks) {
      std::vector<relax::Binding> kept;
      for (const relax::Binding& binding : block->bindings) {
        if (at >= from && at < to) kept.push_back(binding);
        ++at;
      }
      if (!kept.empty()) blocks.push_back(blockLike(*block, std::move(kept)));
    }
    return Array<relax::BlockRef>(std::move(blocks));
  }
  static relax::BlockRef blockLike(const relax::BindingBlock& block, std::vector<relax::Binding> bindings) {
    Array<relax::Binding> all(std::move(bindings));
    return block.kind() == Kind::relax_DataflowBlock ? relax::BlockRef(make<relax::DataflowBlock>(std::move(all)))
                                                     : make<relax::BindingBlock>(std::move(all));
  }
  /// A variable that is seen outside of its block; of one that is not a name that is.
  static relax::Expr returned(Array<relax::BlockRef>& blocks, const relax::VarRef& last) {
    if (last->kind() != Kind::relax_DataflowVar) return last;
    const auto seen = make<relax::Var>(Str("result"), last->sinfo);
    std::vector<relax::BlockRef> all(blocks.begin(), blocks.end());
    std::vector<relax::Binding> bindings(all.back()->bindings.begin(), all.back()->bindings.end());
    bindings.push_back(make<relax::VarBinding>(seen, last));
    all.back() = blockLike(*all.back(), std::move(bindings));
    blocks = Array<relax::BlockRef>(std::move(all));
    return seen;
  }

  const Candidate& whole_;
  relax::GlobalVarRef var_;
  relax::FunctionRef function_;
  std::vector<relax::Binding> bindings_;
};

class Writer {
 public:
  Writer(const StageRuns::Setup& setup, std::string pass, std::string folder, std::optional<ConfinedOutputs> confined)
      : setup_(setup), folder_(std::move(folder)), confined_(std::move(confined)) {
    setup_.passes = std::move(pass);
    setup_.input = {};
    setup_.input.path = folder_ + "/module.py";
    setup_.values = {};
    setup_.values.function = setup.values.function;
    setup_.values.inputs = {folder_ + "/inputs.npz"};
    setup_.expect.clear();
  }

  /// Whether the pass makes something else of it; leaves its files, and the values of its own bindings.
  Result<bool> shows(const Candidate& candidate) {
    RX_TRY(runs, TemporaryFolder::make("rxs-reproducer"));
    RX_CHECK(write(candidate));
    StageRuns::Setup setup = setup_;
    setup.folder = runs.path();
    std::optional<ConfinedOutputs> confined = confined_;
    if (confined) confined->folders.push_back(runs.path());
    const StageRuns work(setup);
    StageSearch search(
        work, confined, [](const StageRow&, size_t) {}, [] {});
    const StageRuns::Json why = search.find(false);
    const bool is = why.is_null() && search.guilty() == size_t{1};
    if (is) values_ = valuesOf(work.recordingOf(0), candidate);
    return is;
  }
  Result<Unit> write(const Candidate& candidate) const {
    RX_CHECK(writeFile(setup_.input.path, compile::moduleText(candidate.module)));
    return writeNpz(setup_.values.inputs.front(), candidate.inputs);
  }
  /// Of the bindings of the candidate that showed it last.
  const Tensors& values() const { return values_; }

  std::string command() const {
    std::string text = fmt::format("rxs bisect {} --passes '{}' --inputs {}", setup_.input.path, setup_.passes,
                                   setup_.values.inputs.front());
    if (setup_.values.function != "main") text += " --func " + setup_.values.function;
    if (setup_.limit) text += fmt::format(" --limit {}", *setup_.limit);
    return text;
  }

 private:
  /// Tensors by the names of the variables; of a name that comes again none, since files know no other.
  Tensors valuesOf(const std::string& recording, const Candidate& candidate) const {
    Tensors values;
    const auto run = debug::Recording::open(recording);
    if (!run) return values;
    const auto given = debug::givenIn(**run);
    const int function = (*run)->program().stages.front()->functionIndex(setup_.values.function);
    const Cutter bindings(candidate, setup_.values.function);
    for (size_t i = 0; given && i < bindings.size(); ++i) {
      const auto at = given->find({function, static_cast<int>(i)});
      if (at == given->end()) continue;
      const auto value = (*run)->valueAt(at->second.back().place);
      if (!value || value->kind != debug::ValueKind::Tensor) continue;
      if (auto own = value->tensor->copy()) values.emplace_back(bindings.variable(i)->name.string(), *own);
    }
    return values;
  }

  StageRuns::Setup setup_;
  std::string folder_;
  std::optional<ConfinedOutputs> confined_;
  Tensors values_;
};

/// The inputs of the function as a file can hold them.
Result<Tensors> inputsOf(const StageRuns::Setup& setup, const relax::Function& function) {
  RX_TRY(values, valuesFor(setup.values, setup.input.path, function));
  Tensors inputs;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is(vm::ValueKind::Tensor))
      return fail("bisect.reproducer", fmt::format("the parameter {} is no tensor, and no file of arrays can hold it",
                                                   function.params[i]->name.view()));
    inputs.emplace_back(function.params[i]->name.string(), Ref<HostTensor>(&values[i].tensor()));
  }
  return inputs;
}

/// Cuts behind, then in front: the fewest bindings that a binary search finds, each cut tried.
Result<Candidate> reduced(Writer& writer, Candidate whole, std::string_view function) {
  const Cutter behind(whole, function);
  size_t shows = behind.size(), not_ = 0;
  Candidate best = whole;
  while (shows - not_ > 1) {
    const size_t middle = not_ + (shows - not_) / 2;
    const std::optional<Candidate> made = behind.cut(0, middle, {});
    RX_TRY(is, made ? writer.shows(*made) : Result<bool>(false));
    if (is) best = *made;
    (is ? shows : not_) = middle;
  }
  RX_TRY(still, writer.shows(best));
  if (!still) return whole;
  const Tensors values = writer.values();
  const Candidate cutBehind = best;
  const Cutter front(cutBehind, function);
  size_t from = 0, end = front.size();
  while (end - from > 1) {
    const size_t middle = from + (end - from) / 2;
    const std::optional<Candidate> made = front.cut(middle, front.size(), values);
    RX_TRY(is, made ? writer.shows(*made) : Result<bool>(false));
    if (is) best = *made;
    (is ? from : end) = middle;
  }
  return best;
}

Result<Reproducer> ofStages(const StageRuns::Setup& setup, const pass::History& history, size_t before, size_t after,
                            const std::string& folder) {
  RX_CHECK(writeFile(folder + "/0-before.py", compile::moduleText(history.stage(before))));
  RX_CHECK(writeFile(folder + "/1-after.py", compile::moduleText(history.stage(after))));
  const auto function = refAs<relax::Function>(history.stage(before)->find(Str(setup.values.function)));
  if (!function) return fail("bisect.reproducer", "the stage before has no such function");
  RX_TRY(inputs, inputsOf(setup, *function));
  const std::string file = folder + "/inputs.npz";
  RX_CHECK(writeNpz(file, inputs));
  Reproducer made;
  made.command = fmt::format("rxs bisect {} --inputs {} --func {}", folder, file, setup.values.function);
  for (const relax::BlockRef& block : function->body->blocks) made.bindings += block->bindings.size();
  made.bindingsBefore = made.bindings;
  made.inputs = inputs.size();
  return made;
}

}  // namespace

Result<Reproducer> writeReproducer(const StageRuns::Setup& setup, const StageSearch& search, const std::string& folder,
                                   std::optional<ConfinedOutputs> confined) {
  const size_t guilty = *search.guilty();
  if (guilty == 0) return fail("bisect.reproducer", "the first stage itself is wrong: no pass made it so");
  const StageRow &row = search.rows()[guilty], &last = search.rows()[guilty - 1];
  std::error_code made;
  std::filesystem::create_directories(folder, made);
  RX_TRY(history, StageRuns(setup).stages());
  if (!last.module) return fail("bisect.reproducer", "the stage before the guilty one can not be read");
  if (row.call.empty() || !row.file.empty()) {
    if (!row.module)
      return fail("bisect.reproducer", "the guilty stage can not be read: its file shows that by itself");
    return ofStages(setup, history, *last.module, *row.module, folder);
  }
  Candidate whole{history.stage(*last.module), {}};
  const auto function = refAs<relax::Function>(whole.module->find(Str(setup.values.function)));
  if (!function) return fail("bisect.reproducer", "the stage before has no such function of Relax");
  RX_TRY(inputs, inputsOf(setup, *function));
  whole.inputs = std::move(inputs);
  Writer writer(setup, row.call, folder, std::move(confined));
  RX_TRY(shows, writer.shows(whole));
  if (!shows)
    return fail("bisect.reproducer",
                fmt::format("{} alone, on the stage before it, makes nothing else: the difference needs the passes "
                            "before it, too",
                            row.call));
  const size_t all = Cutter(whole, setup.values.function).size();
  RX_TRY(least, reduced(writer, whole, setup.values.function));
  RX_CHECK(writer.write(least));
  return Reproducer{writer.command(), Cutter(least, setup.values.function).size(), all, least.inputs.size(), true};
}

}  // namespace rx::cli
