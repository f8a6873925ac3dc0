// Cooperative cancellation: every long loop polls a CancelToken.
#pragma once

#include <atomic>
#include <memory>

namespace rx {

/// Cheap to copy; all copies share one flag. A default token can not be cancelled by anyone else.
class CancelToken {
 public:
  void cancel() const { flag_->store(true, std::memory_order_relaxed); }
  bool cancelled() const { return flag_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace rx
