#include "views/models/problem_list.h"

#include <algorithm>
#include <utility>

namespace rx::views {
namespace {

bool isOfRun(const ProblemRow& row) { return row.source == kOfRun; }
bool sameFault(const ProblemRow& a, const ProblemRow& b) {
  return a.rule == b.rule && a.message == b.message && a.context == b.context;
}

}  // namespace

void ProblemList::assign(std::vector<ProblemRow> rows) {
  all_ = std::move(rows);
  listed_.reset();
}

bool ProblemList::set(const QString& source, const std::vector<ProblemRow>& rows) {
  const size_t gone = std::erase_if(all_, [&](const ProblemRow& row) { return row.source == source; });
  if (gone == 0 && rows.empty()) return false;
  all_.insert(all_.end(), rows.begin(), rows.end());
  listed_.reset();
  return true;
}

const std::vector<ProblemRow>& ProblemList::rows() const {
  if (listed_) return *listed_;
  listed_.emplace();
  std::ranges::copy_if(all_, std::back_inserter(*listed_), [](const ProblemRow& row) { return !isOfRun(row); });
  const auto others = static_cast<ptrdiff_t>(listed_->size());
  for (const ProblemRow& row : all_) {  // a run tells of few
    if (!isOfRun(row)) continue;
    const auto end = listed_->begin() + others;
    const auto told =
        std::find_if(listed_->begin(), end, [&](const ProblemRow& other) { return sameFault(other, row); });
    if (told == end) {
      listed_->push_back(row);
    } else if (told->file.isEmpty() && !row.file.isEmpty()) {
      *told = row;
    }
  }
  return *listed_;
}

}  // namespace rx::views
