#include "views/models/profile.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace rx::views {
namespace {

QString text(const char* source) { return QCoreApplication::translate("Profile", source); }

/// A number that can be drawn; anything else is 0.
double number(const QJsonValue& value) {
  const double read = value.toDouble();
  return std::isfinite(read) && read >= 0 ? read : 0;
}

std::vector<ProfileSource> readSources(const QJsonValue& value) {
  std::vector<ProfileSource> sources;
  const QJsonArray array = value.toArray();
  for (const QJsonValue& source : array)
    sources.push_back({source["function"].toString(), source["binding"].toInt(-1), source["variable"].toString(),
                       source["line"].toInt()});
  return sources;
}

/// How a kernel was made, and what it was given.
void readKernel(const QJsonObject& object, ProfileRow& row) {
  row.parts = readSources(object["parts"]);
  const QJsonArray arguments = object["arguments"].toArray(), rules = object["rules"].toArray();
  for (const QJsonValue& argument : arguments) {
    std::vector<qint64> shape;
    for (const QJsonValue& extent : argument["shape"].toArray()) shape.push_back(extent.toInteger());
    row.arguments.push_back({argument["type"].toString(), std::move(shape), argument["written"].toBool()});
  }
  const QJsonObject sizes = object["sizes"].toObject();
  for (auto it = sizes.begin(); it != sizes.end(); ++it) row.sizes[it.key()] = it.value().toInteger();
  for (const QJsonValue& rule : rules) row.rules << rule.toString();
  row.noRule = object["no_rule"].toString();
  row.parallel = object["parallel"].toBool();
  row.weightsOnly = object["weights_only"].toBool();
}

ProfileRow readRow(const QJsonObject& object) {
  ProfileRow row;
  row.name = object["name"].toString();
  row.callee = object["callee"].toString();
  row.kernel = object["kernel"].toBool();
  row.calls = object["calls"].toInteger();
  row.nanoseconds = number(object["nanoseconds"]);
  row.first = number(object["first_nanoseconds"]);
  row.onDevice = number(object["device_nanoseconds"]);
  row.share = number(object["share"]);
  row.flops = object["flops"].isDouble() ? number(object["flops"]) : -1;
  row.integers = number(object["integers"]);
  row.bytes = number(object["bytes"]);
  row.occupancy = number(object["occupancy"]);
  row.ofLimit = number(object["of_limit"]);
  row.limitedBy = object["limited_by"].toString();
  row.sources = readSources(object["from"]);
  readKernel(object, row);
  return row;
}

std::vector<ProfileRow> readRows(const QJsonValue& value) {
  std::vector<ProfileRow> rows;
  const QJsonArray array = value.toArray();
  for (const QJsonValue& row : array) rows.push_back(readRow(row.toObject()));
  return rows;
}

std::vector<ProfileEvent> readFlame(const QJsonValue& value, size_t rows) {
  std::vector<ProfileEvent> events;
  const QJsonArray array = value.toArray();
  for (const QJsonValue& each : array) {
    const QJsonArray event = each.toArray();
    const int row = event[0].toInt(-1);
    if (row < 0 || static_cast<size_t>(row) >= rows) continue;
    events.push_back({row, number(event[1]), number(event[2]), event[3].toInt()});
  }
  return events;
}

}  // namespace

ProfilePtr readProfile(const QByteArray& json, QString* problem) {
  QJsonParseError error;
  const QJsonDocument document = QJsonDocument::fromJson(json, &error);
  if (error.error != QJsonParseError::NoError) {
    *problem = text("it is no JSON: %1 at byte %2").arg(error.errorString()).arg(error.offset);
    return nullptr;
  }
  const QJsonObject object = document.object();
  for (const char* name : {"kernels", "calls", "hardware"}) {
    if (object.contains(QLatin1String(name))) continue;
    *problem = text("it has no \"%1\": rxs run --profile --profile-out writes profiles").arg(QLatin1String(name));
    return nullptr;
  }
  auto made = std::make_shared<Profile>();
  made->function = object["function"].toString();
  made->runs = object["runs"].toInt();
  made->wall = number(object["wall_nanoseconds"]);
  made->sum = number(object["sum_nanoseconds"]);
  made->first = number(object["first_nanoseconds"]);
  made->spread = number(object["spread"]);
  made->kernels = readRows(object["kernels"]);
  made->calls = readRows(object["calls"]);
  made->flame = readFlame(object["flame"], made->calls.size());
  made->apart = object["apart"].toString();
  made->noOccupancy = object["no_occupancy"].toString();
  const QJsonObject hardware = object["hardware"].toObject();
  made->processor = hardware["processor"].toString();
  made->measured = hardware["measured"].toString();
  made->threads = std::max(1, hardware["threads"].toInt());
  made->vectorBits = hardware["vector_bits"].toInt();
  made->limitsBusy = number(hardware["busy"]);
  made->busy = number(object["busy"]);
  made->allFlopsLimit = number(hardware["all"]["flops_per_second"]);
  made->allBytesLimit = number(hardware["all"]["bytes_per_second"]);
  made->integersLimit = number(hardware["one"]["integers_per_second"]);
  made->allIntegersLimit = number(hardware["all"]["integers_per_second"]);
  made->flopsLimit = number(hardware["one"]["flops_per_second"]);
  made->bytesLimit = number(hardware["one"]["bytes_per_second"]);
  return made;
}

