opt {} --passes "LegalizeOps(), ApplySchedules()" --target "llvm -mcpu=x86-64-v3"
