// Statements, and the kernel around them.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "core/codegen/intrinsic_name.h"
#include "core/codegen/opencl_emitter.h"
#include "core/ir/reflect.h"
#include "core/support/stack.h"

namespace rx::codegen {

using namespace tir;

namespace {

/// Words of the language, and functions that texts call, which a name must not be.
constexpr std::string_view kReserved[] = {
    "auto",     "break",     "case",     "char",     "const",    "constant", "continue", "default", "do",
    "double",   "else",      "enum",     "extern",   "float",    "for",      "global",   "goto",    "half",
    "if",       "image2d_t", "inline",   "int",      "kernel",   "local",    "long",     "private", "register",
    "return",   "sampler_t", "short",    "signed",   "sizeof",   "static",   "struct",   "switch",  "typedef",
    "union",    "unsigned",  "void",     "volatile", "while",    "bool",     "uchar",    "ushort",  "uint",
    "ulong",    "true",      "false",    "NAN",      "INFINITY", "event_t",  "size_t",   "max",     "min",
    "select",   "step",      "length",   "dot",      "cross",    "mix",      "sign",     "abs",     "clamp",
    "barrier",  "rotate",    "any",      "all",      "pipe",     "quad",     "complex",  "isnan",   "isinf",
    "isfinite", "ldexp",     "popcount", "clz",
#define RX_CL_MATH(name, function, ulp) #function,
#include "core/codegen/opencl_intrinsics.def"
#undef RX_CL_MATH
};

struct ThreadAxis {
  std::string_view tag;
  const char* text;
};
constexpr ThreadAxis kAxes[] = {
    {"blockIdx.x", "get_group_id(0)"},  {"blockIdx.y", "get_group_id(1)"},  {"blockIdx.z", "get_group_id(2)"},
    {"threadIdx.x", "get_local_id(0)"}, {"threadIdx.y", "get_local_id(1)"}, {"threadIdx.z", "get_local_id(2)"},
};

const char* textOfAxis(std::string_view tag) {
  const auto* found =
      std::find_if(std::begin(kAxes), std::end(kAxes), [&](const ThreadAxis& a) { return a.tag == tag; });
  return found == std::end(kAxes) ? nullptr : found->text;
}

}  // namespace

OpenClEmitter::OpenClEmitter(const lower::DeviceKernel& kernel, bool exact, bool checks, HelperTexts& helpers,
                             std::vector<FaultSite>& sites)
    : kernel_(kernel), exact_(exact), checks_(checks), helpers_(helpers), sites_(sites) {
  names_.insert(std::begin(kReserved), std::end(kReserved));
}

Result<ClLines> OpenClEmitter::run() {
  walk(*kernel_.function->body, Into::Parts, [&](const Node& node) {
    const Buffer* buffer = nullptr;
    if (const auto* access = as<BufferLoad>(&node)) buffer = access->buffer.get();
    if (const auto* access = as<BufferStore>(&node)) buffer = access->buffer.get();
    if (buffer) elements_.emplace(buffer->data.get(), buffer);
    const auto* call = as<Call>(&node);
    if (call && intrinsicName(*call) == "tvm_storage_sync") waits_ = true;
    return true;
  });
  if (!isDeviceName(kernel_.symbol)) refuse({}, fmt::format("{} is no name of OpenCL C", kernel_.symbol));
  signature();
  stmt(kernel_.function->body);
  if (!errors_.empty()) return fail(std::move(errors_));
  std::string head = fmt::format("kernel void {}(", kernel_.symbol);
  for (size_t i = 0; i < head_.size(); ++i) head += (i == 0 ? "" : ", ") + head_[i];
  const Span whole = kernel_.function->span;
  ClLines text{{head + ") {", whole}};
  for (ClLines* part : {&shared_, &lines_}) std::move(part->begin(), part->end(), std::back_inserter(text));
  text.push_back({"}", whole});
  return text;
}

void OpenClEmitter::signature() {
  for (const VarRef& param : kernel_.function->params) {
    const std::string own = name(param->name.view());
    if (!param->dtype.isHandle()) {
      const auto made = type(param->dtype, param->span);
      if (!made) continue;
      // A truth value can not be an argument.
      head_.push_back(fmt::format("const {} {}", param->dtype.isBool() ? "int" : made->held, own));
      vars_[param.get()] = {param->dtype.isBool() ? Operand{own + " != 0", Binds::Equality} : Operand{own}};
      continue;
    }
    const auto found = elements_.find(param.get());
    const auto made = found == elements_.end() ? clTypeOf(DataType::UInt(8)) : type(found->second->dtype.element());
    if (!made) continue;
    head_.push_back(fmt::format("global {}* {}", made->memory, own));
    memory_[param.get()] = {own, "global", made->memory};
  }
  head_.emplace_back("global long* rx_fault");
}

void OpenClEmitter::stmt(const Stmt& node) {
  const Span around = std::exchange(here_, node->span.known() ? node->span : here_);
  withStack([&] { stmtHere(node); });
  here_ = around;
}

void OpenClEmitter::stmtHere(const Stmt& node) {
  if (const auto* list = as<SeqStmt>(node)) {
    for (const Stmt& part : list->seq) stmt(part);
  } else if (const auto* access = as<BufferStore>(node)) {
    store(*access);
  } else if (const auto* let = as<Bind>(node)) {
    const Lanes value = expr(let->value);
    if (!value.empty()) bind(let->var, value);
  } else if (const auto* allocation = as<AllocBuffer>(node)) {
    allocate(*allocation->buffer);
  } else if (isa<DeclBuffer>(node)) {
    // Its pointer is one that is known, or an access through it is refused.
  } else if (const auto* attribute = as<AttrStmt>(node)) {
    attr(*attribute);
  } else if (const auto* choice = as<IfThenElse>(node)) {
    branch(*choice);
  } else if (const auto* loop = as<For>(node)) {
    forLoop(*loop);
  } else if (const auto* open = as<While>(node)) {
    whileLoop(*open);
  } else if (const auto* check = as<AssertStmt>(node)) {
    assertion(*check);
  } else if (const auto* effect = as<Evaluate>(node)) {
    evaluate(*effect);
  } else {
    refuse(node->span, fmt::format("{} has no words in OpenCL C", kindName(node->kind())));
  }
}

void OpenClEmitter::bind(const VarRef& var, const Lanes& value) {
  Lanes made;
  for (const Operand& lane : value) made.push_back(named(lane, var->dtype, var->name.view()));
  vars_[var.get()] = std::move(made);
}

void OpenClEmitter::attr(const AttrStmt& node) {
  const auto* axis = as<IterVar>(node.node);
  if (node.key == "thread_extent" && axis && !vars_.contains(axis->var.get())) {
    const char* const text = textOfAxis(axis->threadTag.view());
    if (!text) return void(refuse(node.span, fmt::format("OpenCL C has no thread axis {}", axis->threadTag.view())));
    std::string hint = axis->var->name.string();
    vars_[axis->var.get()] = {
        named({fmt::format("({}){}", held(axis->var->dtype), text), Binds::Unary}, axis->var->dtype, hint)};
  }
  stmt(node.body);
}

void OpenClEmitter::branch(const IfThenElse& node) {
  const Lanes condition = expr(node.condition);
  if (condition.empty()) return;
  line(fmt::format("if ({}) {{", converted(condition[0], node.condition->dtype, DataType::Bool()).text));
  block([&] { stmt(node.thenCase); });
  if (node.elseCase) {
    line("} else {");
    block([&] { stmt(node.elseCase); });
  }
  line("}");
}

void OpenClEmitter::forLoop(const For& node) {
  const Lanes first = expr(node.min), extent = expr(node.extent);
  if (first.empty() || extent.empty()) return;
  const DataType dtype = node.loopVar->dtype;
  // What the body may change is computed once.
  const bool plain = extent[0].text.find('[') == std::string::npos;
  const Operand count = plain ? extent[0] : named(extent[0], dtype, "count");
  const Operand end = asInt(node.min) == 0 ? count : combine(Kind::tir_Add, dtype, first[0], count);
  const std::string own = name(node.loopVar->name.view());
  vars_[node.loopVar.get()] = {{own}};
  if (node.forKind == ForKind::Unrolled) line("#pragma unroll");
  line(fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1}) {{", held(dtype), own, first[0].text,
                   inside(end, Binds::Sum)));
  block([&] { stmt(node.body); });
  line("}");
}

