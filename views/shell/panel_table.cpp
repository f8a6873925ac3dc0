#include "views/shell/panel_table.h"

#include "views/panels/bisect/bisect_panel.h"
#include "views/panels/bookmarks/bookmarks_panel.h"
#include "views/panels/breakpoints/breakpoints_panel.h"
#include "views/panels/bytecode/bytecode_panel.h"
#include "views/panels/bytecode/registers_panel.h"
#include "views/panels/diff/diff_panel.h"
#include "views/panels/graph/graph_panel.h"
#include "views/panels/inspector/inspector_panel.h"
#include "views/panels/ir_text/ir_text_panel.h"
#include "views/panels/kernel/kernel_panel.h"
#include "views/panels/log/log_panel.h"
#include "views/panels/memory/memory_panel.h"
#include "views/panels/module/module_panel.h"
#include "views/panels/origin/origin_panel.h"
#include "views/panels/passes/passes_panel.h"
#include "views/panels/pipeline/context_panel.h"
#include "views/panels/pipeline/pipeline_panel.h"
#include "views/panels/problems/problems_panel.h"
#include "views/panels/profile/flame_panel.h"
#include "views/panels/profile/profile_panel.h"
#include "views/panels/profile/profiles_panel.h"
#include "views/panels/profile/roofline_panel.h"
#include "views/panels/profile/shares_panel.h"
#include "views/panels/results/results_panel.h"
#include "views/panels/source/source_panel.h"
#include "views/panels/stack/stack_panel.h"
#include "views/panels/steps/steps_panel.h"
#include "views/panels/symbols/symbols_panel.h"
#include "views/panels/threads/threads_panel.h"
#include "views/panels/timeline/timeline_panel.h"
#include "views/panels/traced/traced_panel.h"
#include "views/panels/values/values_panel.h"
#include "views/panels/watch/watch_panel.h"

