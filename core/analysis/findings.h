// Collects findings with the place that is being checked; private to core/analysis.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/support/diagnostic.h"
#include "core/support/pointer_map.h"

namespace rx::analysis {

class Findings {
 public:
  explicit Findings(size_t most) : most_(most) {}

  /// Where the checker is; names live as long as the module.
  std::string_view function;
  size_t block = 0;          ///< one-based; 0 = outside of blocks
  std::string_view binding;  ///< variable, or empty
  Span place;                ///< of the binding or statement: used where a node has no place of its own

  void error(Span span, std::string rule, std::string message) { add(Severity::Error, span, rule, message); }
  void warning(Span span, std::string rule, std::string message) { add(Severity::Warning, span, rule, message); }
  void note(std::string message, Span span) {
    if (!list_.empty()) list_.back().notes.push_back({std::move(message), span});
  }
  /// A diagnostic of another layer, put in this context.
  void take(Diagnostic diagnostic, Span span) {
    if (!diagnostic.span.known()) diagnostic.span = span.known() ? span : place;
    diagnostic.context = context();
    if (!full()) list_.push_back(std::move(diagnostic));
  }
  bool full() const { return list_.size() >= most_; }
  std::vector<Diagnostic> release() { return std::move(list_); }

 private:
  std::string context() const {
    std::string text(function);
    if (block) text += fmt::format(", block {}", block);
    if (!binding.empty()) text += fmt::format(", binding {}", binding);
    return text;
  }
  void add(Severity severity, Span span, std::string& rule, std::string& message) {
    Diagnostic d;
    d.severity = severity;
    d.rule = std::move(rule);
    d.message = std::move(message);
    take(std::move(d), span);
  }
  size_t most_;
  std::vector<Diagnostic> list_;
};

/// A set of nodes that grows in a scope and shrinks when the scope is left.
template <class T, class Value>
class ScopedMap {
 public:
  bool add(const T* key, Value value) {
    if (find(key)) return false;
    map_.set(key, std::move(value));
    log_.push_back(key);
    return true;
  }
  const Value* find(const T* key) const {
    const std::optional<Value>* at = map_.find(key);
    return at && *at ? &**at : nullptr;
  }
  size_t mark() const { return log_.size(); }
  void leave(size_t mark) {
    while (log_.size() > mark) {
      map_.set(log_.back(), std::nullopt);
      log_.pop_back();
    }
  }
  void clear() {
    map_.clear();
    log_.clear();
  }

 private:
  PointerMap<T, std::optional<Value>> map_;  // nothing of what was left
  std::vector<const T*> log_;
};

}  // namespace rx::analysis
