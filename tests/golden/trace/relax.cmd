schedule {} --target "llvm -mcpu=x86-64-v3" --json
schedule {} --target "llvm -mcpu=x86-64-v3" --passes "LegalizeOps()" --function softmax
