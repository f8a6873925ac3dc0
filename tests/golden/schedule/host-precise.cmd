opt {} --passes "LegalizeOps(), ApplySchedules(precise=True)" --target "llvm -mcpu=x86-64-v3"
