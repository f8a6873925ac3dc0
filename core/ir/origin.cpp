#include "core/ir/origin.h"

#include <algorithm>
#include <tuple>

namespace rx {

OriginRef mergeOrigins(const OriginRef& a, const OriginRef& b, const Str& pass) {
  std::vector<OriginSite> sites;
  for (const OriginRef& origin : {a, b}) {
    if (origin) sites.insert(sites.end(), origin->sites.begin(), origin->sites.end());
  }
  auto key = [](const OriginSite& s) { return std::tuple(s.function.view(), s.block, s.binding); };
  std::sort(sites.begin(), sites.end(), [&](const OriginSite& x, const OriginSite& y) { return key(x) < key(y); });
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  return make<Origin>(Array<OriginSite>(std::move(sites)), pass);
}

}  // namespace rx
