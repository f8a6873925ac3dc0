// The bytes behind embedded.h, a file a line; the folder and the runtime's own are given by the build.
    .macro embed name path
    .globl rxEmbedded\name, rxEmbedded\name\()End
    .balign 16
rxEmbedded\name:
    .incbin "\path"
rxEmbedded\name\()End:
    .byte 0
    .endm

    .section .rodata
    embed RuntimeX86, RX_BUILT/x86_64/runtime.o
    embed RuntimeAarch64, RX_BUILT/aarch64/runtime.o
    embed DevicesX86, RX_BUILT/x86_64/devices.o
    embed DevicesAarch64, RX_BUILT/aarch64/devices.o
    embed LibmX86, RX_BUILT/x86_64/libm.so
    embed LibmAarch64, RX_BUILT/aarch64/libm.so
    embed LibcX86, RX_BUILT/x86_64/libc.so
    embed LibcAarch64, RX_BUILT/aarch64/libc.so
    embed Header, RX_SOURCES/runtime/rxs_package.h
    embed Runner, RX_SOURCES/rxs_runner.c
    .section .note.GNU-stack,"",@progbits
