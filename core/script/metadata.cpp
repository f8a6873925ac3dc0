#include "core/script/metadata.h"

#include <array>
#include <vector>

#include "core/support/base64.h"
#include "core/tensor/tensor_blob.h"

namespace rx::script {

namespace {

std::string tensorBlob(const HostTensor& tensor) {
  ByteWriter blob;
  putTensor(blob, tensor);
  return base64Of(blob.take());
}

class Json {
 public:
  /// Appends a node and returns its index.
  size_t add(std::string_view type, const std::string& data) {
    text_ += nodes_ ? ",\n    {" : "\n    {";
    text_ += "\\\"type\\\": \\\"" + std::string(type) + "\\\"";
    if (!data.empty()) text_ += ", \\\"data\\\": " + data;
    text_ += "}";
    return nodes_++;
  }
  static std::string quoted(std::string_view s) { return "\\\"" + std::string(s) + "\\\""; }
  static std::string list(std::span<const size_t> items) {
    std::string out = "[";
    for (size_t item : items) out += (out.size() > 1 ? ", " : "") + std::to_string(item);
    return out + "]";
  }
  std::string finish(size_t root) {
    return "{\n  \\\"root_index\\\": " + std::to_string(root) + ",\n  \\\"nodes\\\": [" + text_ +
           "\n  ],\n  \\\"metadata\\\": {\\\"tvm_version\\\": \\\"0.25.0\\\"}\n}";
  }

 private:
  std::string text_;
  size_t nodes_ = 0;
};

size_t addConstant(Json& json, const HostTensor& tensor, size_t none) {
  auto field = [](std::string_view name, const std::string& value) { return Json::quoted(name) + ": " + value; };
  auto object = [&](std::string fields) { return "{" + field("span", std::to_string(none)) + ", " + fields + "}"; };
  std::vector<size_t> dims;
  for (int64_t dim : tensor.shape()) {
    dims.push_back(json.add(
        "ir.IntImm", object(field("dtype", Json::quoted("int64")) + ", " + field("value", std::to_string(dim)))));
  }
  const std::string values = std::to_string(json.add("ffi.Array", Json::list(dims)));
  const std::string rank = std::to_string(tensor.rank());
  const size_t shapeInfo =
      json.add("relax.ShapeStructInfo", object(field("values", values) + ", " + field("ndim", rank)));
  const size_t shape = json.add("relax.expr.ShapeExpr", object(field("struct_info_", std::to_string(shapeInfo)) + ", " +
                                                               field("values", values)));
  const size_t info =
      json.add("relax.TensorStructInfo", object(field("shape", std::to_string(shape)) + ", " +
                                                field("dtype", Json::quoted(tensor.dtype().str())) + ", " +
                                                field("vdevice", std::to_string(none)) + ", " + field("ndim", rank)));
  const size_t data = json.add("ffi.Tensor", Json::quoted(tensorBlob(tensor)));
  return json.add("relax.expr.Constant",
                  object(field("struct_info_", std::to_string(info)) + ", " + field("data", std::to_string(data))));
}

}  // namespace

std::string metadataJson(std::span<const Ref<HostTensor>> constants, std::span<const Ref<HostTensor>> tensors) {
  Json json;
  const size_t none = json.add("None", "");
  std::vector<size_t> map;
  if (!constants.empty()) {
    std::vector<size_t> items;
    for (const auto& tensor : constants) items.push_back(addConstant(json, *tensor, none));
    map.push_back(json.add("ffi.String", Json::quoted("relax.expr.Constant")));
    map.push_back(json.add("ffi.Array", Json::list(items)));
  }
  if (!tensors.empty()) {
    std::vector<size_t> items;
    for (const auto& tensor : tensors) items.push_back(json.add("ffi.Tensor", Json::quoted(tensorBlob(*tensor))));
    map.push_back(json.add("ffi.String", Json::quoted("ffi.Tensor")));
    map.push_back(json.add("ffi.Array", Json::list(items)));
  }
  const size_t root = json.add("ffi.Map", Json::list(map));
  return json.finish(root);
}

}  // namespace rx::script
