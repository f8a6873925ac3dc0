// The way from the imported line to a binding of a later stage, pass by pass.
#pragma once

#include <QString>
#include <vector>

namespace rx::views {

class Document;

/// One stage in which what computes the value was made or changed. The first stands in the imported module.
struct OriginLink {
  int stage = 0;
  QString pass;  // name of the stage: "imported", "LegalizeOps"
  QString function;
  int binding = -1;  // the one to look at; -1 for the head of the function
  QString variable;
  QString text;  // what is new there: "R.divide(powers, total)", "alloc12 and divide(powers, total, alloc12)"
  int line = 0;  // in the text of the stage
  QString file;  // of the source that was read, and the line there; only in the imported stage
  int fileLine = 0;
};

struct OriginChain {
  std::vector<OriginLink> links;  // in the order of the stages
  bool complete = true;           // false while stages between are not built yet
};

/// The chain of a binding. Stages between that no view has looked at are built where `request` says so; the chain is
/// complete when they are there (Document::stageReady). A binding that a pass added for no line of the import (the
/// check of a parameter) begins with the head of its function.
OriginChain originChain(Document& document, int stage, const QString& function, int binding, bool request);

/// Name of the pass that took the last binding away that came from what a binding of stage `from` comes from, between
/// that stage and stage `to`; empty when something of it is left, or while stages between are not built.
QString removedBy(Document& document, int from, const QString& function, int binding, int to, bool request);

}  // namespace rx::views
