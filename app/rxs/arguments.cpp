#include "app/rxs/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "core/tensor/npy.h"

namespace rx::cli {

namespace {

/// Size of a symbolic dimension that nothing gives.
constexpr int64_t kMadeSize = 4;

using TensorMap = std::map<std::string, std::pair<Ref<HostTensor>, std::string>>;  // and the file it came from

Result<TensorMap> readAll(const ArgumentSources& sources) {
  TensorMap all;
  for (const std::string* path : {&sources.params, &sources.inputs}) {
    if (path->empty()) continue;
    Result<std::vector<NamedTensor>> tensors = readNpz(*path);
    if (!tensors) return tensors.failure();
    for (auto& [name, tensor] : *tensors) {
      auto [it, added] = all.try_emplace(name, std::move(tensor), *path);
      if (!added) {
        return fail("input.twice", fmt::format("`{}` is in {} and in {}", escapedForDisplay(name),
                                               escapedForDisplay(it->second.second), escapedForDisplay(*path)));
      }
    }
  }
  return all;
}

/// What a parameter wants, in short.
struct Wanted {
  const relax::TensorStructInfo* tensor = nullptr;
  const relax::ShapeStructInfo* shape = nullptr;
  const relax::PrimStructInfo* prim = nullptr;
  const relax::ShapeExpr* dims = nullptr;

  explicit Wanted(const relax::StructInfo& info)
      : tensor(as<relax::TensorStructInfo>(info)),
        shape(as<relax::ShapeStructInfo>(info)),
        prim(as<relax::PrimStructInfo>(info)),
        dims(tensor ? as<relax::ShapeExpr>(tensor->shape) : nullptr) {}
};

Diagnostic finding(const char* rule, const std::string& name, const std::string& file, std::string what) {
  std::string from = file.empty() ? std::string() : " (from " + escapedForDisplay(file) + ")";
  return errorAt({}, rule, fmt::format("parameter `{}`{}: {}", escapedForDisplay(name), from, what));
}

std::optional<Diagnostic> checkTensor(const std::string& name, const std::string& file, const HostTensor& tensor,
                                      const Wanted& wanted) {
  if (!wanted.tensor->dtype.isVoid() && wanted.tensor->dtype != tensor.dtype())
    return finding(
        "input.dtype", name, file,
        fmt::format("has element type {}, the program takes {}", tensor.dtype().str(), wanted.tensor->dtype.str()));
  if (wanted.tensor->ndim >= 0 && wanted.tensor->ndim != tensor.rank())
    return finding("input.shape", name, file,
                   fmt::format("has shape {}, which is {} dimensions; the program takes {}", shapeText(tensor.shape()),
                               tensor.rank(), wanted.tensor->ndim));
  if (!wanted.dims) return {};
  for (size_t i = 0; i < wanted.dims->values.size(); ++i) {
    const auto* number = as<tir::IntImm>(wanted.dims->values[i]);
    if (number && number->value != tensor.shape()[i])
      return finding("input.shape", name, file,
                     fmt::format("axis {} is {}, the program takes {}", i, tensor.shape()[i], number->value));
  }
  return {};
}

/// The value that a parameter gets from a tensor: itself, or the number or shape that it holds.
Result<vm::Value> fromTensor(const std::string& name, const std::string& file, const Ref<HostTensor>& tensor,
                             const Wanted& wanted) {
  if (wanted.tensor) {
    if (auto wrong = checkTensor(name, file, *tensor, wanted)) return fail(*wrong);
    return vm::Value::of(tensor);
  }
  if (wanted.prim) {
    if (tensor->rank() != 0)
      return fail(finding("input.kind", name, file, "the program takes one number, not a tensor"));
    if (wanted.prim->dtype.isBool()) return vm::Value::of(tensor->intAt(0) != 0);
    if (wanted.prim->dtype.isFloat()) return vm::Value::of(tensor->at(0));
    return vm::Value::of(tensor->intAt(0));
  }
  if (wanted.shape) {
    bool right = tensor->rank() == 1 && tensor->dtype().isIntegral() &&
                 (wanted.shape->ndim < 0 || wanted.shape->ndim == tensor->count());
    if (!right) return fail(finding("input.kind", name, file, "the program takes a shape: a row of integers"));
    std::vector<int64_t> dims;
    for (int64_t i = 0; i < tensor->count(); ++i) dims.push_back(tensor->intAt(i));
    return vm::Value::shape(std::move(dims));
  }
  return vm::Value::of(tensor);
}

/// Makes inputs from a seed; the same seed gives the same values everywhere.
class Maker {
 public:
  Maker(uint64_t seed, std::map<std::string, int64_t> symbols) : random_(seed), symbols_(std::move(symbols)) {}

  /// Takes the sizes of symbols from an input that is there.
  void learn(const Wanted& wanted, const HostTensor& tensor) {
    if (!wanted.dims || static_cast<int64_t>(wanted.dims->values.size()) != tensor.rank()) return;
    for (size_t i = 0; i < wanted.dims->values.size(); ++i)
      if (const auto* var = as<tir::Var>(wanted.dims->values[i]))
        symbols_.emplace(var->name.string(), tensor.shape()[i]);
  }

