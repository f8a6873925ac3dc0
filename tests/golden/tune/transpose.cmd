schedule {} --target "llvm -mcpu=x86-64-v3"
schedule {} --trace squares.trace
