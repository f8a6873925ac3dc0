// The bytes behind embedded.h; the macros are the paths that the build gives.
    .section .rodata
    .globl rxEmbeddedRuntime, rxEmbeddedRuntimeEnd, rxEmbeddedHeader, rxEmbeddedHeaderEnd
    .globl rxEmbeddedRunner, rxEmbeddedRunnerEnd
    .balign 16
rxEmbeddedRuntime:
    .incbin RX_RUNTIME_OBJECT
rxEmbeddedRuntimeEnd:
    .byte 0
rxEmbeddedHeader:
    .incbin RX_PACKAGE_HEADER
rxEmbeddedHeaderEnd:
    .byte 0
rxEmbeddedRunner:
    .incbin RX_PACKAGE_RUNNER
rxEmbeddedRunnerEnd:
    .byte 0
    .section .note.GNU-stack,"",@progbits
