opt {} --passes "ConvertLayout(desired_layouts={'nn.conv2d': ['NCHW', 'default']})"
