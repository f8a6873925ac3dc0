#include "views/models/kernel_listing.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <map>

#include "views/models/diagnostic_sentence.h"
#include "views/models/told_errors.h"

namespace rx::views {
namespace {

QString text(const char* source) { return QCoreApplication::translate("KernelListing", source); }

void sortLines(KernelLines& lines) {
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
}

/// What a relation between lines makes of some of them.
KernelLines through(const std::vector<KernelLines>& relation, const KernelLines& lines) {
  KernelLines made;
  for (const int line : lines) {
    if (line < 1 || static_cast<size_t>(line) > relation.size()) continue;
    const KernelLines& to = relation[static_cast<size_t>(line - 1)];
    made.insert(made.end(), to.begin(), to.end());
  }
  sortLines(made);
  return made;
}

/// Lines that the text has; others are left out.
KernelLines readLines(const QJsonValue& value, int count) {
  KernelLines lines;
  const QJsonArray array = value.toArray();
  for (const QJsonValue& each : array)
    if (const int line = each.toInt(); line >= 1 && line <= count) lines.push_back(line);
  sortLines(lines);
  return lines;
}

KernelCounts readCounts(const QJsonObject& object) {
  KernelCounts counts;
  counts.instructions = std::max(object["instructions"].toInt(), 0);
  counts.spills = std::max(object["spills"].toInt(), 0);
  counts.reloads = std::max(object["reloads"].toInt(), 0);
  counts.registers = std::max(object["registers"].toInt(), 0);
  counts.vectors = object["vectors"].toString();
  const QJsonObject names = object["names"].toObject();
  for (auto it = names.begin(); it != names.end(); ++it) counts.names.emplace_back(it.key(), it.value().toInt());
  std::sort(counts.names.begin(), counts.names.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return counts;
}

PortCycles readPorts(const QJsonObject& object) {
  PortCycles ports;
  for (auto it = object.begin(); it != object.end(); ++it)
    if (const double cycles = it.value().toDouble(); cycles > 0) ports.emplace_back(it.key(), cycles);
  std::sort(ports.begin(), ports.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return ports;
}

/// Null where the loop says none, or one that can not be.
std::shared_ptr<const KernelTurn> readTurn(const QJsonObject& object, int first, int last) {
  auto turn = std::make_shared<KernelTurn>();
  turn->cycles = object["cycles"].toDouble();
  if (turn->cycles <= 0) return nullptr;
  turn->limit = object["limit"].toString();
  turn->said = object["said"].toString();
  turn->table = object["table"].toString();
  turn->ports = readPorts(object["ports"].toObject());
  const QJsonArray lines = object["lines"].toArray();
  for (const QJsonValue& each : lines)
    if (const int line = each["line"].toInt(); line >= first && line <= last)
      turn->lines.emplace_back(line, readPorts(each["ports"].toObject()));
  std::sort(turn->lines.begin(), turn->lines.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return turn;
}

std::vector<KernelLoop> readLoops(const QJsonValue& value, int count) {
  std::vector<KernelLoop> loops;
  const QJsonArray array = value.toArray();
  for (const QJsonValue& each : array) {
    const QJsonObject object = each.toObject();
    KernelLoop loop;
    loop.first = object["first"].toInt();
    loop.last = object["last"].toInt();
    loop.depth = object["depth"].toInt(1);
    loop.counts = readCounts(object);
    loop.turn = readTurn(object["turn"].toObject(), loop.first, loop.last);
    if (loop.first >= 1 && loop.last >= loop.first && loop.last <= count) loops.push_back(std::move(loop));
  }
  return loops;
}

/// A stage behind the `before`; false where it is damaged.
bool readStage(const QJsonObject& object, const std::vector<KernelStageText>& before, KernelStageText& stage) {
  const int number = static_cast<int>(before.size());
  stage.stage = object["stage"].toString();
  stage.title = object["title"].toString();
  stage.made = object["made"].toString();
  stage.of = object["of"].toInt(-1);
  stage.text = object["text"].toString().toUtf8();
  if (stage.of < 0 || (number == 0 ? stage.of != 0 : stage.of >= number)) return false;
  const auto count = static_cast<size_t>(stage.text.count('\n')) + 1;
  stage.from.resize(count);
  stage.loops = readLoops(object["loops"], static_cast<int>(count));
  if (number == 0) return true;
  const int lines = before[static_cast<size_t>(stage.of)].lineCount();
  stage.to.resize(static_cast<size_t>(lines));
  const QJsonArray from = object["from"].toArray();
  for (size_t i = 0; i < std::min(count, static_cast<size_t>(from.size())); ++i) {
    stage.from[i] = readLines(from[static_cast<qsizetype>(i)], lines);
    for (const int line : stage.from[i]) stage.to[static_cast<size_t>(line - 1)].push_back(static_cast<int>(i + 1));
  }
  return true;
}

/// What rxs says instead of a listing.
QString refusalOf(const QJsonObject& answer) {
  QStringList said;
  for (const ToldError& error : toldErrors(answer)) said << sentenceOf(error.what);
  return said.join(QStringLiteral("; "));
}

/// No samples where they do not fit the machine code.
void readSamples(const QJsonObject& object, KernelListing& listing) {
  const int taken = object["taken"].toInt();
  const QJsonArray lines = object["lines"].toArray();
  if (!listing.hasMachine || taken <= 0 || lines.size() > listing.stages.back().lineCount()) return;
  qint64 sum = 0;
  for (const QJsonValue& line : lines) {
    listing.samples.push_back(std::max(line.toInt(), 0));
    sum += listing.samples.back();
  }
  listing.samplesTaken = taken;
  if (const double calls = object["calls"].toDouble(); calls > 0)
    listing.nanoseconds = object["nanoseconds"].toDouble() / calls;
  if (sum > taken) listing.samples.clear();
}

/// What turns of loops of machine code took; nothing where they do not fit these.
void readMeasured(const QJsonArray& turns, std::vector<KernelLoop>& loops) {
  for (const QJsonValue& each : turns) {
    const int number = each["loop"].toInt(-1);
    if (number < 0 || number >= static_cast<int>(loops.size())) continue;
    KernelLoop& loop = loops[static_cast<size_t>(number)];
    loop.measured = std::max(each["cycles"].toDouble(), 0.0);
    loop.waits = each["waits"].toString();
  }
}

}  // namespace

const PortCycles* KernelTurn::at(int line) const {
  const auto found = std::lower_bound(lines.begin(), lines.end(), line,
                                      [](const auto& each, int number) { return each.first < number; });
  return found == lines.end() || found->first != line ? nullptr : &found->second;
}

QString shortPort(const KernelTurn& turn, const QString& port) {
  if (turn.ports.size() < 2) return port;
  qsizetype same = port.size();
  for (const auto& [other, cycles] : turn.ports) {
    qsizetype equal = 0;
    while (equal < std::min(same, other.size()) && other[equal] == port[equal]) ++equal;
    same = std::min(same, equal);
  }
  while (same > 0 && port[same - 1].isDigit()) --same;  // numbers stay whole
  return port.mid(same);
}

namespace {

/// Cycles of each port in a turn of the loop, by the names of instructions.
std::map<QString, std::map<QString, double>> usesByName(const KernelListing& kernel, const KernelLoop& loop) {
  std::map<QString, std::map<QString, double>> uses;
  if (!loop.turn || kernel.stages.empty()) return uses;
  const QList<QByteArray> text = kernel.stages.back().text.split('\n');
  for (const auto& [line, ports] : loop.turn->lines) {
    if (line > text.size()) break;
    const QString name = QString::fromUtf8(text[line - 1]).trimmed().section(QLatin1Char(' '), 0, 0);
    for (const auto& [port, cycles] : ports) uses[name][port] += cycles;
  }
  return uses;
}

/// Most first.
PortCycles inOrder(PortCycles made) {
  std::sort(made.begin(), made.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return made;
}

}  // namespace

PortCycles cyclesByName(const KernelListing& kernel, const KernelLoop& loop) {
  PortCycles made;
  for (const auto& [name, ports] : usesByName(kernel, loop)) {
    double most = 0;
    for (const auto& [port, cycles] : ports) most = std::max(most, cycles);
    made.emplace_back(name, most);
  }
  return inOrder(std::move(made));
}

PortCycles busiestByName(const KernelListing& kernel, const KernelLoop& loop) {
  PortCycles made;
  if (!loop.turn || loop.turn->ports.empty()) return made;
  for (const auto& [name, ports] : usesByName(kernel, loop))
    if (const auto at = ports.find(loop.turn->ports.front().first); at != ports.end())
      made.emplace_back(name, at->second);
  return inOrder(std::move(made));
}

const KernelLoop* KernelStageText::loopAt(int line) const {
  const KernelLoop* found = nullptr;
  for (const KernelLoop& loop : loops)
    if (loop.first <= line && line <= loop.last && (!found || loop.depth >= found->depth)) found = &loop;
  return found;
}

KernelLines KernelListing::linked(int from, int line, int to) const {
  const auto stage = [this](int number) -> const KernelStageText& { return stages[static_cast<size_t>(number)]; };
  const int count = static_cast<int>(stages.size());
  if (from < 0 || from >= count || to < 0 || to >= count || line < 1 || line > stage(from).lineCount()) return {};
  // Up to the stage that both were made of, and down again.
  std::vector<int> down;
  KernelLines lines = {line};
  while (from != to) {
    if (from > to) {
      lines = through(stage(from).from, lines);
      from = stage(from).of;
    } else {
      down.push_back(to);
      to = stage(to).of;
    }
  }
  for (auto it = down.rbegin(); it != down.rend(); ++it) lines = through(stage(*it).to, lines);
  return lines;
}

std::vector<double> KernelListing::shares(int number) const {
  std::vector<double> made(static_cast<size_t>(stages[static_cast<size_t>(number)].lineCount()));
  const int code = static_cast<int>(stages.size()) - 1;
  for (size_t i = 0; i < samples.size(); ++i) {
    if (samples[i] == 0) continue;
    const double share = 100.0 * samples[i] / samplesTaken;
    for (const int line : linked(code, static_cast<int>(i) + 1, number)) made[static_cast<size_t>(line - 1)] += share;
  }
  return made;
}

int KernelListing::unscheduled() const {
  for (const KernelStageText& stage : stages)
    if (stage.stage == QLatin1String("step") || stage.stage == QLatin1String("scheduled")) return stage.of;
  return stageNamed(QStringLiteral("tir"));
}

int KernelListing::stageNamed(const QString& name) const {
  for (size_t i = stages.size(); i-- > 0;)
    if (stages[i].stage == name) return static_cast<int>(i);
  return -1;
}

KernelListingPtr readKernel(const QByteArray& json, QString* problem) {
  const auto no = [problem](const QString& why) {
    *problem = why;
    return nullptr;
  };
  QJsonParseError error;
  const QJsonObject answer = QJsonDocument::fromJson(json, &error).object();
  if (error.error != QJsonParseError::NoError) return no(QString::fromUtf8(json.left(400)).trimmed());
  const QJsonObject kernel = answer["kernel"].toObject();
  if (kernel.isEmpty()) {
    const QString said = refusalOf(answer);
    return no(said.isEmpty() ? text("the answer holds no kernel") : said);
  }
  auto made = std::make_shared<KernelListing>();
  made->name = kernel["name"].toString();
  made->why = kernel["why"].toString();
  const QJsonObject helps = kernel["helps"].toObject();
  for (auto it = helps.begin(); it != helps.end(); ++it) made->helps.insert(it.key(), it.value().toString());
  const QJsonArray rules = kernel["rules"].toArray(), stages = kernel["stages"].toArray();
  for (const QJsonValue& rule : rules) made->rules << rule.toString();
  const QJsonArray trace = kernel["trace"].toArray(), passed = kernel["passed_over"].toArray();
  for (const QJsonValue& line : trace) made->trace << line.toString();
  for (const QJsonValue& each : passed) made->passedOver.push_back({each["rule"].toString(), each["why"].toString()});
  for (const QJsonValue& each : stages) {
    KernelStageText stage;
    if (!readStage(each.toObject(), made->stages, stage)) return no(text("a stage of the kernel is damaged"));
    made->stages.push_back(std::move(stage));
  }
  if (made->stages.empty()) return no(text("the kernel has no stages"));
  const QJsonObject machine = kernel["machine"].toObject();
  const QJsonArray device = kernel["device"].toArray();
  for (const QJsonValue& each : device) {
    const QJsonArray words = each["words"].toArray();
    for (const QJsonValue& line : words) made->deviceFacts << line.toString();
  }
  made->hasMachine = !machine.isEmpty();
  made->counts = readCounts(machine);
  made->vectorRegisters = std::max(machine["vector_registers"].toInt(), 0);
  made->processor = machine["processor"].toString();
  made->noTurns = machine["no_turns"].toString();
  readSamples(kernel["samples"].toObject(), *made);
  if (kernel["samples"].isUndefined()) made->notSampled = refusalOf(answer);
  // The loops of machine code are told twice: in its text, and with what stands in them.
  if (made->hasMachine) {
    made->stages.back().loops = readLoops(machine["loops"], made->stages.back().lineCount());
    readMeasured(kernel["samples"]["turns"].toArray(), made->stages.back().loops);
  }
  return made;
}

}  // namespace rx::views
