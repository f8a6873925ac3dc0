opt {} --passes "LegalizeOps(), AnnotateTIROpPattern(), FuseOps(unpack_in_products=True), FuseTIR()"
