opt {} --passes "LegalizeOps(), AnnotateTIROpPattern(), FuseOps()"
