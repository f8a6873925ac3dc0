// Adapter: answers requests over one debug session. Runs on the server's worker thread only.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>

#include "core/dap/kernel_requests.h"
#include "core/dap/server/client_view.h"
#include "core/dap/server/host.h"
#include "core/debug/place.h"
#include "core/debug/session.h"
#include "core/tensor/elements.h"
#include "core/tensor/npy.h"

namespace rx::dap {

class Adapter {
 public:
  using Emit = std::function<void(const char* event, Json body)>;
  /// `poll` is called while the program runs: it may answer other requests through handle(), and says whether to
  /// pause. `pulse` is kept up to date while it runs.
  Adapter(Host host, Emit emit, std::function<bool()> poll, CancelToken cancel, debug::Pulse* pulse);

  /// The answer to a request. What it starts (running the program) happens in finish(), after the answer is sent.
  Result<Json> handle(const Request& request);
  void finish();
  bool running() const { return running_; }
  /// A `disconnect` was answered.
  bool done() const { return done_; }

 private:
  /// What was changed by hand, to be done again where the run goes there anew.
  struct ByHand {
    int64_t state = 0;
    std::function<Result<Unit>(debug::Session&)> does;
  };
  /// When a request may be answered.
  enum class Needs : uint8_t { Nothing, Initialized, Session, Stopped };
  struct Handler {
    const char* command;
    Needs needs;
    Result<Json> (*run)(Adapter&, const Json& arguments);
  };
  static const Handler kHandlers[];
  template <class Arguments, auto Method>
  static Result<Json> call(Adapter& adapter, const Json& arguments);
  static bool isDap(const Handler& handler);
  Result<Unit> allowed(const Handler& handler) const;

  // lifecycle.cpp
  Result<Json> initialize(const InitializeArguments& arguments);
  Result<LoadBody> load(const LaunchArguments& arguments);
  Result<Nothing> launch(const LaunchArguments& arguments);
  Result<Nothing> restart(const Nothing&);
  Result<Nothing> configurationDone(const Nothing&);
  Result<Nothing> disconnect(const DisconnectArguments&);
  Result<Nothing> terminate(const Nothing&);
  Result<Position> openTrace(const PathArguments& arguments);
  Result<TraceBody> trace(const Nothing&);
  Result<ArgumentsBody> argumentsRequest(const Nothing&) { return ArgumentsBody{report_.checks}; }
  Result<Json> threads(const Json&);
  Result<StagesBody> stages(const Nothing&);
  Result<Position> selectStage(const StageArguments& arguments);
  Result<SourceBody> source(const SourceArguments& arguments);
  Result<Unit> startRun();
  /// Numbers and what is remembered of values belong to one run.
  void forgetValues();

  // breakpoints.cpp
  Result<BreakpointsBody> setBreakpoints(const SetBreakpointsArguments& arguments);
  Result<BreakpointsBody> setFunctionBreakpoints(const SetFunctionBreakpointsArguments& arguments);
  Result<BreakpointsBody> setInstructionBreakpoints(const SetInstructionBreakpointsArguments& arguments);
  Result<BreakpointsBody> setDataBreakpoints(const SetDataBreakpointsArguments& arguments);
  Result<BreakpointsBody> setBindingBreakpoints(const SetBindingBreakpointsArguments& arguments);
  Result<Nothing> setExceptionBreakpoints(const SetExceptionBreakpointsArguments& arguments);
  Result<DataBreakpointInfoBody> dataBreakpointInfo(const DataBreakpointInfoArguments& arguments);
  /// Who set a breakpoint: each kind of request replaces its own.
  enum class Setter : uint8_t { Source, Function, Instruction, Data, Binding };
  void clear(Setter setter, const std::string& source = {});
  Breakpoint add(Setter setter, debug::Breakpoint breakpoint, const std::string& source = {});
  Result<debug::StagePlace> placeOf(const BindingBreakpoint& wanted) const;
  debug::Breakpoint made(const BindingBreakpoint& wanted) const;
  /// A breakpoint at a line of a source; `shown` becomes the line that it stands at.
  debug::Breakpoint atLine(uint32_t file, uint32_t line, int64_t* shown) const;
  /// Hits of every breakpoint, and what is wrong with conditions.
  std::vector<BreakpointHits> hits() const;

  // motion.cpp
  Result<Nothing> go(const ThreadArguments&);
  Result<Nothing> reverseGo(const ThreadArguments&);
  Result<Nothing> next(const StepArguments& arguments);
  Result<Nothing> stepOut(const StepArguments& arguments);
  Result<Nothing> stepBack(const StepArguments& arguments);
  Result<Nothing> reverseStep(const ReverseStepArguments& arguments);
  Result<Nothing> goTo(const GoToArguments& arguments);
  Result<Nothing> runTo(const BindingBreakpoint& arguments);
  Result<Nothing> pause(const ThreadArguments&);
  Result<Nothing> move(bool forward, debug::Motion motion, const std::optional<std::string>& granularity);
  void run(std::function<debug::Stop()> motion);
  void report(const debug::Stop& stop);
  Position position() const;

