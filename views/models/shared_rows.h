// Rows that copies of their owner share: they are written while there is one owner, and only read from then on.
#pragma once

#include <memory>
#include <vector>

namespace rx::views {

template <class Row>
class SharedRows {
 public:
  using const_iterator = typename std::vector<Row>::const_iterator;
  void push_back(Row row) {
    if (!rows_) rows_ = std::make_shared<std::vector<Row>>();
    rows_->push_back(std::move(row));
  }
  size_t size() const { return rows_ ? rows_->size() : 0; }
  bool empty() const { return size() == 0; }
  const_iterator begin() const { return rows_ ? rows_->cbegin() : const_iterator(); }
  const_iterator end() const { return rows_ ? rows_->cend() : const_iterator(); }
  const Row& operator[](size_t i) const { return (*rows_)[i]; }
  const Row& front() const { return rows_->front(); }
  const Row& back() const { return rows_->back(); }

 private:
  std::shared_ptr<std::vector<Row>> rows_;
};

}  // namespace rx::views
