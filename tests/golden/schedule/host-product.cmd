opt {} --passes "LegalizeOps(), AnnotateTIROpPattern(), FuseOps(), FuseTIR(), ApplySchedules()" --target "llvm -mcpu=x86-64-v3"
