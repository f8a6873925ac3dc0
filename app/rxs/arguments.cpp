#include "app/rxs/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/rxs/planned_bounds.h"
#include "app/rxs/sliced_name.h"
#include "core/analysis/symbols.h"
#include "core/ir/reflect.h"
#include "core/lower/shape_program.h"
#include "core/script/print.h"
#include "core/support/memory_limit.h"
#include "core/tensor/safetensors.h"

namespace rx::cli {

namespace {

/// The value that a symbolic dimension without a given value takes in generated tensors, where its bounds allow it.
constexpr int64_t kGeneratedDimension = 4;

struct Bound {
  int64_t value;
  std::string by;  ///< "x, axis 0"
};

/// The value of a dimension whose variables are known; nothing where one is not.
std::optional<int64_t> shapeValue(const tir::PrimExpr& dim,
                                  const std::unordered_map<const tir::Var*, int64_t>& values) {
  std::vector<int64_t> numbers;
  const auto numberOf = [&](const tir::Var& var) -> std::optional<size_t> {
    const auto known = values.find(&var);
    if (known == values.end()) return std::nullopt;
    numbers.push_back(known->second);
    return numbers.size() - 1;
  };
  const vm::ShapeProgram program = lower::shapeProgram(dim, numberOf);
  return program.value(numbers);
}

class Gatherer {
 public:
  Gatherer(const relax::Function& function, std::string_view name, const ArgumentSources& sources)
      : function_(function), name_(name), sources_(sources), state_(sources.seed.value_or(0)) {
    for (const auto& [key, value] : sources.params) byName_[key] = value;
    for (const auto& [key, value] : sources.inputs) byName_[key] = value;
  }

  Result<std::vector<vm::Value>> gather(std::vector<dap::ParameterCheck>* checks) {
    checkChoices();
    // What files give binds the symbols; what is generated then follows them.
    for (const relax::VarRef& param : function_.params) bindGiven(param->name.string(), param->sinfo);
    std::vector<vm::Value> values;
    for (const relax::VarRef& param : function_.params) values.push_back(value(param->name.string(), param->sinfo));
    noteUnused();
    noteSymbols();
    checkBounds();
    if (checks) *checks = std::move(checks_);
    if (!problems_.empty()) return fail(std::move(problems_));
    return values;
  }

  /// Problems of what is given, whether or not it is all; `required`: the first parameter that has to be given.
  std::vector<Diagnostic> checkGiven(size_t required) {
    for (size_t i = 0; i < function_.params.size(); ++i) {
      const relax::VarRef& param = function_.params[i];
      bindGiven(param->name.string(), param->sinfo);
      if (i < required || !isa<relax::TensorStructInfo>(param->sinfo) || used_.contains(param->name.string())) continue;
      problem("run.missing-argument",
              fmt::format("no weight is given for {}: {}", param->name.view(), script::printStructInfo(param->sinfo)),
              "name it in the .npz");
    }
    return std::move(problems_);
  }
  bool uses(const std::string& name) const { return used_.contains(name); }

 private:
  void problem(std::string rule, std::string message, std::string fix = {}) {
    Diagnostic d = errorAt({}, std::move(rule), std::move(message));
    d.context = std::string(name_);
    d.fix = std::move(fix);
    problems_.push_back(std::move(d));
  }

  /// The name of the array that a parameter takes; kChooseZero or kChooseSeed where it takes none.
  std::string arrayOf(const std::string& name) const {
    auto choice = sources_.choices.find(name);
    return choice == sources_.choices.end() ? name : choice->second;
  }
  static bool isMade(std::string_view array) { return array == kChooseZero || array == kChooseSeed; }

  Ref<HostTensor> given(const std::string& name) {
    const std::string array = arrayOf(name);
    auto hit = isMade(array) ? byName_.end() : byName_.find(array);
    if (hit == byName_.end()) return isMade(array) ? nullptr : part(array);
    used_.insert(array);
    return hit->second;
  }

  /// The part of an array that a choice like "y[0:3]" takes; null where it is no such text, or the array has no such
  /// part.
  Ref<HostTensor> part(const std::string& choice) {
    const auto known = parts_.find(choice);
    if (known != parts_.end()) return known->second;
    const std::optional<SlicedName> name = slicedName(choice);
    auto hit = name ? byName_.find(name->array) : byName_.end();
    if (hit == byName_.end()) return nullptr;
    used_.insert(name->array);
    Result<Ref<HostTensor>> tensor = sliced(*hit->second, name->axes);
    return parts_[choice] = tensor ? *tensor : nullptr;
  }

