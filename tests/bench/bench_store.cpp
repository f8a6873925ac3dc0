// The store of a run beside what it is compared with: its write speed beside memcpy and a plain write() of the same
// bytes, what a small step costs, how long a look at any state takes, and the private memory of the writer beside the
// file. `bench_store [FOLDER]`: where the recordings are made, "." without.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

#include "core/store/reader.h"
#include "core/store/writer.h"

using namespace rx;
using Clock = std::chrono::steady_clock;

namespace {

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Anonymous memory of this process in bytes: what no file is behind.
double privateMemory() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("Anonymous:")) return std::strtod(line.c_str() + 10, nullptr) * 1024;
  return 0;
}

constexpr size_t kTensor = 64 << 20;
constexpr int kTensors = 24;

/// Different bytes in each round.
void scramble(std::vector<std::byte>& data, uint32_t round) {
  for (size_t i = 0; i < data.size(); i += 512) std::memcpy(&data[i], &(round += 0x9e3779b9u), sizeof round);
}

void rate(const char* what, double seconds) {
  std::printf("%-46s %8.0f MB/s\n", what, kTensors * static_cast<double>(kTensor) / 1e6 / seconds);
}

void large(const std::string& folder) {
  std::vector<std::byte> data(kTensor), copy(kTensor);
  std::mt19937_64 random(1);
  for (size_t i = 0; i < data.size(); i += sizeof(uint64_t)) {
    const uint64_t number = random();
    std::memcpy(&data[i], &number, sizeof number);
  }
  copy = data;
  double copying = 0, writing = 0, recording = 0, same = 0;
  const std::string plain = folder + "/plain.bytes", path = folder + "/large.rxtrace";
  const int file = ::open(plain.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  auto writer = store::Writer::create(path, "program");
  if (file < 0 || !writer) return;
  const uint32_t number = (*writer)->declareFresh(kTensor, std::byte{0xcd});
  (*writer)->beginRun({0, 1}, {}, 0);
  const auto step = [&] {
    (*writer)->write({number, 0, data, {}}, true);
    (*writer)->step({});
  };
  for (int i = 0; i < kTensors; ++i) {
    scramble(data, static_cast<uint32_t>(i));
    auto start = Clock::now();
    std::memcpy(copy.data(), data.data(), kTensor);
    asm volatile("" : : "r"(copy.data()) : "memory");
    copying += secondsSince(start);
    start = Clock::now();
    for (size_t done = 0; done < kTensor;) {
      const ssize_t wrote = ::write(file, data.data() + done, kTensor - done);
      if (wrote <= 0) return;
      done += static_cast<size_t>(wrote);
    }
    writing += secondsSince(start);
    start = Clock::now();
    step();
    recording += secondsSince(start);
    start = Clock::now();
    step();
    same += secondsSince(start);
  }
  ::close(file);
  rate("memcpy", copying);
  rate("write()", writing);
  rate("recorded", recording);
  rate("recorded, the same bytes again", same);
  std::printf("%-46s %8.1f MB of %.0f MB on disk %s\n", "private memory of the writer",
              (privateMemory() - 2.0 * kTensor) / 1e6, static_cast<double>((*writer)->bytesOnDisk()) / 1e6,
              (*writer)->stopped().c_str());
  ::unlink(plain.c_str());
  ::unlink(path.c_str());
}

/// A look at random states: two registers, the frames and the bytes of one storage each.
void looks(const std::string& path, uint32_t steps, uint32_t storage) {
  auto start = Clock::now();
  auto reader = store::Reader::open(path);
  if (!reader) return;
  const double opening = secondsSince(start);
  std::mt19937 random(2);
  double worst = 0, all = 0;
  constexpr int kLooks = 2000;
  for (int i = 0; i < kLooks; ++i) {
    const uint32_t state = random() % steps;
    start = Clock::now();
    auto frames = (*reader)->frames(state);
    for (uint32_t reg = 0; reg < 8; ++reg) (void)(*reader)->registerAt(state, frames->front().activation, reg);
    (void)(*reader)->bytesAt(state, storage, 0, 64);
    (void)(*reader)->writeTouches(state, storage);
    const double took = secondsSince(start);
    worst = std::max(worst, took);
    all += took;
  }
  std::printf("%-46s %8.3f ms, a look %.4f ms, the slowest %.3f ms\n", "  opened in", opening * 1e3, all / kLooks * 1e3,
              worst * 1e3);
}

void small(const std::string& folder, uint32_t steps) {
  const std::string path = folder + "/small.rxtrace";
  auto writer = store::Writer::create(path, "program");
  if (!writer) return;
  const double before = privateMemory();
  std::vector<std::byte> heap(64);
  const uint32_t number = (*writer)->declareFresh(heap.size(), std::byte{0xcd});
  (*writer)->beginRun({0, 8}, {}, 0);
  store::ValueEncoder encoder;
  const int64_t shape[] = {1, 1};
  double took = 0;
  const auto start = Clock::now();
  for (uint32_t i = 0; i < steps; ++i) {
    encoder.clear();
    encoder.tensor({number, 0, DataType::Float(32), shape});
    (*writer)->set({0, i % 8, encoder.bytes()});
    std::memcpy(heap.data() + i % 8 * 8, &i, sizeof i);
    // Every fourth step writes a value of a few bytes, as a loop's counter.
    if (i % 4 == 0) (*writer)->write({number, i % 8 * 8, std::span(heap).subspan(i % 8 * 8, 8), {}}, true);
    (*writer)->step({.instruction = i % 100, .next = (i + 1) % 100});
  }
  took = secondsSince(start);
  std::printf("%-46s %8.0f ns, %.0f bytes on disk %s\n", (std::to_string(steps) + " small steps, one").c_str(),
              took / steps * 1e9, static_cast<double>((*writer)->bytesOnDisk()) / steps, (*writer)->stopped().c_str());
  std::printf("%-46s %8.1f MB of %.0f MB on disk\n", "  private memory of the writer", (privateMemory() - before) / 1e6,
              static_cast<double>((*writer)->bytesOnDisk()) / 1e6);
  writer->reset();
  looks(path, steps, number);
  ::unlink(path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  large(folder);
  small(folder, 100'000);
  small(folder, 10'000'000);
  return 0;
}
