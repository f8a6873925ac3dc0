opt {} --passes "AnnotateTarget(targets='mine')"
