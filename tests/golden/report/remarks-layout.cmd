opt {} --passes "ConvertLayout(desired_layouts={'relax.nn.conv2d': ['NHWC', 'OHWI']})" --remarks -o /dev/null
