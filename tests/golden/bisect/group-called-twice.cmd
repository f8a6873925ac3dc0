bisect {} --seed 3 --passes "LegalizeOps(), AnnotateTIROpPattern(), FuseOps()"