  /// Choices have to name arrays that are there, and parameters that the function has.
  void checkChoices() {
    std::set<std::string> leaves;
    std::vector<std::pair<std::string, relax::StructInfo>> left;
    for (const relax::VarRef& param : function_.params) left.emplace_back(param->name.string(), param->sinfo);
    while (!left.empty()) {
      auto [name, info] = left.back();
      left.pop_back();
      leaves.insert(name);
      const auto* tuple = as<relax::TupleStructInfo>(info);
      for (size_t i = 0; tuple && i < tuple->items.size(); ++i)
        left.emplace_back(fmt::format("{}.{}", name, i), tuple->items[i]);
    }
    for (const auto& [name, array] : sources_.choices) {
      if (!leaves.contains(name)) {
        problem("run.choice", fmt::format("{} has no parameter \"{}\" to choose a value for", name_, name));
      } else if (!isMade(array) && !byName_.contains(array) && !part(array)) {
        problem("run.choice", fmt::format("no file gives an array \"{}\", which {} is to take", array, name));
      }
    }
  }

  void bindGiven(const std::string& name, const relax::StructInfo& info) {
    if (const auto* tuple = as<relax::TupleStructInfo>(info)) {
      for (size_t i = 0; i < tuple->items.size(); ++i) bindGiven(fmt::format("{}.{}", name, i), tuple->items[i]);
      return;
    }
    Ref<HostTensor> tensor = given(name);
    row(name, info, tensor.get());
    if (tensor) check(name, info, *tensor);
  }

  /// Begins the row of a parameter in the checks; what is found later is noted in the last row.
  void row(const std::string& name, const relax::StructInfo& info, const HostTensor* tensor) {
    dap::ParameterCheck check;
    check.name = name;
    check.wants = info ? script::printStructInfo(info) : std::string();
    if (const auto* wanted = as<relax::TensorStructInfo>(info)) {
      if (!wanted->dtype.isVoid()) check.wantsDtype = wanted->dtype.str();
      check.wants = wanted->ndim < 0 ? "any shape" : fmt::format("{} dimensions", wanted->ndim);
      if (const auto* shape = as<relax::ShapeExpr>(wanted->shape)) {
        std::vector<std::string> dims;
        for (const tir::PrimExpr& dim : shape->values) {
          dims.push_back(script::printPrimExpr(dim));
          check.axes.push_back({dims.back(), {}, {}, "open", {}});
        }
        check.wants = fmt::format("({}{})", fmt::join(dims, ", "), dims.size() == 1 ? "," : "");
      }
    }
    const std::string array = arrayOf(name);
    if (tensor) {
      check.array = array;
      check.source = sourceOf(array);
      check.given = tensor->shape();
      check.givenDtype = tensor->dtype().str();
      check.bytes = tensor->bytes();
    } else if (sources_.seed || isMade(array)) {
      check.source = array == kChooseZero ? "zero" : "seed";
      check.array = array == kChooseZero ? kChooseZero : kChooseSeed;
    } else {
      check.verdict = "missing";
    }
    checks_.push_back(std::move(check));
  }

  const char* sourceOf(const std::string& array) const {
    const std::optional<SlicedName> part = byName_.contains(array) ? std::nullopt : slicedName(array);
    const std::string& name = part ? part->array : array;
    const auto named = [&](const NamedTensor& entry) { return entry.first == name; };
    return std::any_of(sources_.inputs.begin(), sources_.inputs.end(), named) ? "inputs" : "params";
  }

