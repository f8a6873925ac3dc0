opt {} --passes "AnnotateCustomMemoryScope()" --target "opencl -device=adreno"
