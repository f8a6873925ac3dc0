kernel {} --target "llvm -mcpu=skylake-avx512" --function matmul --as scheduled
kernel {} --target "llvm -mcpu=sapphirerapids" --function matmul --as scheduled
