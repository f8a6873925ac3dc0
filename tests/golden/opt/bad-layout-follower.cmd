opt {} --passes "ConvertLayout(desired_layouts={'relax.nn.softmax': ['NHWC']})"
