opt {} --passes "LegalizeOps(), AnnotateTIROpPattern(), FuseOps(unpack_in_products=True), FuseTIR(), ApplySchedules()" --target "llvm -mcpu=x86-64-v3"
