opt {} --passes "LegalizeOps(), AnnotateTIROpPattern(), FuseOps()" --remarks -o /dev/null
