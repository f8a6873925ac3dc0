opt {} --passes "ForwardFoldScaleAxis()"
