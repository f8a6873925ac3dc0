#include "views/models/near_names.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace rx::views {
namespace {

constexpr int kMostLetters = 2;

/// How many letters have to be added, dropped or changed.
int distance(const QString& from, const QString& to) {
  std::vector<int> row(static_cast<size_t>(to.size()) + 1);
  std::iota(row.begin(), row.end(), 0);
  for (qsizetype i = 0; i < from.size(); ++i) {
    int diagonal = row[0]++;
    for (qsizetype j = 0; j < to.size(); ++j) {
      const auto at = static_cast<size_t>(j) + 1;
      const int changed = diagonal + (from[i].toLower() != to[j].toLower());
      diagonal = row[at];
      row[at] = std::min({changed, row[at] + 1, row[at - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

QStringList nearNames(const QString& typed, const QStringList& names) {
  std::vector<std::pair<int, QString>> near;
  for (const QString& name : names) {
    const int letters = distance(typed, name);
    const bool begins = !typed.isEmpty() && name.startsWith(typed, Qt::CaseInsensitive);
    if (begins || (letters <= kMostLetters && letters < typed.size())) near.emplace_back(begins ? 0 : letters, name);
  }
  std::sort(near.begin(), near.end());
  QStringList found;
  for (const auto& [letters, name] : near) found << name;
  return found;
}

}  // namespace rx::views
