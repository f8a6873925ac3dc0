opt {} --passes "AnnotateTarget(targets='mine', operators={'mine': ['nn.rely']})"
