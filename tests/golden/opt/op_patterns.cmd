opt {} --passes "AnnotateTIROpPattern()"
