#include "views/session/trace_folder.h"

#include <fmt/format.h>

#include <QDir>
#include <cmath>
#include <optional>

#include "core/dap/rx_types.h"
#include "core/support/file_set.h"
#include "core/tensor/npy.h"
#include "views/models/value_text.h"
#include "views/session/engine_rows.h"

namespace rx::views {
namespace {

using Json = dap::Json;
constexpr const char* kList = "trace.json";
constexpr size_t kMostRows = 1'000'000;

Failure refused(const std::string& why) { return fail("trace.folder", why); }

std::string stringOf(const Json& row, const char* key) {
  const auto at = row.find(key);
  return at != row.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::optional<int64_t> countOf(const Json& row, const char* key) {
  const auto at = row.find(key);
  if (at == row.end() || !at->is_number_integer() || at->get<int64_t>() < 0) return {};
  return at->get<int64_t>();
}

double numberOf(const Json& row, const char* key) {
  const auto at = row.find(key);
  return at == row.end() ? 0 : dap::numberFrom(*at);
}

/// The list of values; a folder of another program, or of a later version, says so.
Result<Json> listOf(const FileSet& set) {
  const std::string path = set.path(kList);
  const Json json = set.index();
  if (stringOf(json, "format") != "relaxscope trace")
    return refused(path + " is not the list of a folder that rxs run --trace wrote");
  const auto version = countOf(json, "version");
  if (version != 1)
    return refused(fmt::format("{} is of version {}, this program reads version 1", path, version.value_or(-1)));
  const auto values = json.find("values");
  if (values == json.end() || !values->is_array() || values->size() > kMostRows)
    return refused(path + " is damaged: it has no list of values");
  return *values;
}

/// What the file of a row says of its array has to be what the row says.
Result<Unit> checkArray(const QDir& folder, const TracedRow& row, const std::vector<int64_t>& shape,
                        const std::string& dtype) {
  const bool inside = !row.file.isEmpty() && row.file == QFileInfo(row.file).fileName() && row.file.endsWith(".npy");
  if (!inside) return refused("trace.json names a file outside of the folder: " + row.file.toStdString());
  const std::string path = folder.filePath(row.file).toStdString();
  // Numbers of one byte that NumPy has no name for are stored as bytes: only the list says what they are.
  if (const auto type = DataType::parse(dtype); type && type->isFloat() && type->bits <= 8)
    return readNpy(path, *type) ? Result<Unit>(Unit{}) : Result<Unit>(refused(path + " can not be read"));
  RX_TRY(headers, arrayHeaders(path));
  const ArrayHeader& header = headers.front();
  if (header.shape != shape || header.dtype.str() != dtype)
    return refused(fmt::format("{} holds another array than trace.json says", row.file.toStdString()));
  return Unit{};
}

void setNumbers(const Json& json, const std::vector<int64_t>& shape, TracedRow* row) {
  ValueSummary& value = row->value;
  value.known = value.isTensor = true;
  value.step = row->step;
  value.variable = row->binding.isEmpty() ? row->file : row->binding;
  value.dtype = qtText(stringOf(json, "dtype"));
  value.shape = shapeText(shape);
  value.text = value.shape + ' ' + value.dtype;
  value.count = 1;
  for (const int64_t size : shape) value.count *= size;
  if (const auto type = DataType::parse(stringOf(json, "dtype"))) value.bytes = value.count * type->bytes();
  value.min = numberOf(json, "min");
  value.max = numberOf(json, "max");
  value.mean = numberOf(json, "mean");
  value.nan = countOf(json, "nan").value_or(0);
  value.inf = countOf(json, "inf").value_or(0);
  value.finite = std::max<qint64>(0, value.count - value.nan - value.inf);
}

Result<TracedRow> rowOf(const QDir& folder, const Json& json) {
  const auto step = json.is_object() ? countOf(json, "step") : std::nullopt;
  const auto sizes = json.is_object() ? json.find("shape") : json.end();
  if (!step || sizes == json.end() || !sizes->is_array())
    return refused("trace.json is damaged: a value lacks its step or shape");
  std::vector<int64_t> shape;
  for (const Json& size : *sizes) {
    if (!size.is_number_integer() || size.get<int64_t>() < 0)
      return refused("trace.json is damaged: a shape is no list of sizes");
    shape.push_back(size.get<int64_t>());
  }
  TracedRow row;
  row.file = qtText(stringOf(json, "file"));
  row.step = static_cast<int>(*step);
  row.function = qtText(stringOf(json, "function"));
  row.binding = qtText(stringOf(json, "binding"));
  row.made = shortInstruction(qtText(stringOf(json, "instruction")));
  row.allocated = json.value("allocated", Json(false)) == Json(true);
  RX_CHECK(checkArray(folder, row, shape, stringOf(json, "dtype")));
  setNumbers(json, shape, &row);
  return row;
}

}  // namespace

Result<std::vector<TracedRow>> readTraceFolder(const QString& folder, int firstReference) {
  const QDir dir(folder);
  RX_TRY(set, FileSet::open(folder.toStdString(), kList));
  RX_TRY(list, listOf(set));
  std::vector<TracedRow> rows;
  rows.reserve(list.size());
  for (const Json& json : list) {
    RX_TRY(row, rowOf(dir, json));
    row.value.reference = firstReference - static_cast<int>(rows.size());
    rows.push_back(std::move(row));
  }
  if (set.isSealed()) RX_CHECK(set.check());
  return rows;
}

}  // namespace rx::views
