opt {} --passes "LegalizeOps(), ApplySchedules(sum_threads=2)" --target "llvm -mcpu=x86-64-v3"
run {} --fast-reduce --precise
