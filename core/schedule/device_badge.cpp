#include "core/schedule/device_badge.h"

#include <fmt/format.h>

#include <map>

#include "core/ir/all_nodes.h"
#include "core/lower/device_lowering.h"
#include "core/lower/rewriter.h"
#include "core/target/device_kinds.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr const char* kSchedule = "apply the default schedule here (DefaultGPUSchedule), or bind the loop to threads";

/// What a kernel launches and shares, and what runs outside of all launches.
class LaunchReader : public lower::Rewriter {
 public:
  std::vector<Diagnostic> unbound;
  std::vector<const Node*> places;  ///< of those
  int64_t mostThreads = 0;          ///< of a group; of the largest one
  bool threadsKnown = true;         ///< whether a number says how many
  Span launch;                      ///< of that group
  int64_t sharedBytes = 0;
  bool sharedKnown = true;

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* loop = as<For>(statement)) return insideLoop(*loop, statement);
    const auto* attribute = as<AttrStmt>(statement);
    const auto* axis = attribute && attribute->key == "thread_extent" ? as<IterVar>(attribute->node) : nullptr;
    if (axis) return insideThreads(axis->threadTag.view(), attribute->value, statement);
    if (const auto* block = as<Block>(statement)) {
      for (const BufferRef& buffer : block->allocBuffers) share(*buffer);
    }
    if (const auto* allocation = as<AllocBuffer>(statement)) share(*allocation->buffer);
    if (isa<BufferStore>(statement) && threads_.empty()) alone(*statement);
    return parts(statement);
  }
  bool changesExpressions() const override { return false; }

 private:
  Stmt insideLoop(const For& loop, const Stmt& statement) {
    if (loop.forKind == ForKind::ThreadBinding && loop.threadBinding)
      return insideThreads(loop.threadBinding->threadTag.view(), loop.extent, statement);
    const For* around = std::exchange(outermost_, outermost_ ? outermost_ : &loop);
    Stmt made = parts(statement);
    outermost_ = around;
    return made;
  }

  Stmt insideThreads(std::string_view tag, const PrimExpr& extent, const Stmt& statement) {
    const bool known = threads_.contains(tag);
    if (!known) threads_.emplace(tag, asInt(extent).value_or(-1));
    measure(statement->span);
    Stmt made = parts(statement);
    if (!known) threads_.erase(threads_.find(tag));
    return made;
  }

  void measure(Span span) {
    int64_t count = 1;
    for (const auto& [tag, extent] : threads_) {
      if (!tag.starts_with("threadIdx")) continue;
      threadsKnown = threadsKnown && extent > 0;
      if (__builtin_mul_overflow(count, std::max<int64_t>(extent, 1), &count)) threadsKnown = false;
    }
    if (count <= mostThreads) return;
    mostThreads = count;
    launch = span;
  }

  void share(const Buffer& buffer) {
    if (buffer.scope() != "shared" && buffer.scope() != "shared.dyn") return;
    int64_t bytes = std::max<int64_t>(buffer.dtype.bytes(), 1);
    for (const PrimExpr& extent : buffer.shape) {
      const auto size = asInt(extent);
      if (!size || __builtin_mul_overflow(bytes, *size, &bytes)) sharedKnown = false;
    }
    sharedBytes += bytes;
  }

  /// Each outermost loop is told once.
  void alone(const StmtNode& statement) {
    const Node* place = outermost_;
    if (place && place == told_) return;
    told_ = place;
    places.push_back(place ? place : &statement);
    Diagnostic said = warningAt(
        outermost_ ? outermost_->span : statement.span, "schedule.unbound",
        outermost_ ? fmt::format("the loop over {} runs on no thread of a device", outermost_->loopVar->name.view())
                   : "this runs on no thread of a device");
    said.fix = kSchedule;
    unbound.push_back(std::move(said));
  }

  std::map<std::string_view, int64_t> threads_;  ///< that are open; -1: nobody knows how many
  const For* outermost_ = nullptr;               ///< loop that is open and on no thread
  const Node* told_ = nullptr;
};

void addLimits(const LaunchReader& found, const target::Target& target, std::vector<Diagnostic>& findings) {
  constexpr int64_t kThreads = 1024;
  const int64_t threads =
      target.number("max_threads_per_block").value_or(target.number("max_num_threads").value_or(kThreads));
  const int64_t shared = target::sharedBytesOf(target);
  if (!found.threadsKnown)
    findings.push_back(warningAt(found.launch, "schedule.limit", "how many threads a group has is known at a launch"));
  if (found.mostThreads > threads)
    findings.push_back(
        warningAt(found.launch, "schedule.limit",
                  fmt::format("a group of {} threads, where {} has {}", found.mostThreads, target.kind(), threads)));
  if (!found.sharedKnown)
    findings.push_back(warningAt(found.launch, "schedule.limit", "how much memory threads share is known at a launch"));
  if (found.sharedBytes > shared)
    findings.push_back(
        warningAt(found.launch, "schedule.limit",
                  fmt::format("threads share {} bytes, where {} has {}", found.sharedBytes, target.kind(), shared)));
}

}  // namespace

std::string_view nameOf(DeviceBadge badge) {
  static constexpr std::string_view kNames[] = {"unscheduled", "bound", "verified"};
  return kNames[static_cast<size_t>(badge)];
}

BadgeReport badgeOf(const std::string& name, const PrimFuncRef& function, const target::TargetRef& target,
                    const CancelToken& cancel) {
  BadgeReport report;
  LaunchReader found;
  found.rewrite(function->body);
  if (!found.unbound.empty()) {
    report.findings = std::move(found.unbound);
    report.places = std::move(found.places);
    return report;
  }
  report.badge = DeviceBadge::Bound;
  addLimits(found, *target, report.findings);
  // On the way down each access is proven, or marked to be looked at, or refused.
  if (report.findings.empty()) {
    const auto form = lower::loweredForDevice(name, function, cancel, target);
    if (!form) report.findings = form.diagnostics();
    for (Diagnostic& finding : report.findings) finding.severity = Severity::Warning;
  }
  if (report.findings.empty()) report.badge = DeviceBadge::Verified;
  return report;
}

}  // namespace rx::schedule
