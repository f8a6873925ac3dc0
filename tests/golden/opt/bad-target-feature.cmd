opt {} --passes "BindTarget()" --target "llvm -mcpu=x86-64-v3 -mattr=+avx512ff"
