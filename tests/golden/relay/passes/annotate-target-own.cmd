opt {} --passes "AnnotateTarget(targets=['mine', 'tensorrt'], operators={'mine': ['nn.softmax']})"
