// The parts of an inspection, each in a file of its own; what they share.
#pragma once

#include "views/models/place.h"
#include "views/models/stage_index.h"
#include "views/panels/inspector/call_groups.h"
#include "views/panels/inspector/inspection.h"
#include "views/panels/values/selected_value.h"

namespace rx::views {

constexpr size_t kMostInspected = 40;  // rows of a section

/// What is inspected, and where its description is written to.
struct Inspector {
  const PanelContext& context;
  const InspectionWish& wish;
  Place place;
  StageIndexPtr stage;
  const FunctionRow* function = nullptr;
  const BindingRow* binding = nullptr;
  Inspection result = {};
  bool saidPast = false;

  InspectionSection& section(const QString& title) {
    result.sections.push_back({title});
    return result.sections.back();
  }
  /// A section that is left out when it gets no rows.
  void keep(InspectionSection&& section) {
    if (!section.rows.empty() || !section.bars.empty()) result.sections.push_back(std::move(section));
  }
  /// Calls without a result share a name: they are told apart by their ordinal.
  static QString bindingTarget(const FunctionRow& function, const QString& name, int ordinal) {
    const QString target = QStringLiteral("binding:%1:%2").arg(function.name, name);
    return ordinal < 0 ? target : target + QStringLiteral(":%1").arg(ordinal);
  }
  QString bindingTarget(const QString& name, int ordinal = -1) const { return bindingTarget(*function, name, ordinal); }
  QString bindingTarget(const BindingRow& row) const { return bindingTarget(row.name, row.ordinal); }
  bool runIsHere() const;
  /// What `add` adds of the values of a run: grey where that is past, which is said once.
  template <class Add>
  void ofRun(Add add) {
    const size_t from = result.sections.size();
    add();
    greyFrom(from);
  }
  void greyFrom(size_t section);
  /// The value of an operand of the selected function at the step that is shown.
  ValueSummary valueOf(const OperandRow& operand) const;
};

QString inspectorText(const char* source);
void addRow(InspectionSection& section, const QString& label, std::vector<InspectionPiece> pieces,
            std::optional<OpKind> mark = {});

void inspectBinding(Inspector& inspector);  // inspect_binding.cpp
void inspectParam(Inspector& inspector, const ParamRow& param);
void addUses(Inspector& inspector, const std::vector<int>& usedBy);
void addValue(Inspector& inspector, const SelectedValue& selected);  // inspect_value.cpp
void addBadChain(Inspector& inspector, const ValueSummary& value);
void addInputs(Inspector& inspector);
void addConstants(Inspector& inspector);
void addTuple(Inspector& inspector, const QString& info, const ValueSummary& value);
void addFiles(Inspector& inspector);         // inspect_files.cpp
void inspectFunction(Inspector& inspector);  // inspect_function.cpp
void addPrimSummary(Inspector& inspector);   // inspect_prim.cpp
/// "2.1 MFLOP, 0.5 a byte moved" of a call of a TIR function, or the number with its symbols; empty where unknown.
QString primWorkText(const PrimSummary& prim);
void addWork(Inspector& inspector, InspectionSection& section, const BindingRow& binding);  // inspect_work.cpp
void addAllWork(Inspector& inspector, InspectionSection& section, const FunctionCalls& calls);
void addMemory(Inspector& inspector);    // inspect_memory.cpp
void addPassDeed(Inspector& inspector);  // inspect_pass.cpp
void addPlan(Inspector& inspector);
void addScope(Inspector& inspector);        // inspect_scope.cpp
void addRemarks(Inspector& inspector);      // inspect_remarks.cpp
void addProblems(Inspector& inspector);     // inspect_problems.cpp
void addMisfit(Inspector& inspector);       // inspect_misfit.cpp
void addOperatorDoc(Inspector& inspector);  // operator_doc.cpp

}  // namespace rx::views