  // inspect.cpp
  Result<StackTraceBody> stackTrace(const StackTraceArguments& arguments);
  Result<ScopesBody> scopes(const ScopesArguments& arguments);
  Result<VariablesBody> variables(const VariablesArguments& arguments);
  Result<EvaluateBody> evaluate(const EvaluateArguments& arguments);
  Result<DisassembleBody> disassemble(const DisassembleArguments& arguments);
  Result<ReadMemoryBody> readMemory(const ReadMemoryArguments& arguments);
  Result<Json> exceptionInfo(const Json&);
  Result<int> activationOf(int64_t frameId) const;
  const debug::VmFunction& functionOf(int activation) const;

  // assign.cpp
  Result<AssignedBody> setVariable(const SetVariableArguments& arguments);
  Result<AssignedBody> setExpression(const SetExpressionArguments& arguments);
  Result<WriteMemoryBody> writeMemory(const WriteMemoryArguments& arguments);
  Result<Nothing> changePast(const ChangePastArguments& arguments);
  /// Does again what was changed by hand, at its states, on the way to one.
  debug::Stop replayTo(int64_t state, const std::vector<ByHand>& changes);
  /// The place that a variable of a scope, or a part of a value, stands for.
  Result<debug::Place> placeNamed(int64_t reference, const std::string& name);
  Result<AssignedBody> assign(int activation, const debug::Place& place, const std::string& value);
  /// What a client shows of values is not what they are any more.
  void invalidated();
  /// What of the memory that a client knows by name the last change has written to.
  std::vector<MemoryEvent> writtenMemory();

  // watch.cpp
  Result<WatchBody> watch(const WatchArguments& arguments);
  Result<WatchHistoryBody> watchHistory(const WatchHistoryArguments& arguments);
  WatchValue watched(const std::string& expression, int activation);

  // values.cpp
  Result<Position> positionRequest(const Nothing&) { return position(); }
  Result<ProgramBody> program(const RangeArguments& arguments);
  Result<OriginBody> origin(const OriginArguments& arguments);
  Result<RegistersBody> registers(const RegistersArguments& arguments);
  Result<ShapeHeapBody> shapeHeap(const FrameArguments& arguments);
  Result<ValuesBody> values(const ValuesArguments& arguments);
  Result<SliceBody> slice(const SliceArguments& arguments);
  Result<Nothing> saveValue(const SaveValueArguments& arguments);
  Result<MemoryBody> memory(const MemoryArguments& arguments);
  Result<ResultBody> result(const Nothing&);
  Result<debug::ValueRef> refFor(int64_t reference, const std::optional<std::string>& expression);
  ValueInfo infoOf(const debug::ValueRef& ref, const debug::Value& value);
  ValueInfo infoOf(const debug::ValueRef& ref);
  ValueInfo parameterOf(int activation, int index);

  // steps.cpp
  Result<TimelineBody> timeline(const RangeArguments& arguments);
  Result<TimelineBarsBody> timelineBars(const TimelineBarsArguments& arguments);
  StepInfo stepInfo(int64_t step);
  Result<NonFiniteBody> nonFinite(const Nothing&);
  Result<InstructionTimesBody> instructionTimes(const RangeArguments& arguments);
  Result<BindingStepBody> bindingStep(const BindingStepArguments& arguments);

  // measures.cpp
  /// Elements that a request is about, with what holds their memory.
  struct Measured {
    debug::ValueRef ref;
    debug::Value value;
    Ref<HostTensor> other;
    Distance distance = Distance::Absolute;
    Result<Elements> elements() const;
  };
  Result<Measured> measured(int64_t reference, const std::optional<std::string>& expression,
                            const std::optional<Against>& against);
  Result<Ref<HostTensor>> otherSide(const Against& against);
  Result<const std::vector<NamedTensor>*> arraysOf(const std::string& path);
  Result<StatisticsBody> statistics(const StatisticsArguments& arguments);
  Result<PlaneBody> plane(const PlaneArguments& arguments);
  Result<FindElementBody> findElement(const FindElementArguments& arguments);
  Result<CompareBody> compare(const CompareArguments& arguments);
  Result<ArraysBody> arrays(const PathArguments& arguments);

  /// What a variablesReference stands for: a scope of a frame, or a value with parts. Numbers stay valid while the run
  /// goes on, since they name the state that they were given at; of a long session the newest kMostContainers do.
  enum class ScopeKind : uint8_t { Bindings, Arguments, Registers, Heap, Value, KernelScope, KernelBuffer };
  struct Container {
    ScopeKind kind = ScopeKind::Value;
    debug::ValueRef ref;  ///< of a scope only state and activation
  };
  int64_t reference(Container container);
  Result<Container> container(int64_t reference) const;
  int64_t referenceFor(const debug::ValueRef& ref, const debug::Value& value);
  /// The value whose bytes "memory:7" means.
  Result<debug::ValueRef> memoryNamed(std::string_view memoryReference) const;
  Variable variableOf(const std::string& name, const debug::ValueRef& ref);