  Result<vm::Value> make(const std::string& name, const Wanted& wanted) {
    if (wanted.prim) {
      if (wanted.prim->dtype.isFloat()) return vm::Value::of(number());
      return vm::Value::of(static_cast<int64_t>(random_() % 10));
    }
    if (wanted.shape && wanted.shape->known) {
      RX_TRY(dims, sizes(name, wanted.shape->values));
      return vm::Value::shape(std::move(dims));
    }
    bool known = wanted.tensor && !wanted.tensor->dtype.isVoid() && (wanted.dims || wanted.tensor->ndim >= 0);
    if (!known)
      return fail(finding("input.kind", name, {}, "its annotation does not say enough to make a value; give a file"));
    std::vector<int64_t> shape(static_cast<size_t>(std::max<int64_t>(wanted.tensor->ndim, 0)), kMadeSize);
    if (wanted.dims) {
      RX_TRY(dims, sizes(name, wanted.dims->values));
      shape = std::move(dims);
    }
    RX_TRY(tensor, HostTensor::allocate(std::move(shape), wanted.tensor->dtype));
    for (int64_t i = 0; i < tensor->count(); ++i) {
      if (wanted.tensor->dtype.isIntegral()) {
        tensor->setInt(i, static_cast<int64_t>(random_() % (wanted.tensor->dtype.isBool() ? 2 : 10)));
      } else {
        tensor->set(i, number());
      }
    }
    return vm::Value::of(tensor);
  }

 private:
  double number() { return static_cast<double>(random_() >> 11) * 0x1p-52 - 1; }

  Result<std::vector<int64_t>> sizes(const std::string& name, const Array<tir::PrimExpr>& values) {
    std::vector<int64_t> found;
    for (const tir::PrimExpr& value : values) {
      if (const auto* constant = as<tir::IntImm>(value)) {
        found.push_back(constant->value);
      } else if (const auto* var = as<tir::Var>(value)) {
        found.push_back(symbols_.emplace(var->name.string(), kMadeSize).first->second);
      } else {
        return fail(finding("input.shape", name, {}, "a size is an expression of symbols; give a file"));
      }
    }
    return found;
  }

  std::mt19937_64 random_;
  std::map<std::string, int64_t> symbols_;
};

Result<relax::FunctionRef> findFunction(const ir::Module& module, const std::string& name) {
  if (auto function = refAs<relax::Function>(module->find(name))) return function;
  std::string known;
  for (size_t i = 0; i < module->size(); ++i)
    if (isa<relax::Function>(module->functions[i]))
      known += (known.empty() ? "" : ", ") + module->vars[i]->name.string();
  return fail("input.function", fmt::format("the module has no function `{}`; it has {}", escapedForDisplay(name),
                                            known.empty() ? "none that can be run" : known));
}

}  // namespace

Result<std::vector<vm::Value>> gatherArguments(const ir::Module& module, const std::string& name,
                                               const ArgumentSources& sources) {
  RX_TRY(function, findFunction(module, name));
  RX_TRY(tensors, readAll(sources));
  std::vector<Diagnostic> findings;
  std::vector<std::optional<vm::Value>> values(function->params.size());
  Maker maker(sources.seed.value_or(0), sources.symbols);
  size_t nextFile = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const relax::VarRef& param = function->params[i];
    std::string paramName = param->name.string(), file;
    Ref<HostTensor> tensor;
    Wanted wanted(param->sinfo);
    if (auto it = tensors.find(paramName); it != tensors.end()) {
      std::tie(tensor, file) = it->second;
      tensors.erase(it);
    } else if (nextFile < sources.files.size()) {
      file = sources.files[nextFile++];
      RX_TRY(read, readNpy(file, wanted.tensor ? wanted.tensor->dtype : DataType::Void()));
      tensor = std::move(read);
    }
    if (!tensor) continue;
    Result<vm::Value> value = fromTensor(paramName, file, tensor, wanted);
    if (value) {
      maker.learn(wanted, *tensor);
      values[i] = *value;
    } else {
      findings.push_back(value.diagnostics().front());
      values[i] = vm::Value();
    }
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i]) continue;
    std::string paramName = function->params[i]->name.string();
    Result<vm::Value> made = sources.seed ? maker.make(paramName, Wanted(function->params[i]->sinfo))
                                          : fail(finding("input.missing", paramName, {}, "no file gives it a value"));
    if (made) {
      values[i] = *made;
    } else {
      findings.push_back(made.diagnostics().front());
    }
  }
  for (const auto& [left, from] : tensors)
    findings.push_back(finding("input.unknown", left, from.second, fmt::format("`{}` has no such parameter", name)));
  if (nextFile < sources.files.size())
    findings.push_back(
        errorAt({}, "input.unknown", fmt::format("`{}` has {} parameters, there are more files", name, values.size())));
  if (!findings.empty()) return fail(std::move(findings));
  std::vector<vm::Value> arguments;
  for (auto& value : values) arguments.push_back(std::move(*value));
  return arguments;
}

}  // namespace rx::cli
