#include "views/panels/pipeline/pass_reason.h"

#include <QCoreApplication>
#include <algorithm>

namespace rx::views {
namespace {

QString text(const char* source) { return QCoreApplication::translate("PassReason", source); }

/// Bindings that were left for the same reason.
struct Reason {
  QString words;
  std::vector<const StepRow::Remark*> of;
};

/// In the order of their first bindings.
std::vector<Reason> reasonsOf(const StepRow& step) {
  std::vector<Reason> reasons;
  for (const StepRow::Remark& remark : step.remarks) {
    auto at =
        std::find_if(reasons.begin(), reasons.end(), [&](const Reason& each) { return each.words == remark.text; });
    if (at == reasons.end()) at = reasons.insert(at, {remark.text, {}});
    at->of.push_back(&remark);
  }
  return reasons;
}

QString linksHtml(const Reason& reason) {
  constexpr size_t kMostLinks = 6;
  QStringList links;
  for (size_t i = 0; i < std::min(kMostLinks, reason.of.size()); ++i) {
    const StepRow::Remark& each = *reason.of[i];
    links << QStringLiteral("<a href=\"%1\">%2</a>")
                 .arg((each.function + '\t' + each.variable).toHtmlEscaped(), each.variable.toHtmlEscaped());
  }
  QString html = links.join(QStringLiteral(", "));
  if (reason.of.size() > kMostLinks) html += text(" and %1 more").arg(reason.of.size() - kMostLinks);
  return html;
}

}  // namespace

QString passReasonHtml(const PipelineLine& line) {
  QString html = QStringLiteral("<b>%1</b> %2").arg(line.name.toHtmlEscaped(), line.help.toHtmlEscaped());
  if (!line.on || line.stage < 0 || line.step.state == StepState::Pending) return html;
  if (line.step.state == StepState::Failed || line.step.verdict == Verdict::IllFormed)
    html += QStringLiteral("<br>") + line.step.verdictReason.toHtmlEscaped();
  if (line.step.state != StepState::Done) return html;
  const std::vector<Reason> reasons = reasonsOf(line.step);
  if (line.step.changed.empty())
    html += QStringLiteral("<br><b>") + text("It changed nothing.") + QStringLiteral("</b>");
  constexpr size_t kMostReasons = 4;
  for (size_t i = 0; i < std::min(kMostReasons, reasons.size()); ++i)
    html += QStringLiteral("<br>%1: %2").arg(linksHtml(reasons[i]), reasons[i].words.toHtmlEscaped());
  if (reasons.size() > kMostReasons) html += text("<br>%1 other reasons").arg(reasons.size() - kMostReasons);
  return html;
}

}  // namespace rx::views
