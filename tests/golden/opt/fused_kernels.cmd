opt {} --passes "LegalizeOps(), AnnotateTIROpPattern(), FuseOps(), FuseTIR()"
