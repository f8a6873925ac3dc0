#include "core/codegen/device_tools.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

#include "core/support/file.h"
#include "core/support/temporary_folder.h"
#include "core/support/text_lines.h"

extern char** environ;

namespace rx::codegen {

namespace {

/// Runs a program of the path, whose output goes to a file. Whether it is there and says that it went well.
bool runTool(std::vector<std::string> command, const std::string& output) {
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  if (posix_spawn_file_actions_init(&files) != 0) return false;
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const bool started = posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&files);
  int status = 0;
  return started && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The number that stands before a word of a line; 0 where there is none.
int64_t numberBefore(std::string_view line, std::string_view word) {
  const size_t at = line.find(word);
  if (at == std::string_view::npos) return 0;
  size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int64_t value = 0;
  std::from_chars(line.data() + begin, line.data() + at, value);
  return value;
}

constexpr std::string_view kLinesOf = "kernels", kBlanks = " \t\r";

}  // namespace

std::string withLinesMarked(std::string_view text) {
  std::string marked;
  int64_t depth = 0;
  bool begins = true;  ///< no instruction goes on from the line before
  for (uint32_t number = 1; const auto line = takeLine(text); ++number) {
    const std::string_view words = trimmed(*line, kBlanks);
    const bool comment = words.starts_with("//");
    const bool instruction = !words.empty() && (words[0] == '@' || std::isalpha(static_cast<unsigned char>(words[0])));
    if (depth > 0 && begins && instruction) marked += fmt::format("\t.loc 1 {} 0\n", number);
    marked += fmt::format("{}\n", *line);
    if (words.starts_with(".address_size")) marked += fmt::format(".file 1 \"{}\"\n", kLinesOf);
    if (words.empty() || comment) continue;
    depth += std::ranges::count(words, '{') - std::ranges::count(words, '}');
    begins = std::string_view(";{}:").find(words.back()) != std::string_view::npos;
  }
  return marked;
}

ListedText readDisassembly(std::string_view listing) {
  constexpr std::string_view kNote = "//## File \"", kLine = "line ";
  ListedText made;
  uint32_t from = 0;
  while (const auto line = takeLine(listing)) {
    const std::string_view words = trimmed(*line, kBlanks);
    if (words.starts_with(kNote)) {
      const size_t at = words.find(kLine);
      from = 0;
      if (at != std::string_view::npos)
        std::from_chars(words.data() + at + kLine.size(), words.data() + words.size(), from);
      continue;
    }
    const bool instruction = words.starts_with("/*");
    if (words.starts_with(".section")) from = 0;
    made.text += fmt::format("{}\n", *line);
    made.from.push_back(instruction ? from : 0);
  }
  return made;
}

std::map<std::string, AssembledKernel, std::less<>> readAssemblerReport(std::string_view report) {
  constexpr std::string_view kBegins = "Compiling entry function '", kOf = "Function properties for ";
  std::map<std::string, AssembledKernel, std::less<>> kernels;
  AssembledKernel* kernel = nullptr;
  std::string_view name;
  bool own = false;  ///< what is said is of the kernel, and of no function that it calls
  while (const auto taken = takeLine(report)) {
    const std::string_view line = *taken;
    if (const size_t begins = line.find(kBegins); begins != std::string_view::npos) {
      name = line.substr(begins + kBegins.size());
      name = name.substr(0, name.find('\''));
      kernel = &kernels[std::string(name)];
    } else if (const size_t of = line.find(kOf); of != std::string_view::npos) {
      own = line.substr(of + kOf.size()) == name;
    } else if (kernel && own && line.find("stack frame") != std::string_view::npos) {
      kernel->stackBytes = numberBefore(line, " bytes stack frame");
      kernel->spillStores = numberBefore(line, " bytes spill stores");
      kernel->spillLoads = numberBefore(line, " bytes spill loads");
    } else if (kernel && line.find("Used ") != std::string_view::npos) {
      kernel->registers = numberBefore(line, " registers");
      kernel->sharedBytes = numberBefore(line, " bytes smem");
    }
  }
  return kernels;
}

std::optional<AssembledText> assembled(std::string_view text, const std::string& architecture) {
  auto folder = TemporaryFolder::make("rxs-ptx");
  if (!folder) return std::nullopt;
  const std::string source = folder->file("kernels.ptx"), code = folder->file("kernels.cubin"),
                    report = folder->file("report"), listing = folder->file("listing");
  if (!writeFile(source, withLinesMarked(text))) return std::nullopt;
  if (!runTool({"ptxas", "-v", "-lineinfo", "-arch=" + architecture, source, "-o", code}, report)) return std::nullopt;
  const Result<std::string> said = readFile(report);
  if (!said) return std::nullopt;
  AssembledText made;
  made.kernels = readAssemblerReport(*said);
  if (runTool({"nvdisasm", "-c", "-g", code}, listing)) {
    if (Result<std::string> instructions = readFile(listing)) made.disassembled = readDisassembly(*instructions);
  }
  return made;
}

}  // namespace rx::codegen
