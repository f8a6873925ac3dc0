#include "core/codegen/ptx_emitter.h"

#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>

#include "core/codegen/line_marks.h"
#include "core/codegen/occupancy.h"
#include "core/ir/reflect.h"
#include "core/ir/symbols.h"
#include "core/lower/constant_bytes.h"

namespace rx::codegen {

namespace {

namespace I = llvm::Intrinsic;

/// What a kernel may declare of the memory that a group shares; more has to come with the launch.
constexpr int64_t kMostDeclared = 48 << 10;
/// Memory of one thread that has its own.
constexpr int64_t kMostOwn = 128 << 10;

/// All accesses are looked at where they are marked, and nowhere else.
const KernelOptions& plainOptions() {
  static const KernelOptions options{.optLevel = 2, .checkAccess = false};
  return options;
}
const lower::HostKernel& provenKernel() {
  static const lower::HostKernel kernel{.function = nullptr, .proven = {}, .allProven = true, .divisorsMarked = true};
  return kernel;
}

struct AxisRow {
  std::string_view tag;
  I::ID id;
  const char* limit;  ///< what LLVM calls the length of an axis of a group
};
constexpr AxisRow kAxes[] = {
    {"blockIdx.x", I::nvvm_read_ptx_sreg_ctaid_x, nullptr},   {"blockIdx.y", I::nvvm_read_ptx_sreg_ctaid_y, nullptr},
    {"blockIdx.z", I::nvvm_read_ptx_sreg_ctaid_z, nullptr},   {"threadIdx.x", I::nvvm_read_ptx_sreg_tid_x, "maxntidx"},
    {"threadIdx.y", I::nvvm_read_ptx_sreg_tid_y, "maxntidy"}, {"threadIdx.z", I::nvvm_read_ptx_sreg_tid_z, "maxntidz"},
};

bool isShared(const tir::Buffer& buffer) { return buffer.scope() == "shared" || buffer.scope() == "shared.dyn"; }

/// Where it may begin: lines that are in a pattern lie at multiples of that.
int64_t alignmentOf(const tir::Buffer& buffer) {
  static const int64_t kPlain = tir::Buffer().dataAlignment;
  return buffer.dataAlignment > kPlain ? buffer.dataAlignment : kSharedAlign;
}

/// How a number comes: a truth value as an int, a float of up to 16 bits as the float that it is computed as.
llvm::Type* givenType(llvm::IRBuilder<>& builder, DataType dtype) {
  if (dtype.isHandle()) return builder.getPtrTy();
  if (dtype.isBool()) return builder.getInt32Ty();
  if (dtype.isFloat()) return dtype.bits == 64 ? builder.getDoubleTy() : builder.getFloatTy();
  return builder.getIntNTy(static_cast<unsigned>(std::max<int>(dtype.bits, 8)));
}

}  // namespace

PtxEmitter::PtxEmitter(llvm::Module& module, const lower::DeviceKernel& kernel, bool checks,
                       std::string_view architecture, std::vector<FaultSite>& sites, LineMarks* marks)
    : Emitter(module, provenKernel(), plainOptions(), marks),
      deviceKernel_(kernel),
      looks_(checks),
      architecture_(architecture),
      sites_(sites),
      functions_(module),
      tiles_(tilesOf(*kernel.function)) {}

void PtxEmitter::measure() {
  int64_t declared = 0;
  walk(*deviceKernel_.function->body, Into::Parts, [&](const Node& node) {
    if (const auto* allocation = as<tir::AllocBuffer>(&node); allocation && isShared(*allocation->buffer)) {
      declared += sharedBytes(lower::constantBytes(*allocation->buffer).value_or(0));
      dynamic_ = dynamic_ || allocation->buffer->scope() == "shared.dyn";
    }
    const auto* call = as<tir::Call>(&node);
    if (call && intrinsicName(*call) == "tvm_storage_sync") waits_ = true;
    return true;
  });
  dynamic_ = dynamic_ || declared > kMostDeclared;
}

Result<int64_t> PtxEmitter::run() {
  measure();
  const std::vector<llvm::Type*> types = arguments();
  function_ = llvm::Function::Create(llvm::FunctionType::get(builder_.getInt32Ty(), types, false),
                                     llvm::Function::InternalLinkage, deviceKernel_.symbol + ".body", module_);
  function_->addFnAttr(llvm::Attribute::AlwaysInline);
  llvm::Function* kernel = entry(types);
  if (marks_) marks_->add(*function_);
  builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function_));
  mark(*function_, deviceKernel_.function->span);
  takeArguments();
  stmt(deviceKernel_.function->body);
  builder_.CreateRet(builder_.getInt32(0));
  llvm::NamedMDNode* notes = module_.getOrInsertNamedMetadata("nvvm.annotations");
  const auto note = [&](const char* what, int64_t value) {
    llvm::Metadata* parts[] = {llvm::ValueAsMetadata::get(kernel), llvm::MDString::get(context_, what),
                               llvm::ConstantAsMetadata::get(builder_.getInt32(static_cast<uint32_t>(value)))};
    notes->addOperand(llvm::MDNode::get(context_, parts));
  };
  if (!diagnostics_.empty()) return fail(diagnostics_);
  note("kernel", 1);
  for (const auto& [axis, extent] : groupExtents_) note(axis.c_str(), extent);
  return dynamic_ ? sharedBytes_ : 0;
}

