# Flags shared by every target: warnings are errors, sanitizers come from the preset.
add_library(rx_options INTERFACE)
target_compile_options(rx_options INTERFACE -Wall -Wextra -Werror)
# LLVM's ORC headers use `emit` as a name; Qt must not define it as a macro.
target_compile_definitions(rx_options INTERFACE QT_NO_KEYWORDS)
if(RX_SANITIZE)
  target_compile_options(rx_options INTERFACE -fsanitize=${RX_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(rx_options INTERFACE -fsanitize=${RX_SANITIZE})
endif()
if(RX_BUILD_FUZZ)
  # Coverage counters for libFuzzer in every layer; only the targets of tests/fuzz link the fuzzer itself.
  target_compile_options(rx_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_link_options(rx_options INTERFACE -fuse-ld=lld)
endif()