  // places.cpp
  /// The source with this number, or the text of the selected stage where there is none.
  Source sourceOf(uint32_t file) const;
  struct Place {
    Source source;
    int64_t line = 1;
  };
  /// Where an instruction is shown: every one has a place.
  Place placeOfInstruction(int64_t index);
  const debug::StageMap& importedMap();
  /// The number of the file that a client means, -1 for none.
  int sourceNumber(const Source& source) const;
  Result<BreakpointLocationsBody> breakpointLocations(const BreakpointLocationsArguments& arguments);
  Result<LoadedSourcesBody> loadedSources(const Nothing&);
  Result<ModulesBody> modules(const ModulesArguments& arguments);
  Result<LocationsBody> locations(const LocationsArguments& arguments);
  std::optional<int64_t> locationReference(debug::StagePlace place) const;

  // targets.cpp
  Result<GotoTargetsBody> gotoTargets(const GotoTargetsArguments& arguments);
  Result<Nothing> gotoTarget(const GotoArguments& arguments);
  Result<Nothing> restartFrame(const RestartFrameArguments& arguments);
  Result<StepInTargetsBody> stepInTargets(const StepInTargetsArguments& arguments);
  Result<Nothing> stepIn(const StepArguments& arguments);
  Result<CompletionsBody> completions(const CompletionsArguments& arguments);

  // kernel_threads.cpp
  /// What a call of the binding, in the frame's function, can be stepped into as threads.
  void addKernelTargets(StepInTargetsBody& body) const;
  /// The binding that an instruction works for; between bindings, the next one of its function.
  debug::StagePlace bindingAhead(int64_t instruction) const;
  bool isKernelTarget(int64_t target) const;
  Result<Nothing> stepIntoKernel(int64_t target);
  Result<std::vector<debug::Value>> argumentsOfCall(int64_t instruction);
  bool isKernelThread(int64_t threadId) const;
  Result<Nothing> stepThreads(const StepThreadsArguments& arguments);
  Result<Nothing> chooseGroup(const ChooseGroupArguments& arguments);
  Result<KernelThreadsBody> kernelThreads(const KernelThreadsArguments& arguments);
  Result<Nothing> moveKernel(int64_t threadId, std::function<Result<Unit>()> motion);
  void reportKernel(const char* reason, const std::vector<Diagnostic>& said);
  StackTraceBody kernelStack(int64_t threadId) const;
  ScopesBody kernelScopes(int64_t thread);
  VariablesBody kernelVariables(const debug::ValueRef& scope, const VariablesArguments& arguments);
  Result<VariablesBody> kernelElements(const debug::ValueRef& buffer, const VariablesArguments& arguments) const;

  Host host_;
  ClientView view_;
  Emit emit_;
  std::function<bool()> poll_;
  CancelToken cancel_;
  debug::Pulse* pulse_;
  bool initialized_ = false;
  bool tellsInvalidated_ = false;  ///< the client knows that event
  bool tellsMemory_ = false;       ///< and that one
  bool configured_ = false;
  bool running_ = false;
  bool done_ = false;
  std::shared_ptr<LoadedProgram> loaded_;
  LaunchArguments launch_;
  ArgumentReport report_;
  std::string tracePath_;
  std::unique_ptr<debug::Session> session_;
  std::vector<ByHand> byHand_;                  ///< in the order of their states
  std::optional<debug::StageMap> importedMap_;  ///< of the session, made when first asked for
  debug::Stop lastStop_;
  std::unique_ptr<debug::SteppedKernel> kernel_;  ///< that the user is in
  int64_t kernelThread_ = 0;                      ///< that was stepped last
  std::vector<std::string> kernelRaces_;          ///< found in it
  int64_t kernelSteps_ = 0, kernelsEntered_ = 0;  ///< in all kernels: what was said before is not what is now
  std::function<void()> after_;
  int nextBreakpoint_ = 1;
  std::map<int, std::pair<Setter, std::string>> setters_;
  std::vector<debug::Breakpoint> replaced_;  ///< by the list that is being set
  /// The file that was compared with last: it is asked for again and again while one looks at the difference.
  struct ArrayFile {
    std::string path;
    std::filesystem::file_time_type written;
    std::vector<NamedTensor> arrays;
  };
  std::optional<ArrayFile> arrayFile_;
  /// The last known values of parameters, by frame and register: one that was dropped after its last use is told from
  /// here, not by walking back to where it was.
  std::map<std::pair<int, int>, ValueInfo> parameters_;
  static constexpr size_t kMostContainers = 1 << 17;
  std::deque<std::pair<Container, std::string>> containers_;  ///< with the keys of containerNumbers_
  int64_t forgottenContainers_ = 0;                           ///< whose numbers came before those of containers_
  std::map<std::string, int64_t> containerNumbers_;
};

}  // namespace rx::dap
