opt {} --passes "ConvertLayout(desired_layouts={'relax.nn.conv2d': ['NCHW4c', 'OIHW4o']})"