std::vector<llvm::Type*> PtxEmitter::arguments() {
  std::vector<llvm::Type*> types;
  for (const tir::VarRef& param : deviceKernel_.function->params) types.push_back(givenType(builder_, param->dtype));
  types.insert(types.end(), tiles_.size() + 1, builder_.getPtrTy());
  return types;
}

/// What the driver starts.
llvm::Function* PtxEmitter::entry(const std::vector<llvm::Type*>& types) {
  auto* kernel = llvm::Function::Create(llvm::FunctionType::get(builder_.getVoidTy(), types, false),
                                        llvm::Function::ExternalLinkage, deviceKernel_.symbol, module_);
  kernel->setCallingConv(llvm::CallingConv::PTX_Kernel);
  if (marks_) marks_->add(*kernel);
  builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", kernel));
  mark(*kernel, deviceKernel_.function->span);
  std::vector<llvm::Value*> args;
  for (llvm::Argument& argument : kernel->args()) args.push_back(&argument);
  builder_.CreateCall(function_, args);
  builder_.CreateRetVoid();
  takeMaps(*kernel);
  return kernel;
}

void PtxEmitter::takeMaps(llvm::Function& kernel) {
  if (tiles_.empty()) return;
  constexpr uint64_t kBytes = 128, kAlign = 64;
  auto* map = llvm::ArrayType::get(builder_.getInt8Ty(), kBytes);
  std::vector<llvm::Metadata*> numbers;
  for (size_t i = 0; i < tiles_.size(); ++i) {
    const auto number = static_cast<unsigned>(deviceKernel_.function->params.size() + i);
    kernel.addParamAttr(number, llvm::Attribute::getWithByValType(context_, map));
    kernel.addParamAttr(number, llvm::Attribute::getWithAlignment(context_, llvm::Align(kAlign)));
    // Counted from one. What is not written stays where the launch has it: the device takes a map from nowhere else.
    numbers.push_back(llvm::ConstantAsMetadata::get(builder_.getInt32(number + 1)));
  }
  llvm::Metadata* parts[] = {llvm::ValueAsMetadata::get(&kernel), llvm::MDString::get(context_, "grid_constant"),
                             llvm::MDNode::get(context_, numbers)};
  module_.getOrInsertNamedMetadata("nvvm.annotations")->addOperand(llvm::MDNode::get(context_, parts));
}

void PtxEmitter::takeArguments() {
  const tir::PrimFunc& primFunc = *deviceKernel_.function;
  const bool noalias =
      ir::boolAttrOf(primFunc.attrs, "tirx.noalias", ir::boolAttrOf(primFunc.attrs, "tir.noalias", false));
  for (size_t i = 0; i < primFunc.params.size(); ++i) {
    llvm::Argument* given = function_->getArg(static_cast<unsigned>(i));
    const tir::VarRef& param = primFunc.params[i];
    if (param->dtype.isHandle()) {
      if (noalias) given->addAttr(llvm::Attribute::NoAlias);
      define(*param, {given, i64(INT64_MAX)});
    } else if (param->dtype.isBool()) {
      vars_[param.get()] = builder_.CreateICmpNE(given, builder_.getInt32(0));
    } else if (param->dtype.isFloat()) {
      vars_[param.get()] = rounded(builder_.CreateFPCast(given, registerType(param->dtype)), param->dtype);
    } else {
      vars_[param.get()] = builder_.CreateTrunc(given, registerType(param->dtype));
    }
  }
  fault_ = function_->getArg(static_cast<unsigned>(primFunc.params.size() + tiles_.size()));
}

void PtxEmitter::threads(const tir::IterVar& axis, const tir::PrimExpr& extent, const tir::Stmt& body) {
  if (vars_.contains(axis.var.get())) return stmt(body);
  const auto* row = std::find_if(std::begin(kAxes), std::end(kAxes),
                                 [&](const AxisRow& one) { return one.tag == axis.threadTag.view(); });
  if (row == std::end(kAxes))
    return void(refuse(axis.var->span, fmt::format("PTX has no thread axis {}", axis.threadTag.view())));
  const auto length = tir::asInt(extent);
  if (row->limit && length) groupExtents_[row->limit] = *length;
  llvm::Value* number = builder_.getInt32(0);
  if (length != 1) number = builder_.CreateIntrinsic(row->id, {}, {});
  vars_[axis.var.get()] = convert(number, DataType::Int(32), axis.var->dtype);
  stmt(body);
}

