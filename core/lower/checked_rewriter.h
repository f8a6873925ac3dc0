// CheckedRewriter: a Rewriter that may refuse what it meets.
#pragma once

#include "core/lower/rewriter.h"
#include "core/support/result.h"

namespace rx::lower {

/// The rewriting goes on after a refusal, so that all of them are told.
class CheckedRewriter : public Rewriter {
 public:
  /// The statement rewritten, or everything that was refused on the way.
  Result<tir::Stmt> run(const tir::Stmt& statement) {
    tir::Stmt made = rewrite(statement);
    if (!errors_.empty()) return fail(std::move(errors_));
    return made;
  }

 protected:
  void refuse(std::string rule, std::string message, Span span = {}) {
    errors_.push_back(errorAt(span, std::move(rule), std::move(message)));
  }

 private:
  std::vector<Diagnostic> errors_;
};

}  // namespace rx::lower