void OpenClEmitter::whileLoop(const While& node) {
  line("while (true) {");
  block([&] {
    const Lanes condition = expr(node.condition);
    if (condition.empty()) return;
    // After a fault numbers are not what the loop counts on to end.
    const std::string runs = checks_ ? " || rx_fault[0] != 0" : "";
    line(fmt::format("if (!({}){}) break;", converted(condition[0], node.condition->dtype, DataType::Bool()).text,
                     runs));
    stmt(node.body);
  });
  line("}");
}

void OpenClEmitter::assertion(const AssertStmt& node) {
  const Lanes condition = expr(node.condition);
  if (condition.empty()) return;
  std::string message;
  for (const PrimExpr& part : node.message) {
    if (const auto* text = as<StringImm>(part)) message += text->value.view();
  }
  const int number = site(vm::KernelFault::Assertion, vm::assertionText(message));
  line(fmt::format("if (!({})) {{", converted(condition[0], node.condition->dtype, DataType::Bool()).text));
  block([&] {
    line(told(number));
    if (!waits_) line("return;");
  });
  line("}");
}

void OpenClEmitter::evaluate(const Evaluate& node) {
  const auto* call = as<Call>(node.value);
  const std::string_view called = call ? intrinsicName(*call) : std::string_view();
  if (called == "break_loop") return line("break;");
  if (called == "continue_loop") return line("continue;");
  if (called == "thread_return") return line("return;");
  if (called == "assume" || called == "prefetch" || isa<IntImm>(node.value)) return;
  if (called == "tvm_storage_sync") {
    const auto* scope = as<StringImm>(call->args[0]);
    const std::string_view which = scope ? scope->value.view() : std::string_view();
    if (which == "shared" || which == "shared.dyn") return line("barrier(CLK_LOCAL_MEM_FENCE);");
    return void(refuse(node.span, fmt::format("OpenCL C has no way to wait for the memory \"{}\"", which)));
  }
  const Lanes value = expr(node.value);
  for (const Operand& lane : value) {
    if (lane.binds != Binds::Atom || lane.text.find('(') != std::string::npos)
      line(fmt::format("(void)({});", lane.text));
  }
}