  void check(const std::string& name, const relax::StructInfo& info, const HostTensor& tensor) {
    if (const auto* prim = as<relax::PrimStructInfo>(info)) {
      if (tensor.count() == 1 && prim->value && prim->dtype.isIntegral())
        bindDim(name, -1, prim->value, tensor.intAt(0));
      return;
    }
    if (const auto* shape = as<relax::ShapeStructInfo>(info)) {
      for (size_t i = 0; shape->known && i < shape->values.size() && static_cast<int64_t>(i) < tensor.count(); ++i) {
        bindDim(name, static_cast<int64_t>(i), shape->values[i], tensor.intAt(static_cast<int64_t>(i)));
      }
      return;
    }
    const auto* expected = as<relax::TensorStructInfo>(info);
    if (!expected) return;
    if (!expected->dtype.isVoid() && expected->dtype != tensor.dtype()) {
      checks_.back().verdict = "dtype";
      problem("run.argument-dtype", fmt::format("{} has to have elements of type {}, the file gives {}", name,
                                                expected->dtype.str(), tensor.dtype().str()));
    }
    if (expected->ndim != relax::kUnknownDim && expected->ndim != tensor.rank()) {
      checks_.back().verdict = "rank";
      return problem("run.argument-rank", fmt::format("{} has to have {} dimensions, the file gives {}", name,
                                                      expected->ndim, shapeText(tensor.shape())));
    }
    const auto* shape = as<relax::ShapeExpr>(expected->shape);
    for (size_t i = 0; shape && i < shape->values.size(); ++i) {
      bindDim(name, static_cast<int64_t>(i), shape->values[i], tensor.shape()[i]);
    }
  }

  void bindDim(const std::string& name, int64_t axis, const tir::PrimExpr& dim, int64_t actual) {
    std::string place = axis < 0 ? name : fmt::format("{}, axis {}", name, axis);
    const auto* var = as<tir::Var>(dim);
    if (var && bound_.emplace(var, Bound{actual, place}).second) {
      values_[var] = actual;
      return noteAxis(axis, {script::printPrimExpr(dim), actual, actual, "binds", {}});
    }
    std::optional<int64_t> expected = shapeValue(dim, values_);
    const char* verdict = !expected ? "open" : *expected == actual ? "fits" : "differs";
    noteAxis(axis, {script::printPrimExpr(dim), expected, actual, verdict, var ? bound_[var].by : std::string()});
    if (!expected || *expected == actual) return;
    checks_.back().verdict = "axis";
    std::string text = script::printPrimExpr(dim);
    if (var) {
      problem("run.argument-shape",
              fmt::format("{} is {}, but {} = {} was bound by {}", place, actual, text, *expected, bound_[var].by),
              fmt::format("give {} and {} the same size", place, bound_[var].by));
    } else if (tir::asInt(dim)) {
      problem("run.argument-shape", fmt::format("{} has to be {}, it is {}", place, *expected, actual));
    } else {
      problem("run.argument-shape", fmt::format("{} has to be {} = {}, it is {}", place, text, *expected, actual));
    }
  }

  void noteAxis(int64_t axis, dap::AxisCheck check) {
    std::vector<dap::AxisCheck>& axes = checks_.back().axes;
    const auto at = static_cast<size_t>(std::max<int64_t>(axis, 0));
    if (at >= axes.size()) axes.resize(at + 1);
    axes[at] = std::move(check);
  }

  vm::Value value(const std::string& name, const relax::StructInfo& info) {
    if (const auto* tuple = as<relax::TupleStructInfo>(info)) {
      std::vector<vm::Value> items;
      for (size_t i = 0; i < tuple->items.size(); ++i)
        items.push_back(value(fmt::format("{}.{}", name, i), tuple->items[i]));
      return vm::Value::tuple(std::move(items));
    }
    Ref<HostTensor> tensor = given(name);
    const std::string array = arrayOf(name);
    const size_t before = problems_.size();
    if (!tensor && (sources_.seed || isMade(array))) tensor = generated(name, info, array == kChooseZero);
    if (!tensor && problems_.size() > before) return {};  // it was to be generated, and why it can not be is said
    if (!tensor) {
      const bool array =
          isa<relax::TensorStructInfo>(info) || isa<relax::ShapeStructInfo>(info) || isa<relax::PrimStructInfo>(info);
      problem("run.missing-argument", fmt::format("no value is given for {}: {}", name, script::printStructInfo(info)),
              array ? "name it in a file, map an array to it with --map, or generate it with --seed"
                    : "no file and no seed gives what is no array: run a function that makes it and calls this one");
      return {};
    }
    if (isa<relax::ShapeStructInfo>(info)) return shapeOf(*tensor);
    if (const auto* prim = as<relax::PrimStructInfo>(info)) return scalarOf(*prim, *tensor);
    return vm::Value::of(tensor);
  }

  static vm::Value shapeOf(const HostTensor& tensor) {
    std::vector<int64_t> dims;
    for (int64_t i = 0; i < tensor.count(); ++i) dims.push_back(tensor.intAt(i));
    return vm::Value::shape(std::move(dims));
  }

