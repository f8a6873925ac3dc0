// The part of LiveDebug that steps threads of a kernel of a device, which the engine runs in its interpreter.
#include "core/dap/kernel_requests.h"
#include "views/session/live_debug_ask.h"

namespace rx::views {
namespace {

/// The thread of the run itself.
constexpr int kRun = 1;

struct ScopeWords {
  const char* scope;
  const char* words;
};
constexpr ScopeWords kScopes[] = {{"", QT_TRANSLATE_NOOP("LiveDebug", "variable")},
                                  {"local", QT_TRANSLATE_NOOP("LiveDebug", "memory of the thread")},
                                  {"shared", QT_TRANSLATE_NOOP("LiveDebug", "memory of the group")},
                                  {"global", QT_TRANSLATE_NOOP("LiveDebug", "memory of the device")}};

QString whereOf(const std::string& scope) {
  for (const ScopeWords& row : kScopes)
    if (scope == row.scope) return LiveDebug::tr(row.words);
  return qtText(scope);
}

}  // namespace

dap::StepArguments LiveDebug::by(const char* granularity) const {
  dap::StepArguments arguments;
  arguments.granularity = granularity;
  if (!threads_.kernel.isEmpty()) arguments.threadId = threads_.current;
  return arguments;
}

void LiveDebug::enterThreads() {
  if (!engine_ || state_ != RunState::Stopped || frames_.empty()) return;
  ask<dap::StepInTargets>({frames_.front().id}, [this](const dap::StepInTargetsBody& body) {
    for (const dap::StepInTarget& target : body.targets) {
      if (!target.label.starts_with(dap::kThreadsOf)) continue;
      dap::StepArguments arguments;
      arguments.targetId = target.id;
      return move<dap::StepIn>(arguments);
    }
    stop_.description =
        tr("The next binding starts no kernel of a device: run it with a device as its target, and step to "
           "one that calls a kernel.");
    note(LogLine::Kind::Error, stop_.description);
  });
}

void LiveDebug::stepThreads(const QString& of) {
  if (!threads_.kernel.isEmpty()) move<dap::StepThreads>({threads_.current, of.toStdString()});
}

void LiveDebug::chooseGroup(int launch, const std::vector<qint64>& group) {
  if (!threads_.kernel.isEmpty()) move<dap::ChooseGroup>({launch, {group.begin(), group.end()}});
}

void LiveDebug::showThread(int id) {
  if (threads_.kernel.isEmpty() || !engine_ || state_ != RunState::Stopped) return;
  threads_.current = id;
  askThreads();
}

void LiveDebug::askThreads() {
  if (threads_.current <= kRun) return;
  ask<dap::KernelThreads>({threads_.current, threads_.source},
                          [this](const dap::KernelThreadsBody& body) { takeThreads(body); });
}

void LiveDebug::takeThreads(const dap::KernelThreadsBody& body) {
  KernelThreads made;
  made.current = threads_.current;
  made.kernel = qtText(body.kernel);
  made.source = body.source;
  made.lines = body.source == threads_.source && body.text.empty() ? threads_.lines : qtText(body.text).split('\n');
  made.launch = static_cast<int>(body.launch);
  made.group.assign(body.group.begin(), body.group.end());
  made.groups.assign(body.groups.begin(), body.groups.end());
  for (const dap::KernelThreadInfo& info : body.threads) {
    KernelThreadRow& row = made.threads.emplace_back();
    row.id = static_cast<int>(info.id);
    row.name = qtText(info.name);
    row.state = qtText(info.state);
    row.line = static_cast<int>(info.line);
    row.text = made.lines.value(row.line - 1).trimmed();
  }
  for (const dap::KernelValueInfo& info : body.values)
    made.values.push_back({whereOf(info.scope), qtText(info.name), qtText(info.text)});
  for (const std::string& race : body.races) made.races << qtText(race);
  threads_ = std::move(made);
}

}  // namespace rx::views
