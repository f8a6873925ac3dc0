opt {} --passes "LegalizeOps(), AnnotateTIROpPattern(), FuseOps(fuse_opt_level=0), FuseTIR()"