void OpenClEmitter::block(const std::function<void()>& body) {
  ++depth_;
  body();
  --depth_;
}

void OpenClEmitter::line(const std::string& text) {
  const bool directive = text.starts_with('#');
  lines_.push_back({std::string(directive ? 0 : static_cast<size_t>(depth_) * 2, ' ') + text, here_});
}

ClLines OpenClEmitter::captured(const std::function<void()>& body) {
  ClLines before = std::exchange(lines_, {});
  body();
  return std::exchange(lines_, std::move(before));
}

std::string OpenClEmitter::name(std::string_view hint) {
  std::string plain;
  for (const char c : hint) plain += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (plain.empty() || std::isdigit(static_cast<unsigned char>(plain[0])) || plain.starts_with("rx_"))
    plain = "v_" + plain;
  std::string made = plain;
  for (int i = 1; !names_.insert(made).second; ++i) made = fmt::format("{}_{}", plain, i);
  return made;
}

int OpenClEmitter::site(vm::KernelFault fault, std::string text, int64_t dimension) {
  sites_.push_back({fault, std::move(text), dimension});
  return static_cast<int>(sites_.size()) - 1;
}

std::string OpenClEmitter::told(int site) {
  return fmt::format("{}(rx_fault, {}, 0, 0);", helperFor(helpers_, "fail"), site);
}

Lanes OpenClEmitter::refuse(Span span, std::string what) {
  constexpr size_t kMost = 20;
  if (errors_.size() < kMost) errors_.push_back(errorAt(span, "codegen.unsupported", std::move(what)));
  return {};
}

}  // namespace rx::codegen