  vm::Value scalarOf(const relax::PrimStructInfo& info, const HostTensor& tensor) {
    if (tensor.count() != 1) {
      problem("run.argument-rank",
              fmt::format("a single number is needed, the file gives {}", shapeText(tensor.shape())));
      return {};
    }
    if (info.dtype.isFloat()) return vm::Value::of(tensor.at(0));
    return info.dtype.isBool() ? vm::Value::of(tensor.intAt(0) != 0) : vm::Value::of(tensor.intAt(0));
  }

  int64_t usualSize(const tir::Var& var) const {
    const auto symbol =
        std::find_if(symbols_.begin(), symbols_.end(), [&](const auto& s) { return s.var.get() == &var; });
    if (symbol == symbols_.end()) return kGeneratedDimension;
    return std::max(std::min(kGeneratedDimension, symbol->upper.value_or(kGeneratedDimension)),
                    symbol->lower.value_or(0));
  }

  int64_t dimension(const tir::PrimExpr& dim) {
    if (const auto* var = as<tir::Var>(dim)) {
      auto set = sources_.symbols.find(var->name.string());
      values_.emplace(var, set == sources_.symbols.end() ? usualSize(*var) : set->second);
    }
    return shapeValue(dim, values_).value_or(kGeneratedDimension);
  }

  Ref<HostTensor> generated(const std::string& name, const relax::StructInfo& info, bool zero) {
    if (const auto* shape = as<relax::ShapeStructInfo>(info)) {
      std::vector<int64_t> dims(static_cast<size_t>(std::max<int64_t>(shape->ndim, 0)), kGeneratedDimension);
      for (size_t i = 0; shape->known && i < dims.size(); ++i) dims[i] = dimension(shape->values[i]);
      auto made = HostTensor::fromInts({static_cast<int64_t>(dims.size())}, DataType::Int(64), dims);
      return made ? *made : nullptr;
    }
    if (const auto* prim = as<relax::PrimStructInfo>(info)) {
      return HostTensor::scalarInt(DataType::Int(64), prim->value ? dimension(prim->value) : kGeneratedDimension);
    }
    const auto* tensor = as<relax::TensorStructInfo>(info);
    if (!tensor) return nullptr;
    std::vector<int64_t> dims(static_cast<size_t>(std::max<int64_t>(tensor->ndim, 0)), kGeneratedDimension);
    const auto* shape = as<relax::ShapeExpr>(tensor->shape);
    for (size_t i = 0; shape && i < dims.size(); ++i) dims[i] = dimension(shape->values[i]);
    DataType dtype = tensor->dtype.isVoid() ? DataType::Float(32) : tensor->dtype;
    const MemoryLimit memory = memoryLimit();
    const auto bytes = tensorBytes(dims, dtype);
    auto made = bytes && static_cast<uint64_t>(*bytes) > memory.bytes
                    ? fail("tensor.memory",
                           fmt::format("to generate {} of {} takes {}, {} are there: {}", name, shapeText(dims),
                                       memoryText(*bytes), memoryText(memory.bytes), memory.why))
                    : HostTensor::allocate(dims, dtype);
    if (!made) {
      problems_.insert(problems_.end(), made.diagnostics().begin(), made.diagnostics().end());
      return nullptr;
    }
    if (zero) return *made;
    // Floats lie in [-1, 1), small integers in [0, 4): both keep sums small and indices in range of generated shapes.
    for (int64_t i = 0; i < (*made)->count(); ++i) {
      uint64_t random = next();
      if (dtype.isFloat()) {
        (*made)->set(i, static_cast<double>(random >> 11) * 0x1.0p-52 - 1.0);
      } else {
        (*made)->setInt(i, static_cast<int64_t>(random >> 33) % (dtype.isBool() ? 2 : kGeneratedDimension));
      }
    }
    return *made;
  }

  /// splitmix64: the same numbers for the same seed everywhere.
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  void noteUnused() {
    std::string names;
    for (const relax::VarRef& param : function_.params)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", param->name.view());
    for (const auto& [name, tensor] : byName_) {
      if (used_.contains(name)) continue;
      row(name, nullptr, tensor.get());
      checks_.back().verdict = "extra";
      if (sources_.ignoreExtra) continue;
      problem("run.unknown-argument", fmt::format("{} has no parameter \"{}\", which a file gives", name_, name),
              fmt::format("its parameters: {}; name a file with these alone, or none and a seed makes them", names));
    }
  }

