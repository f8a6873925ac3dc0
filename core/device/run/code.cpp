#include "core/device/run/code.h"

#include <algorithm>

namespace rx::device {

namespace {

using vm::ShapeProgram;

/// The number of each, then each by `one`.
template <class T, class One>
void writeAll(ByteWriter& out, const std::vector<T>& list, One&& one) {
  out.put<uint64_t>(list.size());
  for (const T& item : list) one(item);
}

/// The same back; an item takes at least `least` bytes.
template <class T, class One>
std::vector<T> readAll(ByteReader& in, uint64_t least, One&& one) {
  std::vector<T> list;
  const uint64_t count = in.count(least);
  for (uint64_t i = 0; i < count && !in.failed(); ++i) list.push_back(one());
  return list;
}

/// What a launch of a function may name.
struct Known {
  size_t symbols, buffers, reals, workspaces, kernels;
};

void writeArgument(ByteWriter& out, const PlanArgument& argument) {
  out.put(argument.from);
  out.put(argument.number);
  if (argument.from == PlanArgument::From::Integer) argument.value.write(out);
  out.put(argument.constant);
  out.put(argument.bits);
}

PlanArgument readArgument(ByteReader& in, const Known& known) {
  using From = PlanArgument::From;
  PlanArgument argument;
  argument.from = in.get<From>();
  argument.number = in.get<uint64_t>();
  if (argument.from == From::Integer) argument.value = ShapeProgram::read(in, known.symbols);
  argument.constant = in.get<double>();
  argument.bits = in.get<int32_t>();
  const uint64_t limits[] = {known.buffers, known.workspaces, UINT64_MAX, known.reals, UINT64_MAX};
  const auto from = static_cast<size_t>(argument.from);
  if (from > static_cast<size_t>(From::RealConstant) || argument.number >= limits[from]) in.fail();
  return argument;
}

void writeLaunch(ByteWriter& out, const PlanLaunch& launch) {
  out.put(launch.kernel);
  writeAll(out, launch.arguments, [&](const PlanArgument& argument) { writeArgument(out, argument); });
  for (const auto* sizes : {&launch.grid, &launch.group})
    for (const ShapeProgram& size : *sizes) size.write(out);
}

PlanLaunch readLaunch(ByteReader& in, const Known& known) {
  PlanLaunch launch;
  launch.kernel = in.get<uint64_t>();
  launch.arguments = readAll<PlanArgument>(in, 8, [&] { return readArgument(in, known); });
  for (auto* sizes : {&launch.grid, &launch.group})
    for (ShapeProgram& size : *sizes) size = ShapeProgram::read(in, known.symbols);
  if (launch.kernel >= known.kernels) in.fail();
  return launch;
}

void writeFunction(ByteWriter& out, const FunctionCode& function) {
  out.text(function.name);
  function.signature.write(out);
  writeAll(out, function.kernels, [&](uint64_t kernel) { out.put(kernel); });
  writeAll(out, function.plan.workspaces, [&](const ShapeProgram& bytes) { bytes.write(out); });
  writeAll(out, function.plan.launches, [&](const PlanLaunch& launch) { writeLaunch(out, launch); });
}

FunctionCode readFunction(ByteReader& in, size_t symbols) {
  FunctionCode function;
  function.name = in.text();
  function.signature = vm::KernelSignature::read(in);
  function.kernels = readAll<uint64_t>(in, 8, [&] { return in.get<uint64_t>(); });
  for (const uint64_t kernel : function.kernels)
    if (kernel >= symbols) in.fail();
  Known known{function.signature.symbols.size(), 0, 0, 0, function.kernels.size()};
  for (const vm::KernelParam& param : function.signature.params) {
    known.buffers += param.place == vm::KernelPlace::Buffer;
    known.reals += param.place == vm::KernelPlace::Real;
  }
  function.plan.workspaces = readAll<ShapeProgram>(in, 8, [&] { return ShapeProgram::read(in, known.symbols); });
  known.workspaces = function.plan.workspaces.size();
  function.plan.launches = readAll<PlanLaunch>(in, 8, [&] { return readLaunch(in, known); });
  return function;
}

FaultSite readSite(ByteReader& in) {
  FaultSite site;
  site.fault = in.get<vm::KernelFault>();
  site.text = in.text();
  site.dimension = in.get<int64_t>();
  return site;
}

}  // namespace

const FunctionCode* ModuleCode::find(std::string_view name) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const FunctionCode& each) { return each.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

void ModuleCode::write(ByteWriter& out) const {
  out.text(architecture);
  writeAll(out, symbols, [&](const std::string& symbol) { out.text(symbol); });
  out.text(code.text);
  writeAll(out, code.sites, [&](const FaultSite& site) {
    out.put(site.fault);
    out.text(site.text);
    out.put(site.dimension);
  });
  out.words(code.sharedBytes);
  writeAll(out, functions, [&](const FunctionCode& function) { writeFunction(out, function); });
}

ModuleCode ModuleCode::read(ByteReader& in) {
  ModuleCode made;
  made.architecture = in.text();
  made.symbols = readAll<std::string>(in, 8, [&] { return in.text(); });
  made.code.text = in.text();
  made.code.sites = readAll<FaultSite>(in, 20, [&] { return readSite(in); });
  made.code.sharedBytes = in.words();
  made.functions = readAll<FunctionCode>(in, 8, [&] { return readFunction(in, made.symbols.size()); });
  if (made.code.sharedBytes.size() != made.symbols.size()) in.fail();
  return made;
}

std::string ProgramCode::bytes() const {
  ByteWriter out;
  out.text(kind);
  out.words(rows);
  writeAll(out, calls, [&](const CalledOn& row) {
    out.text(row.function);
    out.words(row.devices);
  });
  writeAll(out, code, [&](const ModuleCode& module) { module.write(out); });
  return out.take();
}

Result<ProgramCode> ProgramCode::read(std::string_view bytes) {
  ByteReader in(bytes);
  ProgramCode made;
  made.kind = in.text();
  made.rows = in.words();
  made.calls = readAll<CalledOn>(in, 16, [&] {
    CalledOn row;
    row.function = in.text();
    row.devices = in.words();
    return row;
  });
  made.code = readAll<ModuleCode>(in, 8, [&] { return ModuleCode::read(in); });
  if (in.failed() || !in.rest().empty() || made.rows.empty() || made.code.empty())
    return fail("device.code", "what this program holds for devices is damaged");
  return made;
}

}  // namespace rx::device
