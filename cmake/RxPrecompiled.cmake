# Headers that are parsed once: two thirds of a build without them is reading the same headers again. Those of others,
# and for layers that see the whole IR its own: what a layer sees of the project stays what it links.
option(RX_PRECOMPILED "Parse the headers of others and of the IR once" ON)

# rx_precompiled(<name> HEADER [target...]): the owner of one precompiled header, with what its headers need.
function(rx_precompiled name header)
  if(RX_PRECOMPILED)
    file(WRITE ${CMAKE_BINARY_DIR}/precompiled/${name}.cpp "")
    add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/precompiled/${name}.cpp)
    target_link_libraries(${name} PRIVATE rx_options ${ARGN})
    # A time in the header would be another header to a compiler cache after each build.
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    target_precompile_headers(${name} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${header})
  endif()
endfunction()

# rx_use_precompiled(<target> <owner>)
# A program is compiled as a library is, as Qt asks for anyhow: one header serves both.
function(rx_use_precompiled target owner)
  if(RX_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL EXECUTABLE)
      target_compile_options(${target} PRIVATE -fPIC)
    endif()
  endif()
endfunction()