llvm::Value* PtxEmitter::goesOn(llvm::Value* condition) {
  if (!looks_) return condition;
  // After a fault numbers are not what the loop counts on to end.
  llvm::LoadInst* word = builder_.CreateAlignedLoad(builder_.getInt32Ty(), fault_, llvm::Align(4), /*isVolatile=*/true);
  return builder_.CreateAnd(condition, builder_.CreateICmpEQ(word, builder_.getInt32(0)));
}

int PtxEmitter::site(vm::KernelFault fault, std::string text, int64_t dimension) {
  sites_.push_back({fault, std::move(text), dimension});
  return static_cast<int>(sites_.size()) - 1;
}

namespace {

/// Whether threads of the kernel have more memory of their own than a few registers.
bool hasTile(const llvm::Function& kernel) {
  constexpr uint64_t kFew = 32;
  uint64_t bytes = 0;
  for (const llvm::Instruction& instruction : kernel.getEntryBlock()) {
    const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (const auto size = memory ? memory->getAllocationSize(kernel.getDataLayout()) : std::nullopt)
      bytes += size->getFixedValue();
  }
  return bytes > kFew;
}

}  // namespace

void PtxEmitter::tell(llvm::Value* condition, int site, llvm::Value* index, llvm::Value* extent) {
  ifThen(condition, [&] {
    llvm::CallInst* call = builder_.CreateCall(functions_.fault(),
                                               {fault_, builder_.getInt32(static_cast<uint32_t>(site)), index, extent});
    // A call keeps what lives across it in the few registers that calls leave alone; where a tile fills the registers,
    // what the function needs in its place costs more.
    call->addFnAttr(hasTile(*call->getFunction()) ? llvm::Attribute::NoInline : llvm::Attribute::AlwaysInline);
  });
}

void PtxEmitter::failWhen(llvm::Value* condition, vm::KernelFault fault, const std::string& message) {
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition); known && known->isZero()) return;
  if (fault == vm::KernelFault::Division && !looks_) return;
  tell(condition, site(fault, message), i64(0), i64(0));
  if (fault != vm::KernelFault::Assertion || waits_) return;
  ifThen(condition, [&] { returnCode(builder_.getInt32(1)); });
}

void PtxEmitter::allocate(const tir::Buffer& node) {
  if (!isShared(node)) return Emitter::allocate(node);
  const auto bytes = lower::constantBytes(node);
  if (!bytes)
    return void(refuse(node.span, fmt::format("threads share {}, whose size is not known before", node.name.view())));
  const Pointer memory{sharedMemory(node, *bytes), i64(*bytes)};
  define(*node.data, memory);
  buffers_[&node] = makeState(node, memory);
}

llvm::Value* PtxEmitter::sharedMemory(const tir::Buffer& node, int64_t bytes) {
  const int64_t align = alignmentOf(node), offset = (sharedBytes_ + align - 1) / align * align;
  sharedBytes_ = offset + sharedBytes(bytes);
  llvm::GlobalVariable* memory = nullptr;
  if (dynamic_) memory = module_.getGlobalVariable("rx_shared");
  if (!memory) {
    auto* type = llvm::ArrayType::get(builder_.getInt8Ty(), dynamic_ ? 0 : static_cast<uint64_t>(bytes));
    memory = new llvm::GlobalVariable(
        module_, type, false, dynamic_ ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage,
        dynamic_ ? nullptr : llvm::UndefValue::get(type),
        dynamic_ ? "rx_shared" : fmt::format("{}_{}", deviceKernel_.symbol, node.name.view()), nullptr,
        llvm::GlobalValue::NotThreadLocal, kSharedSpace);
    memory->setAlignment(llvm::Align(kSharedAlign));
  }
  memory->setAlignment(std::max(*memory->getAlign(), llvm::Align(static_cast<uint64_t>(align))));
  llvm::Value* generic = builder_.CreateAddrSpaceCast(memory, builder_.getPtrTy());
  return dynamic_ && offset ? builder_.CreateConstGEP1_64(builder_.getInt8Ty(), generic, static_cast<uint64_t>(offset))
                            : generic;
}

llvm::Value* PtxEmitter::allocateBytes(llvm::Value* bytes) {
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(bytes);
  if (!known || known->getSExtValue() < 0 || stackBytes_ + known->getSExtValue() > kMostOwn)
    return refuse({}, fmt::format("a thread allocates memory of its own whose size is not known before, or more than "
                                  "{} bytes",
                                  kMostOwn));
  return Emitter::allocateBytes(bytes);
}

}  // namespace rx::codegen
