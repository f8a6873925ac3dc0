opt {} --passes "BackwardFoldScaleAxis()"
