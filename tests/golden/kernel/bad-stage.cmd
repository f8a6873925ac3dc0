kernel {} --target "llvm -mcpu=x86-64-v3" --function scan --as scheduled
