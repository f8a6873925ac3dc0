#include "views/session/prim_badge.h"

#include "core/lower/function_target.h"
#include "core/schedule/device_badge.h"
#include "views/theme/qt_text.h"

namespace rx::views {

std::shared_ptr<const PrimBadge> badgeOf(const std::string& name, const tir::PrimFuncRef& function,
                                         const target::TargetRef& target,
                                         const std::function<int(const Node*)>& lineOf) {
  const Result<target::TargetRef> own = lower::targetOf(*function);
  const target::TargetRef& device = own && *own ? *own : target;
  if (!device || !device->isGpu()) return nullptr;
  const schedule::BadgeReport report = schedule::badgeOf(name, function, device, {});
  auto badge = std::make_shared<PrimBadge>();
  badge->name = qtText(schedule::nameOf(report.badge));
  badge->target = qtText(device->kind());
  badge->ready = report.badge == schedule::DeviceBadge::Verified;
  for (size_t i = 0; i < report.findings.size(); ++i) {
    const Diagnostic& finding = report.findings[i];
    const int line = i < report.places.size() ? lineOf(report.places[i]) : -1;
    badge->reasons.push_back({qtText(finding.message), qtText(finding.fix), line});
  }
  return badge;
}

}  // namespace rx::views