namespace rx::views {
namespace {

template <class T>
Panel* makePanel(const PanelContext& context, QWidget* parent) {
  return new T(context, parent);
}

constexpr PanelRow kRows[] = {
    // Read, narrow    Debug, narrow    Profile, narrow    forms, narrow
    {"module", "Module", "Functions, blocks and bindings of the stage.", makePanel<ModulePanel>,
     placesOf("left! graph  left! text  left text  left! left-")},
    {"symbols", "Symbols", "Symbolic variables of the function: bound where, used where, their bounds and values.",
     makePanel<SymbolsPanel>, placesOf("left graph  left text  left- text-  left- left-")},
    {"profiles", "Profiles",
     "All profiles, of which any two are held against each other, and what they were measured by.",
     makePanel<ProfilesPanel>, placesOf("left- graph-  left- text-  left! text  left- left-")},
    {"passes", "Passes", "The pass history, what each pass changed.", makePanel<PassesPanel>,
     placesOf("below! graph  below text  below text  left left-")},
    {"steps", "Steps",
     "What becomes of the kernel that is shown: each primitive of its schedule, each pass, machine code.",
     makePanel<StepsPanel>, placesOf("below- graph-  below- text-  below- text-  left- left-")},
    {"watch", "Watch", "Expressions at the step that is shown, and over the run.", makePanel<WatchPanel>,
     placesOf("below- graph-  below! bottom  below- text-  left- left-")},
    {"ir", "IR", "Text of the stage, with the values of the run.", makePanel<IrTextPanel>,
     placesOf("text! text!  text! text!  text text  left! left!")},
    {"source", "Source", "The file as it is written, its findings underlined.", makePanel<SourcePanel>,
     placesOf("text text  text text  text- text-  left- left-")},
    {"kernel", "Kernel", "What the selected binding calls, down to machine code.", makePanel<KernelPanel>,
     placesOf("text- text-  text- text-  text text  left- left-")},
    {"pipeline", "Pipeline", "The passes to be edited: order, options, what each did.", makePanel<PipelinePanel>,
     placesOf("text- text-  text- text-  text- text-  left- left-")},
    {"context", "Context", "What the passes run under: level, required and disabled passes, config.",
     makePanel<ContextPanel>, placesOf("below- graph-  below- text-  below- text-  left- left-")},
    {"diff", "Diff", "The stage beside the one before it.", makePanel<DiffPanel>,
     placesOf("text text  text text  text- text-  left- left-")},
    {"profile", "Profile", "Where the time of a run goes, by kernel and call.", makePanel<ProfilePanel>,
     placesOf("text- text-  text- text-  text! text!  left- left-")},
    {"shares", "By layer", "The time of a profile by layer, or by the kind of operators.", makePanel<SharesPanel>,
     placesOf("below- graph-  below- text-  below! text  left- left-")},
    {"roofline", "Roofline", "How near kernels come to what the machine does, and what bounds the chosen one.",
     makePanel<RooflinePanel>, placesOf("right- right-  right- right-  right! bottom!  right- right-")},
    {"flame", "Flame Chart", "The last run of a profile over time.", makePanel<FlamePanel>,
     placesOf("right- right-  bottom- bottom-  bottom! bottom  right- right-")},
    {"bisect", "Bisect", "What each stage computes on the same inputs, and the pass that changed it.",
     makePanel<BisectPanel>, placesOf("graph- graph-  graph- text-  text- text-  graph- graph-")},
    {"traced", "Trace Values", "The values of a folder that rxs run --trace wrote.", makePanel<TracedPanel>,
     placesOf("text- text-  text- text-  text- text-  left- left-")},
    {"graph", "Graph", "Dataflow of the selected function.", makePanel<GraphPanel>,
     placesOf("graph! graph!  graph! text  below- text-  graph! graph!")},
    {"inspector", "Inspector", "Structure, value, origin and uses of the selected thing.", makePanel<InspectorPanel>,
     placesOf("right! right!  right! right!  right bottom  right! right-")},
    {"origin", "Origin", "Where the selected binding comes from, stage by stage.", makePanel<OriginPanel>,
     placesOf("right right  right right  right- bottom-  right- right-")},
    {"bytecode", "Bytecode", "Program, registers and shape heap of the run.", makePanel<BytecodePanel>,
     placesOf("right- right-  bottom! bottom!  bottom- bottom-  right- right-")},
    {"registers", "Registers", "Registers and shape heap of the frame that is shown.", makePanel<RegistersPanel>,
     placesOf("right- right-  bottom- bottom  bottom- bottom-  right- right-")},
    {"stack", "Call Stack", "Frames of the machine.", makePanel<StackPanel>,
     placesOf("right- right-  bottom bottom  bottom- bottom-  right- right-")},
    {"threads", "Threads", "The threads of a device's kernel that a run was stepped into.", makePanel<ThreadsPanel>,
     placesOf("right- right-  bottom- bottom-  bottom- bottom-  right- right-")},
    {"breakpoints", "Breakpoints", "Where a run stops.", makePanel<BreakpointsPanel>,
     placesOf("right- right-  bottom bottom  bottom- bottom-  right- right-")},
    {"bookmarks", "Bookmarks", "Places with a bookmark or a note.", makePanel<BookmarksPanel>,
     placesOf("right- right-  bottom- bottom-  bottom- bottom-  right- right-")},
    {"values", "Values", "Numbers of the selected binding.", makePanel<ValuesPanel>,
     placesOf("right- right-  bottom bottom  bottom- bottom-  right- right-")},
    {"memory", "Memory", "What a run holds in memory at the step that is shown, who made it, and over the run.",
     makePanel<MemoryPanel>, placesOf("right right  bottom bottom  bottom bottom  right- right-")},
    {"problems", "Problems", "Findings with their place.", makePanel<ProblemsPanel>,
     placesOf("right- right-  bottom bottom  bottom bottom  right- right-")},
    {"results", "Results", "What a search over all stages found, to be walked through with F4.",
     makePanel<ResultsPanel>, placesOf("right- right-  bottom- bottom-  bottom- bottom-  right- right-")},
    {"log", "Log", "What the engine says.", makePanel<LogPanel>,
     placesOf("right- right-  bottom bottom  bottom bottom  right- right-")},
    {"timeline", "Timeline", "One bar a recorded step.", makePanel<TimelinePanel>,
     placesOf("right- right-  strip strip  bottom- bottom-  right- right-")},
};

}  // namespace

std::span<const PanelRow> panelTable() { return kRows; }

}  // namespace rx::views
