// How near a kernel that was run comes to what the machine does.
#include <QJsonDocument>
#include <QJsonObject>

#include "views/models/profile.h"
#include "views/panels/kernel/kernel_panel.h"
#include "views/panels/kernel/kernel_sides.h"
#include "views/panels/kernel/kernel_strip.h"
#include "views/panels/profile/roofline_view.h"

namespace rx::views {

void KernelPanel::showRoof() {
  const KernelListingPtr& listing = sides_->listing();
  const bool known = strip_->isVisibleTo(this) && listing->nanoseconds > 0 && work_ > 0 && moved_ > 0;
  if (known && flopsLimit_ == 0 && !machine_->busy())
    machine_->start({QStringLiteral("machine"), QStringLiteral("--json")},
                    [this](bool, const QString& output) { takeMachine(output.toUtf8()); });
  const bool shown = known && flopsLimit_ > 0;
  roof_->setVisible(shown);
  if (!shown) return;
  auto profile = std::make_shared<Profile>();
  profile->flopsLimit = flopsLimit_;
  profile->bytesLimit = bytesLimit_;
  ProfileRow row;
  row.name = listing->name;
  row.kernel = true;
  row.nanoseconds = listing->nanoseconds;
  row.flops = work_;
  row.bytes = moved_;
  row.share = 0.25;  // as large as it can be pointed at
  profile->kernels = {row};
  roof_->setProfiles(std::move(profile), nullptr, false);
  roof_->setCurrent(0);
}

void KernelPanel::takeMachine(const QByteArray& json) {
  const QJsonObject one = QJsonDocument::fromJson(json).object()["machine"].toObject()["one"].toObject();
  flopsLimit_ = one["flops_per_second"].toDouble();
  bytesLimit_ = one["bytes_per_second"].toDouble();
  if (flopsLimit_ <= 0) flopsLimit_ = -1;  // it is not asked again
  showRoof();
  Q_EMIT settled();
}

}  // namespace rx::views
