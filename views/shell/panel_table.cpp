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
#include "views/panels/pipeline/pipeline_panel.h"
#include "views/panels/problems/problems_panel.h"
#include "views/panels/profile/flame_panel.h"
#include "views/panels/profile/profile_panel.h"
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
    {"module", "Module", "Functions, blocks and bindings of the stage.", PanelArea::LeftTop, true,
     makePanel<ModulePanel>},
    {"symbols", "Symbols", "Symbolic variables of the function: bound where, used where, their bounds and values.",
     PanelArea::LeftTop, true, makePanel<SymbolsPanel>},
    {"passes", "Passes", "The pass history, what each pass changed.", PanelArea::LeftBottom, true,
     makePanel<PassesPanel>},
    {"steps", "Steps",
     "What becomes of the kernel that is shown: each primitive of its schedule, each pass, machine code.",
     PanelArea::LeftBottom, false, makePanel<StepsPanel>},
    {"watch", "Watch", "Expressions at the step that is shown, and over the run.", PanelArea::LeftBottom, true,
     makePanel<WatchPanel>},
    {"ir", "IR", "Text of the stage, with the values of the run.", PanelArea::Center, true, makePanel<IrTextPanel>},
    {"source", "Source", "The file as it is written, its findings underlined.", PanelArea::Center, true,
     makePanel<SourcePanel>},
    {"kernel", "Kernel", "What the selected binding calls, down to machine code.", PanelArea::Center, false,
     makePanel<KernelPanel>},
    {"pipeline", "Pipeline", "The passes to be edited: order, options, what each did.", PanelArea::Center, false,
     makePanel<PipelinePanel>},
    {"diff", "Diff", "The stage beside the one before it.", PanelArea::Center, true, makePanel<DiffPanel>},
    {"profile", "Profile", "Where the time of a run goes, by kernel and call.", PanelArea::Center, false,
     makePanel<ProfilePanel>},
    {"shares", "By layer", "The time of a profile by layer, or by the kind of operators.", PanelArea::LeftBottom, false,
     makePanel<SharesPanel>},
    {"roofline", "Roofline", "How near kernels come to what the machine does, and what bounds the chosen one.",
     PanelArea::Right, false, makePanel<RooflinePanel>},
    {"flame", "Flame Chart", "The last run of a profile over time.", PanelArea::Bottom, false, makePanel<FlamePanel>},
    {"bisect", "Bisect", "What each stage computes on the same inputs, and the pass that changed it.",
     PanelArea::CenterRight, false, makePanel<BisectPanel>},
    {"traced", "Trace Values", "The values of a folder that rxs run --trace wrote.", PanelArea::Center, false,
     makePanel<TracedPanel>},
    {"graph", "Graph", "Dataflow of the selected function.", PanelArea::CenterRight, true, makePanel<GraphPanel>},
    {"inspector", "Inspector", "Structure, value, origin and uses of the selected thing.", PanelArea::Right, true,
     makePanel<InspectorPanel>},
    {"origin", "Origin", "Where the selected binding comes from, stage by stage.", PanelArea::Right, true,
     makePanel<OriginPanel>},
    {"bytecode", "Bytecode", "Program, registers and shape heap of the run.", PanelArea::Bottom, true,
     makePanel<BytecodePanel>},
    {"registers", "Registers", "Registers and shape heap of the frame that is shown.", PanelArea::Bottom, false,
     makePanel<RegistersPanel>},
    {"stack", "Call Stack", "Frames of the machine.", PanelArea::Bottom, true, makePanel<StackPanel>},
    {"threads", "Threads", "The threads of a device's kernel that a run was stepped into.", PanelArea::Bottom, false,
     makePanel<ThreadsPanel>},
    {"breakpoints", "Breakpoints", "Where a run stops.", PanelArea::Bottom, true, makePanel<BreakpointsPanel>},
    {"bookmarks", "Bookmarks", "Places with a bookmark or a note.", PanelArea::Bottom, false,
     makePanel<BookmarksPanel>},
    {"values", "Values", "Numbers of the selected binding.", PanelArea::Bottom, true, makePanel<ValuesPanel>},
    {"memory", "Memory", "What a run holds in memory at the step that is shown, who made it, and over the run.",
     PanelArea::Bottom, true, makePanel<MemoryPanel>},
    {"problems", "Problems", "Findings with their place.", PanelArea::Bottom, true, makePanel<ProblemsPanel>},
    {"results", "Results", "What a search over all stages found, to be walked through with F4.", PanelArea::Bottom,
     false, makePanel<ResultsPanel>},
    {"log", "Log", "What the engine says.", PanelArea::Bottom, true, makePanel<LogPanel>},
    {"timeline", "Timeline", "One bar a recorded step.", PanelArea::Strip, true, makePanel<TimelinePanel>},
};

}  // namespace

std::span<const PanelRow> panelTable() { return kRows; }

}  // namespace rx::views