  void noteSymbols() {
    std::set<std::string> known;
    for (const relax::VarRef& param : function_.params) {
      walk(*param->sinfo, Into::Parts, [&](const Node& node) {
        if (const auto* var = as<tir::Var>(&node)) known.insert(var->name.string());
        return true;
      });
    }
    for (const auto& [name, value] : sources_.symbols) {
      if (known.contains(name)) continue;
      problem("run.symbol", fmt::format("the parameters of {} have no symbol \"{}\"", name_, name),
              fmt::format("their symbols: {}", fmt::join(known, ", ")));
    }
  }

  /// What the function says of its symbols is what its memory was planned for.
  void checkBounds() {
    for (const analysis::Symbol& symbol : symbols_) {
      const auto known = values_.find(symbol.var.get());
      if (known == values_.end()) continue;
      const bool above = symbol.upper && known->second > *symbol.upper;
      if (!above && !(symbol.lower && known->second < *symbol.lower)) continue;
      const auto from = bound_.find(symbol.var.get());
      problems_.push_back(beyondBound(symbol.var->name.view(), known->second,
                                      from == bound_.end() ? std::string_view() : from->second.by, name_, above,
                                      above ? *symbol.upper : *symbol.lower));
    }
  }

  const relax::Function& function_;
  std::string_view name_;
  const ArgumentSources& sources_;
  const std::vector<analysis::Symbol> symbols_ = analysis::symbolTable(function_);
  uint64_t state_;
  std::map<std::string, Ref<HostTensor>> byName_;
  std::map<std::string, Ref<HostTensor>> parts_;  // by the choice that takes them
  std::set<std::string> used_;
  std::unordered_map<const tir::Var*, int64_t> values_;
  std::unordered_map<const tir::Var*, Bound> bound_;
  std::vector<Diagnostic> problems_;
  std::vector<dap::ParameterCheck> checks_;
};

}  // namespace

Result<std::vector<vm::Value>> gatherArguments(const relax::Function& function, std::string_view name,
                                               const ArgumentSources& sources,
                                               std::vector<dap::ParameterCheck>* checks) {
  return Gatherer(function, name, sources).gather(checks);
}

Result<Unit> addChoice(ArgumentSources& sources, const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return fail("run.choice", fmt::format("expected PARAMETER=ARRAY, @zero or @seed, not \"{}\"", text));
  sources.choices[text.substr(0, equals)] = text.substr(equals + 1);
  return Unit{};
}

Result<Unit> checkWeights(const ir::Module& module, const std::vector<NamedTensor>& weights) {
  std::vector<Diagnostic> problems;
  std::set<std::string> used;
  ArgumentSources sources;
  sources.params = weights;
  for (size_t i = 0; i < module->size(); ++i) {
    auto function = refAs<relax::Function>(module->functions[i]);
    if (!function) continue;
    std::string name = module->vars[i]->name.string();
    Gatherer gatherer(*function, name, sources);
    const auto count = static_cast<int64_t>(function->params.size());
    const int64_t inputs = weights.empty() ? count : ir::intAttrOf(function->attrs, "num_input", count);
    for (Diagnostic& d : gatherer.checkGiven(static_cast<size_t>(std::clamp<int64_t>(inputs, 0, count))))
      problems.push_back(std::move(d));
    for (const auto& [key, tensor] : weights) {
      if (gatherer.uses(key)) used.insert(key);
    }
  }
  for (const auto& [key, tensor] : weights) {
    if (!used.contains(key))
      problems.push_back(
          errorAt({}, "run.unknown-argument", fmt::format("no function of the module has a parameter \"{}\"", key)));
  }
  if (!problems.empty()) return fail(std::move(problems));
  return Unit{};
}

Result<std::vector<NamedTensor>> readArrays(const std::string& path) {
  if (path.empty()) return std::vector<NamedTensor>();
  if (path.ends_with(".safetensors")) return readSafetensors(path);
  if (!path.ends_with(".npy")) return readNpz(path);
  RX_TRY(tensor, readNpy(path));
  return std::vector<NamedTensor>{{std::filesystem::path(path).stem().string(), tensor}};
}

Result<std::vector<NamedTensor>> readArrays(const std::vector<std::string>& paths) {
  std::vector<NamedTensor> all;
  for (const std::string& path : paths) {
    RX_TRY(arrays, readArrays(path));
    std::move(arrays.begin(), arrays.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace rx::cli
