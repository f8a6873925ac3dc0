opt {} --passes "LegalizeOps(), AnnotateTIROpPattern(), FuseOps(), FuseTIR()" --config "{"""relax.FuseOps.max_depth""": 2}"
