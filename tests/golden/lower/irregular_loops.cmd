opt {} --passes "AnnotateIrregularLoop()"
