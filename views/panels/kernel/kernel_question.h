// What rxs is asked of a kernel.
#pragma once

#include "views/panels/panel.h"

namespace rx::views {

/// How long a kernel is run to see where its time goes.
constexpr int kSampleMilliseconds = 500;
/// For what a run was compiled for last, else for what the passes compile for; empty for this machine.
QStringList targetWords(const PanelContext& context);
/// The sizes of a kernel's symbolic variables, as rxs takes them: those that the profile in sight saw, else those of
/// the run, of what somebody chose, or of the files beside the module.
QStringList sizeWords(const PanelContext& context, const QString& kernel);
/// What has a kernel looked at while it runs.
QStringList sampleWords(const PanelContext& context, const QString& kernel);
/// What `rxs kernel` is asked for a kernel of the module as it stands.
QStringList questionOf(const PanelContext& context, const QString& kernel, bool samples);

}  // namespace rx::views
