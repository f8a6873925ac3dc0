# Flags shared by every target: warnings are errors, sanitizers come from the preset.
add_library(rx_options INTERFACE)
target_compile_options(rx_options INTERFACE -Wall -Wextra -Werror)
# LLVM's ORC headers use `emit` as a name; Qt must not define it as a macro.
target_compile_definitions(rx_options INTERFACE QT_NO_KEYWORDS)
if(RX_SANITIZE)
  # Kernels are called through pointers and have no type before their first byte, where that check reads one.
  target_compile_options(rx_options INTERFACE -fsanitize=${RX_SANITIZE} -fno-sanitize=function -fno-omit-frame-pointer
                                              -fno-sanitize-recover=all)
  target_link_options(rx_options INTERFACE -fsanitize=${RX_SANITIZE})
endif()
if(RX_BUILD_FUZZ)
  # Coverage counters for libFuzzer in every layer; only the targets of tests/fuzz link the fuzzer itself.
  target_compile_options(rx_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
# A fault of memory ends the process and does nothing else: stacks are guarded, copies whose size is known are checked
# (which needs an optimiser), and what the loader resolved can not be written to. Sanitizers do more, and would be in its
# way.
if(NOT RX_SANITIZE AND NOT RX_BUILD_FUZZ)
  target_compile_options(rx_options INTERFACE -fstack-protector-strong
                         "$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  target_link_options(rx_options INTERFACE -Wl,-z,relro -Wl,-z,now)
endif()
# The IR is many small nodes: with this allocator passes take half the time. Sanitizers have their own.
if(NOT RX_SANITIZE AND NOT RX_BUILD_FUZZ)
  find_library(RX_JEMALLOC libjemalloc_pic.a REQUIRED)
  target_link_libraries(rx_options INTERFACE ${RX_JEMALLOC})
endif()
# Tells builds apart where something made by one must not be used by another (core/compile/build_id.h).
target_link_options(rx_options INTERFACE -Wl,--build-id=sha1)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_link_options(rx_options INTERFACE -fuse-ld=lld)
endif()
