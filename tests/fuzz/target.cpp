// The libFuzzer entry of one check, chosen by RX_FUZZ_CHECK. Byte mutations seldom leave a text that is read, so half
// of the mutations of the texts (RX_FUZZ_TEXT) work on lines and words: copies, moves, exchanges between places of the
// same text.
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "checks.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t maxSize);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bad = rx::fuzz::RX_FUZZ_CHECK({reinterpret_cast<const char*>(data), size});
  if (bad.empty()) return 0;
  std::fprintf(stderr, "%s\n", bad.c_str());
  std::abort();
}

#ifdef RX_FUZZ_TEXT
namespace {

using Pieces = std::vector<std::string>;

/// Lines with their line breaks.
Pieces linesOf(const std::string& text) {
  Pieces lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

/// Names, numbers and literals as pieces of their own, everything else a character a piece.
Pieces wordsOf(const std::string& text) {
  Pieces words;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (isWord(text[at])) {
      while (end < text.size() && isWord(text[end])) ++end;
    } else if (text[at] == '"') {
      end = std::min(text.find('"', at + 1), text.size() - 1) + 1;
    }
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

void shuffle(Pieces& pieces, std::minstd_rand& random) {
  if (pieces.empty()) return;
  const size_t from = random() % pieces.size(), to = random() % pieces.size();
  const std::string piece = pieces[from];
  switch (random() % 4) {
    case 0:
      std::swap(pieces[from], pieces[to]);
      break;
    case 1:
      pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(to), piece);
      break;
    case 2:
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(from));
      break;
    default:
      pieces[to] = piece;
  }
}

/// Exchanges words of the same sort (names by names, numbers by numbers).
void replaceAlike(Pieces& words, std::minstd_rand& random) {
  auto sort = [](const std::string& w) {
    return std::isdigit(static_cast<unsigned char>(w[0])) ? 1 : w[0] == '"' ? 2 : isWord(w[0]) ? 3 : 0;
  };
  if (words.empty()) return;
  const size_t start = random() % words.size(), other = random() % words.size();
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t to = (start + i) % words.size();
    if (!sort(words[to])) continue;
    for (size_t j = 0; j < words.size(); ++j) {
      const size_t from = (other + j) % words.size();
      if (from != to && sort(words[from]) == sort(words[to])) return void(words[to] = words[from]);
    }
  }
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maxSize, unsigned seed) {
  std::minstd_rand random(seed);
  if (random() % 3 == 0 || size == 0) return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(reinterpret_cast<char*>(data), size);
  for (size_t rounds = 1 + random() % 3; rounds > 0; --rounds) {
    const bool lines = random() % 3 == 0;
    Pieces pieces = lines ? linesOf(text) : wordsOf(text);
    lines || random() % 3 == 0 ? shuffle(pieces, random) : replaceAlike(pieces, random);
    text.clear();
    for (const std::string& piece : pieces) text += piece;
  }
  const size_t kept = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), kept);
  return kept;
}
#endif
