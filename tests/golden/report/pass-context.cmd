opt {} --passes "LegalizeOps(), AnnotateTIROpPattern(), PassContext(config={'relax.FuseOps.max_depth': 1}), FuseOps()" --remarks -o /dev/null
opt {} --passes "PassContext(disabled_pass=['LegalizeOps'], opt_level=0), LegalizeOps(), LambdaLift()" -o /dev/null
opt {} --passes "PassContext(config={'relax.fuse_depth': 1}), FuseOps()"
opt {} --passes "PassContext(required_pass=['FuseOp']), FuseOps()"
