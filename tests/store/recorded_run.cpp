#include "recorded_run.h"

#include <algorithm>

namespace rx::test {

using store::Value;
using store::ValueKind;

RecordedRun::RecordedRun(store::Writer& writer, uint32_t seed, uint32_t largest)
    : writer_(writer), random_(seed), largest_(largest) {
  for (int i = 0; i < 3; ++i) declare();
  now_.frames = {{0, 0}};
  now_.registers[0].resize(kRegisters);
  store::ValueEncoder encoder;
  encoder.value(now_.registers[0][0] = value());
  const store::RegisterWrite argument{0, 0, encoder.bytes()};
  writer_.beginRun({7, kRegisters}, {&argument, 1}, 0);
  states_.push_back(now_);
}

void RecordedRun::declare() {
  const uint32_t sizes[] = {1, 8, 100, 4096, 5000, 20000};
  const uint32_t size = std::min(sizes[random(6)], largest_);
  std::vector<std::byte> bytes(size, std::byte{0xcd});
  uint32_t number = 0;
  if (random(2) == 0) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random(3));
    number = writer_.declareContent(bytes);
  } else {
    number = writer_.declareFresh(size, std::byte{0xcd});
  }
  now_.storages[number] = std::move(bytes);
}

Value RecordedRun::value() {
  Value v;
  v.kind = static_cast<ValueKind>(random(static_cast<uint32_t>(ValueKind::kCount)));
  switch (v.kind) {
    case ValueKind::Int:
      v.integer = static_cast<int64_t>(random(5)) - 2;
      break;
    case ValueKind::Float:
      v.real = 0.5 * random(7);
      break;
    case ValueKind::String:
    case ValueKind::Object:
      v.text = std::string(random(20), 'a');
      break;
    case ValueKind::DType:
      v.dtype = DataType::Float(16);
      break;
    case ValueKind::Tensor:
      v.dtype = DataType::Int(8);
      v.shape = {1};
      [[fallthrough]];
    case ValueKind::Storage:
      v.storage = std::next(now_.storages.begin(), random(static_cast<uint32_t>(now_.storages.size())))->first;
      break;
    case ValueKind::Shape:
      v.shape = {1, -1, int64_t{1} << 40};
      break;
    case ValueKind::Closure:
      v.text = "inner";
      for (uint32_t i = random(3); i > 0; --i) v.items.push_back(value());
      break;
    case ValueKind::Variant:
      v.integer = random(3);
      [[fallthrough]];
    case ValueKind::Tuple:
      for (uint32_t i = random(3); i > 0; --i) v.items.push_back(value());
      break;
    case ValueKind::None:
    case ValueKind::kCount:
      break;
  }
  return v;
}

void RecordedRun::setRegister(uint32_t activation, uint32_t reg, Value value) {
  store::ValueEncoder encoder;
  encoder.value(value);
  writer_.set({activation, reg, encoder.bytes()});
  made_.registers.push_back({activation, reg});
  now_.registers[activation][reg] = std::move(value);
}

void RecordedRun::writeSome() {
  const auto at = std::next(now_.storages.begin(), random(static_cast<uint32_t>(now_.storages.size())));
  std::vector<std::byte>& all = at->second;
  const auto size = static_cast<uint32_t>(all.size());
  const uint32_t offset = random(2) == 0 ? 0 : random(size);
  const uint32_t length = random(2) == 0 ? size - offset : 1 + random(size - offset);
  std::vector<std::byte> bytes(all.begin() + offset, all.begin() + offset + length);
  const uint32_t way = random(4);
  for (std::byte& byte : bytes) {
    if (way == 0) byte = std::byte{0};
    if (way == 1) byte = static_cast<std::byte>(random(256));
    if (way == 2 && random(50) == 0) byte = std::byte{9};
  }
  // What the pieces that it touches hold decides, not the part.
  const bool changed = !std::equal(bytes.begin(), bytes.end(), all.begin() + offset);
  std::copy(bytes.begin(), bytes.end(), all.begin() + offset);
  made_.writes.push_back({at->first, offset, length, changed});
  writer_.write({at->first, offset, bytes, {}}, writer_.keeps(true));
}

void RecordedRun::step() {
  made_ = {};
  if (random(8) == 0 && now_.storages.size() < 12) declare();
  store::StepInput input;
  const uint32_t activation = now_.frames.back().activation;
  input.instruction = now_.frames.back().instruction;
  const uint32_t next = random(1000);
  input.next = next;
  input.nanoseconds = random(1000);
  const uint32_t what = random(10);
  if (what == 0) {
    const uint32_t pushed = writer_.call({random(9), kRegisters}, input.instruction);
    input.pushed = pushed;
    now_.registers[pushed].resize(kRegisters);
    now_.frames.push_back({pushed, next});
    setRegister(pushed, 0, value());
    setRegister(pushed, 1, value());
  } else if (what == 1 && now_.frames.size() > 1) {
    input.returned = true;
    now_.frames.pop_back();
    now_.frames.back().instruction = next;
    setRegister(now_.frames.back().activation, random(kRegisters), value());
  } else {
    now_.frames.back().instruction = next;
    if (random(3) > 0) setRegister(activation, random(kRegisters), value());
    for (uint32_t i = random(3); i > 0; --i) writeSome();
  }
  input.result = true;
  writer_.step(input);
  states_.push_back(now_);
  steps_.push_back(made_);
}

void RecordedRun::finish() {
  store::RunEnd end;
  end.result.emplace();
  end.result->kind = ValueKind::Int;
  end.result->integer = 42;
  end.details = "details";
  writer_.finish(end);
}

}  // namespace rx::test
