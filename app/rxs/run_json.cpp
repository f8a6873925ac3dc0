#include "app/rxs/run_json.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/support/file.h"
#include "core/support/file_set.h"
#include "core/support/json_text.h"
#include "core/tensor/npy.h"

namespace rx::cli {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// Values nest as deep as the parameter's type; a list beyond it is refused.
constexpr int kMaxValueNesting = 64;

Result<vm::Value> valueOf(const Json& json, const relax::StructInfo& info, const fs::path& folder, int depth) {
  if (depth > kMaxValueNesting)
    return fail("run.arguments", fmt::format("values nest deeper than {}", kMaxValueNesting));
  const auto* tensorInfo = as<relax::TensorStructInfo>(info);
  if (json.is_object()) {
    if (!json.contains("file") || !json["file"].is_string())
      return fail("run.arguments", "an object has to name a \"file\"");
    // Only files beside the arguments are opened.
    fs::path name = fs::path(json["file"].get<std::string>()).filename();
    RX_TRY(tensor, readNpy((folder / name).string(), tensorInfo ? tensorInfo->dtype : DataType::Void()));
    // NumPy makes float64 of what has no type.
    if (tensorInfo && tensorInfo->dtype == DataType::Float(32) && tensor->dtype() == DataType::Float(64)) {
      std::vector<double> values;
      for (int64_t i = 0; i < tensor->count(); ++i) values.push_back(tensor->at(i));
      RX_TRY(narrow, HostTensor::fromDoubles(tensor->shape(), tensorInfo->dtype, values));
      tensor = narrow;
    }
    return vm::Value::of(std::move(tensor));
  }
  if (json.is_array()) {
    if (isa<relax::ShapeStructInfo>(info)) {
      std::vector<int64_t> dims;
      for (const Json& item : json) {
        if (!item.is_number_integer()) return fail("run.arguments", "a shape holds integers");
        dims.push_back(item.get<int64_t>());
      }
      return vm::Value::shape(std::move(dims));
    }
    const auto* tuple = as<relax::TupleStructInfo>(info);
    std::vector<vm::Value> items;
    for (size_t i = 0; i < json.size(); ++i) {
      relax::StructInfo field = tuple && i < tuple->items.size() ? tuple->items[i] : relax::objectSinfo();
      RX_TRY(item, valueOf(json[i], field, folder, depth + 1));
      items.push_back(std::move(item));
    }
    return vm::Value::tuple(std::move(items));
  }
  if (json.is_number() && tensorInfo && tensorInfo->ndim == 0) {
    return vm::Value::of(HostTensor::scalar(tensorInfo->dtype, json.get<double>()));
  }
  if (json.is_boolean()) return vm::Value::of(json.get<bool>());
  if (json.is_number_integer()) return vm::Value::of(json.get<int64_t>());
  if (json.is_number()) return vm::Value::of(json.get<double>());
  if (json.is_string()) return vm::Value::of(json.get<std::string>());
  return vm::Value();
}

/// NumPy has no bfloat16: the bits, as TVM gives them.
Result<Ref<HostTensor>> asNumPyHasIt(const Ref<HostTensor>& tensor) {
  if (tensor->dtype() != DataType::BFloat16()) return tensor;
  return HostTensor::view(tensor->storage(), tensor->byteOffset(), tensor->shape(), DataType::UInt(16));
}

/// Result nesting is bounded by the return type of the function.
Result<Json> jsonOf(const vm::Value& value, const FileSetWriter& set, int& files) {
  switch (value.kind()) {
    case vm::ValueKind::Tensor: {
      std::string name = fmt::format("result{}.npy", files++);
      RX_TRY(path, set.place(name));
      RX_TRY(written, asNumPyHasIt(value.asTensor()));
      RX_CHECK(writeNpy(path, *written));
      return Json{{"file", name}};
    }
    case vm::ValueKind::Tuple: {
      Json list = Json::array();
      for (const vm::Value& item : value.asTuple()) {
        RX_TRY(json, jsonOf(item, set, files));
        list.push_back(std::move(json));
      }
      return list;
    }
    case vm::ValueKind::Shape:
      return Json(value.asShape());
    case vm::ValueKind::Int:
      return Json(value.asInt());
    case vm::ValueKind::Bool:
      return Json(value.asBool());
    case vm::ValueKind::Float:
      return Json(value.asFloat());
    case vm::ValueKind::String:
      return Json(value.asString());
    case vm::ValueKind::Null:
      return Json(nullptr);
    default:
      return Json(value.summary());
  }
}

}  // namespace

Result<std::vector<vm::Value>> readJsonArguments(const std::string& path, const relax::Function& function) {
  RX_TRY(text, readFile(path));
  Json json = parsedJson<Json>(text);
  if (json.is_discarded()) return fail("run.arguments", fmt::format("{}: this is not JSON", path));
  if (!json.is_object() || !json.contains("args") || !json["args"].is_array()) {
    return fail("run.arguments", fmt::format("{}: no list \"args\" in it", path));
  }
  const Json& args = json["args"];
  const Json named = json.value("kwargs", Json::object());
  if (!named.is_object() || args.size() + named.size() != function.params.size()) {
    return fail("run.argument-count", fmt::format("the function takes {} arguments, {} were given",
                                                  function.params.size(), args.size() + named.size()));
  }
  std::vector<vm::Value> values;
  for (size_t i = 0; i < function.params.size(); ++i) {
    const std::string name = function.params[i]->name.string();
    if (i >= args.size() && !named.contains(name)) {
      return fail("run.missing-argument", fmt::format("no argument is given for the parameter {}", name));
    }
    const Json& given = i < args.size() ? args[i] : named[name];
    RX_TRY(value, valueOf(given, function.params[i]->sinfo, fs::path(path).parent_path(), 0));
    values.push_back(std::move(value));
  }
  return values;
}

Result<Unit> writeJsonResult(const std::string& folder, const vm::Value& result) {
  RX_TRY(set, FileSetWriter::begin(folder, "result.json"));
  int files = 0;
  RX_TRY(json, jsonOf(result, set, files));
  return set.commit({{"result", std::move(json)}});
}

}  // namespace rx::cli
