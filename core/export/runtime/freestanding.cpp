// What the runtime of a package needs of the C++ library as code, on the C library alone; and the C names under which
// kernels find what they call. Nothing here is part of the programs, which have the C++ library.
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>

#include "core/runtime/kernel_host.h"

void* operator new(std::size_t bytes) {
  void* memory = std::malloc(bytes ? bytes : 1);
  if (!memory) std::abort();  // of the size of a node; what a program asks for goes through Storage, which can fail
  return memory;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes ? bytes : 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

// Without exceptions, a broken precondition of a container is a broken invariant.
namespace std {
const nothrow_t nothrow{};
void terminate() noexcept { abort(); }
void __throw_bad_alloc() { abort(); }
void __throw_bad_array_new_length() { abort(); }
void __throw_bad_function_call() { abort(); }
void __throw_invalid_argument(const char*) { abort(); }
void __throw_length_error(const char*) { abort(); }
void __throw_logic_error(const char*) { abort(); }
void __throw_out_of_range(const char*) { abort(); }
void __throw_system_error(int) { abort(); }
void __throw_out_of_range_fmt(const char*, ...) { abort(); }
/// Asked by shared pointers that were made in one piece, which has no use without RTTI.
bool _Sp_make_shared_tag::_S_eq(const type_info&) noexcept { return false; }
}  // namespace std

extern "C" {
void __cxa_pure_virtual() { std::abort(); }

/// 128-bit division, which compilers leave to a library of their own.
unsigned __int128 __udivti3(unsigned __int128 value, unsigned __int128 by) {
  unsigned __int128 quotient = 0, rest = 0;
  for (int bit = 127; bit >= 0; --bit) {
    rest = rest << 1 | (value >> bit & 1);
    if (rest < by) continue;
    rest -= by;
    quotient |= static_cast<unsigned __int128>(1) << bit;
  }
  return quotient;
}

#define RX_HOST_FUNCTION(symbol, result, name, parameters, arguments) \
  result symbol parameters { return rx::vm::host::name arguments; }
using rx::vm::LoopPart;
#include "core/runtime/host_functions.def"
}