std::vector<ProfileRow> kernelsOf(const Profile& profile, const std::function<bool(const ProfileRow&)>& belongs) {
  std::vector<ProfileRow> rows;
  for (const ProfileRow& kernel : profile.kernels)
    if (kernel.kernel) rows.push_back(kernel);
  rows.emplace_back();  // what is no kernel
  for (ProfileRow& row : rows)
    row.calls = 0, row.nanoseconds = row.first = row.onDevice = row.share = row.bytes = row.integers = 0;
  for (const ProfileRow& call : profile.calls) {
    if (!belongs(call)) continue;
    const auto named = [&](const ProfileRow& row) { return call.kernel && row.name == call.callee; };
    auto row = std::find_if(rows.begin(), rows.end(), named);
    if (row == rows.end()) row = rows.end() - 1;
    if (row->calls == 0)
      row->flops = call.flops, row->sources.clear();
    else if (row->flops >= 0)
      row->flops = call.flops < 0 ? -1 : row->flops + call.flops;
    row->integers += call.integers;
    row->calls += call.calls;
    row->nanoseconds += call.nanoseconds;
    row->first += call.first;
    row->onDevice += call.onDevice;
    row->share += call.share;
    row->bytes += call.bytes;
    row->sources.insert(row->sources.end(), call.sources.begin(), call.sources.end());
    row->only.insert(row->only.end(), call.parts.begin(), call.parts.end());
  }
  std::erase_if(rows, [](const ProfileRow& row) { return row.calls == 0; });
  std::sort(rows.begin(), rows.end(), [](const ProfileRow& a, const ProfileRow& b) {
    return std::tuple(!a.kernel, -a.nanoseconds, a.name) < std::tuple(!b.kernel, -b.nanoseconds, b.name);
  });
  return rows;
}

std::vector<ProfileRow> layersOf(const Profile& profile, const std::function<QString(const ProfileSource&)>& layerOf) {
  struct Layer {
    int first;  // the place of its first binding in the program
    ProfileRow row;
  };
  std::map<QString, Layer> layers;
  for (const ProfileRow& call : profile.calls) {
    const bool known = !call.sources.empty();
    const QString name = known ? layerOf(call.sources.front()) : QString();
    const int place = known ? call.sources.front().binding : std::numeric_limits<int>::max();
    Layer& layer = layers.try_emplace(name, Layer{place, {}}).first->second;
    layer.first = std::min(layer.first, place);
    ProfileRow& row = layer.row;
    row.name = name;
    row.kernel = row.kernel || call.kernel;
    row.calls += call.calls;
    row.nanoseconds += call.nanoseconds;
    row.first += call.first;
    row.onDevice += call.onDevice;
    row.share += call.share;
    row.bytes += call.bytes;
    row.integers += call.integers;
    if (call.kernel) row.flops = std::max(row.flops, 0.0) + std::max(call.flops, 0.0);
    row.sources.insert(row.sources.end(), call.sources.begin(), call.sources.end());
  }
  std::vector<Layer> sorted;
  for (auto& [name, layer] : layers) sorted.push_back(std::move(layer));
  std::sort(sorted.begin(), sorted.end(), [](const Layer& a, const Layer& b) {
    return a.first != b.first ? a.first < b.first : a.row.name < b.row.name;
  });
  std::vector<ProfileRow> rows;
  for (Layer& layer : sorted) rows.push_back(std::move(layer.row));
  return rows;
}

QByteArray chromeTrace(const Profile& profile) {
  if (profile.flame.empty()) return {};
  QJsonArray events;
  for (const ProfileEvent& event : profile.flame) {
    const ProfileRow& call = profile.calls[static_cast<size_t>(event.row)];
    const QString binding = call.sources.empty() ? QString() : call.sources.front().variable;
    events.append(QJsonObject{{"name", call.callee.isEmpty() ? call.name : call.callee},
                              {"cat", call.kernel ? "kernel" : "builtin"},
                              {"ph", "X"},
                              {"pid", 1},
                              {"tid", 1},
                              {"ts", event.begin * 1e-3},
                              {"dur", event.nanoseconds * 1e-3},
                              {"args", QJsonObject{{"binding", binding}}}});
  }
  const QJsonObject trace{{"displayTimeUnit", "ns"}, {"traceEvents", events}};
  return QJsonDocument(trace).toJson(QJsonDocument::Compact) + '\n';
}

double gigaflops(const ProfileRow& row) {
  return row.kernel && row.operations() > 0 && row.working() > 0 ? row.operations() / row.working() : 0;
}
double gigabytes(const ProfileRow& row) { return row.kernel && row.working() > 0 ? row.bytes / row.working() : 0; }

}  // namespace rx::views
